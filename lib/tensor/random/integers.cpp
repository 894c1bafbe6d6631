#include "tensor/random/integers.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <type_traits>

#include "base/error.hpp"
#include "tensor/random/detail/launch.hpp"
#include "tensor/random/kernels/random_discrete.hpp"

namespace gpucheck::tensor::ops {

namespace kernels = device::kernels;
using kernels::Computed;
using kernels::convert_to;

namespace {

template <typename T>
constexpr int digits = kernels::digits_of<T>;

/// A bound as T holds it and back.
template <typename T>
std::int64_t through(std::int64_t value) {
  return convert_to<std::int64_t>(convert_to<T>(value));
}

int highest_bit(std::int64_t value) {
  int bit = 0;
  for (std::int64_t left = std::abs(value); (left >>= 1) != 0;) ++bit;
  return bit;
}

/// The least number from `from` on that T holds.
template <typename T>
std::int64_t from_for(std::int64_t from) {
  const std::int64_t next = through<T>(from + 1);
  return next < from ? next + (std::int64_t{1} << (highest_bit(from + 1) - digits<T> + 1)) : from;
}

/// The bound below which T holds as many numbers as it can of those below `to`.
template <typename T>
std::int64_t to_for(std::int64_t to) {
  const std::int64_t previous = through<T>(to - 1);
  return previous >= to ? previous - (std::int64_t{1} << (highest_bit(to - 1) - digits<T> + 1)) : to;
}

/// The greatest number that T holds; for floating types, up to which it holds all.
template <typename T>
constexpr std::int64_t greatest() {
  if constexpr (kernels::is_floating<T>) {
    return std::int64_t{1} << digits<T>;
  } else {
    return static_cast<std::int64_t>(std::numeric_limits<T>::max());
  }
}

template <typename T>
void require_in_type(std::int64_t value, std::string_view name) {
  if constexpr (std::is_integral_v<T>) {
    if (value < static_cast<std::int64_t>(std::numeric_limits<T>::lowest()) || value > greatest<T>()) {
      throw Error(fmt::format("{} is out of bounds for the type of the numbers", name));
    }
  }
}

/// A range that is too large for a 32-bit number to be nearly uniform in takes 64 bits.
template <typename T>
void draw_in(Generator& generator, T* out, std::size_t count, std::uint64_t range, std::int64_t base) {
  constexpr std::uint64_t largest_for_32_bits = std::uint64_t{1} << 28U;
  if (range >= largest_for_32_bits) {
    detail::draw(generator, out, count, kernels::UniformInteger64<T>{range, base});
  } else {
    detail::draw(generator, out, count, kernels::UniformInteger32<T>{range, base});
  }
}

}  // namespace

template <typename T>
void bernoulli(Generator& generator, T* out, std::size_t count, double probability) {
  if (!(0 <= probability && probability <= 1)) {
    throw Error(fmt::format("bernoulli_ expects p to be in [0, 1], but got p={}", probability));
  }
  detail::draw(generator, out, count, kernels::Bernoulli<T>{static_cast<Computed<T>>(probability)});
}

template <typename T>
void geometric(Generator& generator, T* out, std::size_t count, double probability) {
  if (!(0 < probability && probability < 1)) {
    throw Error(fmt::format("geometric_ expects p to be in (0, 1), but got p={}", probability));
  }
  detail::draw(generator, out, count, kernels::Geometric<T>{static_cast<Computed<T>>(probability)});
}

template <typename T>
void random(Generator& generator, T* out, std::size_t count, std::int64_t from, std::int64_t to) {
  if (from >= to) {
    throw Error(fmt::format("random_ expects 'from' to be less than 'to', but got from={} >= to={}", from, to));
  }
  if constexpr (kernels::is_floating<T>) {
    from = from_for<T>(from);
    to = to_for<T>(to);
    if (from >= to) {
      throw Error(
          fmt::format("random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
                      "from={} >= to={}",
                      from, to));
    }
  }
  require_in_type<T>(from, "from");
  require_in_type<T>(to - 1, "to - 1");
  draw_in(generator, out, count, static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from), from);
}

template <typename T>
void random_from(Generator& generator, T* out, std::size_t count, std::int64_t from) {
  if (from != std::numeric_limits<std::int64_t>::lowest()) {
    if constexpr (kernels::is_floating<T>) from = from_for<T>(from);
    if (from >= greatest<T>() && kernels::is_floating<T>) {
      throw Error(
          fmt::format("random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to "
                      "dtype, but got from={} > to_inc={}",
                      from, greatest<T>()));
    }
    require_in_type<T>(from, "from");
    const std::uint64_t range = static_cast<std::uint64_t>(greatest<T>()) - static_cast<std::uint64_t>(from) + 1;
    return draw_in(generator, out, count, range, from);
  }
  if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, double> || std::is_same_v<T, float> ||
                std::is_same_v<T, BFloat16>) {
    detail::draw(generator, out, count, kernels::AnyInteger<T>{});
  } else {
    throw Error("random_full_64_bits_range_kernel_cuda handles only int64, double, float and bfloat16");
  }
}

template <typename T>
void random(Generator& generator, T* out, std::size_t count) {
  constexpr std::uint64_t range = static_cast<std::uint64_t>(greatest<T>()) + 1;
  if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>) {
    detail::draw(generator, out, count, kernels::UniformInteger64<T>{range, 0});
  } else {
    detail::draw(generator, out, count, kernels::UniformInteger32<T>{range, 0});
  }
}

#define GPUCHECK_FOR_NUMBERS(T)                                                  \
  template void bernoulli(Generator&, T*, std::size_t, double);                  \
  template void random(Generator&, T*, std::size_t, std::int64_t, std::int64_t); \
  template void random_from(Generator&, T*, std::size_t, std::int64_t);          \
  template void random(Generator&, T*, std::size_t)
#define GPUCHECK_FOR_TRIALS(T) template void geometric(Generator&, T*, std::size_t, double)
#define GPUCHECK_FOR_BOTH(T) \
  GPUCHECK_FOR_NUMBERS(T);   \
  GPUCHECK_FOR_TRIALS(T)
GPUCHECK_FOR_BOTH(float);
GPUCHECK_FOR_BOTH(double);
GPUCHECK_FOR_BOTH(Half);
GPUCHECK_FOR_BOTH(BFloat16);
GPUCHECK_FOR_BOTH(std::uint8_t);
GPUCHECK_FOR_BOTH(std::int8_t);
GPUCHECK_FOR_BOTH(std::int16_t);
GPUCHECK_FOR_BOTH(std::int32_t);
GPUCHECK_FOR_BOTH(std::int64_t);
GPUCHECK_FOR_NUMBERS(bool);
#undef GPUCHECK_FOR_BOTH
#undef GPUCHECK_FOR_TRIALS
#undef GPUCHECK_FOR_NUMBERS

}  // namespace gpucheck::tensor::ops
