#include "base/dtype.hpp"

#include <algorithm>
#include <utility>

namespace gpucheck {
namespace {

struct Names {
  std::string_view text;
  std::string_view error_text;
};

constexpr std::array<Names, dtype_count> names{{{"uint8", "Byte"},
                                                {"int8", "Char"},
                                                {"int16", "Short"},
                                                {"int32", "Int"},
                                                {"int64", "Long"},
                                                {"float16", "Half"},
                                                {"float32", "Float"},
                                                {"float64", "Double"},
                                                {"complex64", "ComplexFloat"},
                                                {"complex128", "ComplexDouble"},
                                                {"bool", "Bool"},
                                                {"bfloat16", "BFloat16"}}};

/// What kind of number, from the least to the one that holds the others.
enum class NumberKind { boolean, whole, floating, complex };

NumberKind kind_of(DType dtype) {
  if (is_complex(dtype)) return NumberKind::complex;
  if (is_floating(dtype)) return NumberKind::floating;
  return dtype == DType::boolean ? NumberKind::boolean : NumberKind::whole;
}

DType promote_whole(DType a, DType b) {
  if (a == DType::uint8 && b == DType::int8) return DType::int16;  // the least that holds both
  return std::max(a, b);
}

DType promote_floating(DType a, DType b) {
  // Neither 16-bit type holds the other.
  const auto is_short = [](DType dtype) { return element_bytes(dtype) == 2; };
  if (is_short(a) && is_short(b)) return DType::float32;
  return element_bytes(a) > element_bytes(b) ? a : b;
}

}  // namespace

std::string_view to_text(DType dtype) noexcept { return names[static_cast<std::size_t>(dtype)].text; }
std::string_view to_error_text(DType dtype) noexcept { return names[static_cast<std::size_t>(dtype)].error_text; }

std::optional<DType> parse_dtype(std::string_view text) noexcept {
  const auto* const found = std::ranges::find(names, text, &Names::text);
  if (found == names.end()) return std::nullopt;
  return static_cast<DType>(found - names.begin());
}

DType promote(DType a, DType b) noexcept {
  if (a == b) return a;
  if (kind_of(a) > kind_of(b)) std::swap(a, b);
  if (kind_of(a) == kind_of(b)) {
    if (kind_of(a) == NumberKind::floating) return promote_floating(a, b);
    return kind_of(a) == NumberKind::whole ? promote_whole(std::min(a, b), std::max(a, b)) : DType::complex128;
  }
  // A complex number of doubles for a double, else the type of the greater kind.
  return a == DType::float64 && is_complex(b) ? DType::complex128 : b;
}

bool can_cast(DType from, DType to) noexcept {
  if (is_complex(from) && !is_complex(to)) return false;
  if (is_floating(from) && is_integral(to)) return false;
  return from == DType::boolean || to != DType::boolean;
}

}  // namespace gpucheck
