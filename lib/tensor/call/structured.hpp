#pragma once

#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tensor/call/operator.hpp"
#include "tensor/iterator/destination.hpp"

/// Operators whose kernel fills a result that may be there: one function gives all their forms.
namespace gpucheck::tensor {

namespace detail {

template <auto compute, typename Signature>
struct FunctionalForm;
template <auto compute, typename... Arguments>
struct FunctionalForm<compute, Tensor (*)(Arguments...)> {
  static Tensor call(Arguments... arguments) { return compute(Destination{}, arguments...); }
};

template <auto compute, typename Signature>
struct InPlaceForm;
template <auto compute, typename... Arguments>
struct InPlaceForm<compute, Tensor (*)(Arguments...)> {
  static Tensor call(Arguments... arguments) {
    const Tensor& self = std::get<0>(std::tie(arguments...));
    static_cast<void>(compute(Destination{Form::in_place, self}, arguments...));
    self.count_write();
    return self;
  }
};

template <auto compute, typename Signature>
struct OutForm;
template <auto compute, typename Returned, typename... Arguments>
struct OutForm<compute, Returned (*)(Arguments...)> {
  static Tensor call(Arguments... arguments) {
    const auto all = std::tie(arguments...);
    const Tensor& out = std::get<sizeof...(Arguments) - 1>(all);
    call_with_first(out, all, std::make_index_sequence<sizeof...(Arguments) - 1>{});
    out.count_write();
    return out;
  }
  template <typename All, std::size_t... places>
  static void call_with_first(const Tensor& out, const All& all, std::index_sequence<places...>) {
    static_cast<void>(compute(Destination{Form::out, out}, std::get<places>(all)...));
  }
};

}  // namespace detail

/// The entries of forms of one operator. `compute(const Destination&, arguments of the functional form...)` returns the
/// result. What is written in place or passed for the result counts a write.
template <auto compute, typename... Operators>
[[nodiscard]] std::vector<Entry> structured(const Traits& traits, const Operators&...) {
  // What is written there keeps its type: autocast knows functional forms only.
  Traits written = traits;
  written.autocast = AutocastPolicy::none;
  const auto entry_of = [&]<typename Typed>(std::type_identity<Typed>) {
    using Function = typename Typed::Function;
    if constexpr (Typed::schema.form == Form::functional) {
      return Typed::template entry<&detail::FunctionalForm<compute, Function>::call>(traits);
    } else if constexpr (Typed::schema.form == Form::in_place) {
      return Typed::template entry<&detail::InPlaceForm<compute, Function>::call>(written);
    } else {
      return Typed::template entry<&detail::OutForm<compute, Function>::call>(written);
    }
  };
  return {entry_of(std::type_identity<Operators>{})...};
}

/// The entries of several operators.
[[nodiscard]] inline std::vector<Entry> joined(std::initializer_list<std::vector<Entry>> lists) {
  std::vector<Entry> all;
  for (const std::vector<Entry>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace gpucheck::tensor
