#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

/// Structs described once: a table of a struct's members with their names, from which
/// every document and every text about it is made. None can lose a member that way.
namespace gpucheck::harness {

/// One row of a table; a table whose texts need more has rows of its own, with at least
/// these two.
template <typename Owner, typename T>
struct Field {
  std::string_view name;
  T Owner::*member;
};
template <typename Owner, typename T>
Field(const char*, T Owner::*) -> Field<Owner, T>;

/// The row of a member that is worked out from the others: what is read back does not carry it.
template <typename Owner, typename T>
struct Derived {
  std::string_view name;
  T Owner::*member;
};
template <typename Owner, typename T>
Derived(const char*, T Owner::*) -> Derived<Owner, T>;

template <typename Row>
inline constexpr bool is_derived = false;
template <typename Owner, typename T>
inline constexpr bool is_derived<Derived<Owner, T>> = true;

/// A tuple of rows in the order of documents. Specialised beside each struct that has one.
template <typename T>
inline constexpr auto fields_of = nullptr;

/// Has a table.
template <typename T>
concept Described = !std::same_as<std::remove_cv_t<decltype(fields_of<T>)>, std::nullptr_t>;

/// Calls `visit(row, member)` for each row.
template <typename T, typename Visit>
void for_each_field(T& owner, Visit visit) {
  std::apply([&](const auto&... row) { (visit(row, owner.*row.member), ...); }, fields_of<std::remove_const_t<T>>);
}

namespace detail {

struct Anything {
  template <typename T>
  operator T() const;
};

/// As many members as an initialiser may have elements.
template <typename T, typename... Given>
consteval std::size_t member_count() {
  if constexpr (requires { T{Given{}..., Anything{}}; }) {
    return member_count<T, Given..., Anything>();
  } else {
    return sizeof...(Given);
  }
}

/// Whether two rows share their name or their member.
template <typename Row, typename Other>
constexpr bool clash(const Row& row, const Other& other) {
  if constexpr (std::same_as<decltype(row.member), decltype(other.member)>) {
    if (row.member == other.member) return true;
  }
  return row.name == other.name;
}

template <typename... Rows>
constexpr bool all_differ(const std::tuple<Rows...>& rows) {
  const auto clashes_of = [&rows](const auto& row) {  // one is with itself
    return std::apply([&row](const auto&... other) { return (std::size_t{clash(row, other)} + ...); }, rows);
  };
  return std::apply([&](const auto&... row) { return ((clashes_of(row) == 1) && ...); }, rows);
}

}  // namespace detail

/// For a static_assert beside the table: it has as many rows as `T` has members, and each once.
template <Described T>
inline constexpr bool has_every_member = std::tuple_size_v<std::remove_cv_t<decltype(fields_of<T>)>> ==
                                             detail::member_count<T>() &&
                                         detail::all_differ(fields_of<T>);

}  // namespace gpucheck::harness
