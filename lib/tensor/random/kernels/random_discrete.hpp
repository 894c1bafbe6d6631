#pragma once

#include <string_view>

#include "device/kernels/support/draw.hpp"
#include "device/kernels/support/family.hpp"

/// Whole numbers, and truth values, drawn as PyTorch draws them.
namespace gpucheck::device::kernels {

/// 1 with probability `probability`, else 0.
template <typename T>
struct Bernoulli {
  using Value = T;
  using Real = Computed<T>;
  static constexpr std::string_view name = "bernoulli";
  Real probability;
  GPUCHECK_HOST_DEVICE static Drawn<Real> draw(const PhiloxWords& words) { return draw_uniform<Real>(words); }
  GPUCHECK_HOST_DEVICE T transform(Real uniform) const { return convert_to<T>(uniform < probability ? 1 : 0); }
};

/// Trials up to the first success.
template <typename T>
struct Geometric {
  using Value = T;
  using Real = Computed<T>;
  static constexpr std::string_view name = "geometric";
  Real probability;
  GPUCHECK_HOST_DEVICE static Drawn<Real> draw(const PhiloxWords& words) { return draw_uniform<Real>(words); }
  GPUCHECK_HOST_DEVICE T transform(Real uniform) const {
    const Real trials = fast_log(uniform) / fast_log1p(-probability);
    if constexpr (std::is_same_v<Real, float>) {
      return convert_to<T>(ceilf(trials));
    } else {
      return convert_to<T>(ceil(trials));
    }
  }
};

/// base + a word modulo `range`, as a signed number of 64 bits, as T.
template <typename T, typename Word>
struct UniformInteger {
  using Value = T;
  static constexpr std::string_view name = "random_integer";
  std::uint64_t range;
  std::int64_t base;
  GPUCHECK_HOST_DEVICE static Drawn<Word> draw(const PhiloxWords& words) { return draw_words<Word>(words); }
  GPUCHECK_HOST_DEVICE T transform(Word word) const {
    return convert_to<T>(static_cast<std::int64_t>(word % range + static_cast<std::uint64_t>(base)));
  }
};

/// Every number of 64 bits, as T.
template <typename T>
struct AnyInteger {
  using Value = T;
  static constexpr std::string_view name = "random_any_integer";
  GPUCHECK_HOST_DEVICE static Drawn<std::uint64_t> draw(const PhiloxWords& words) {
    return draw_words<std::uint64_t>(words);
  }
  GPUCHECK_HOST_DEVICE T transform(std::uint64_t word) const { return convert_to<T>(static_cast<std::int64_t>(word)); }
};

template <typename T>
using UniformInteger32 = UniformInteger<T, std::uint32_t>;
template <typename T>
using UniformInteger64 = UniformInteger<T, std::uint64_t>;

/// A distribution's kernels for every type of number.
template <template <typename> typename Distribution>
using DrawNumbers =
    Family<Draw<Distribution<float>>, Draw<Distribution<double>>, Draw<Distribution<Half>>,
           Draw<Distribution<BFloat16>>, Draw<Distribution<std::uint8_t>>, Draw<Distribution<std::int8_t>>,
           Draw<Distribution<std::int16_t>>, Draw<Distribution<std::int32_t>>, Draw<Distribution<std::int64_t>>>;

namespace families {
using random_discrete =
    Joined<DrawNumbers<Bernoulli>, Family<Draw<Bernoulli<bool>>>, DrawNumbers<Geometric>, DrawNumbers<UniformInteger32>,
           Family<Draw<UniformInteger32<bool>>>, DrawNumbers<UniformInteger64>,
           Family<Draw<UniformInteger64<bool>>, Draw<AnyInteger<std::int64_t>>, Draw<AnyInteger<double>>,
                  Draw<AnyInteger<float>>, Draw<AnyInteger<BFloat16>>>>;
}
template <typename Functor>
requires(families::random_discrete::has<Functor>) struct FamilyOf<Functor> : families::random_discrete {
};

}  // namespace gpucheck::device::kernels
