#include "tensor/random/distributions.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "tensor/random/detail/launch.hpp"
#include "tensor/random/kernels/random.hpp"

namespace gpucheck::tensor::ops {

namespace kernels = device::kernels;
using kernels::Computed;
using kernels::convert_to;

template <typename T>
void uniform(Generator& generator, T* out, std::size_t count, double from, double to) {
  if (!(from <= to)) {
    throw Error(fmt::format("uniform_ expects to return a [from, to) range, but found from={} > to={}", from, to));
  }
  const T low = convert_to<T>(from);
  const T high = convert_to<T>(to);
  const T range = convert_to<T>(convert_to<Computed<T>>(high) - convert_to<Computed<T>>(low));
  detail::draw(generator, out, count, kernels::Uniform<T>{convert_to<Computed<T>>(range), low, high});
}

template <typename T>
void normal(Generator& generator, T* out, std::size_t count, double mean, double deviation) {
  if (!(deviation >= 0)) throw Error(fmt::format("normal expects std >= 0.0, but found std {}", deviation));
  detail::draw(generator, out, count,
               kernels::Normal<T>{static_cast<Computed<T>>(mean), static_cast<Computed<T>>(deviation)});
}

template <typename T>
void log_normal(Generator& generator, T* out, std::size_t count, double mean, double deviation) {
  if (!(deviation > 0)) {
    throw Error(fmt::format("log_normal_ expects std > 0.0, but found std={}", deviation));
  }
  detail::draw(generator, out, count,
               kernels::LogNormal<T>{static_cast<Computed<T>>(mean), static_cast<Computed<T>>(deviation)});
}

template <typename T>
void exponential(Generator& generator, T* out, std::size_t count, double rate) {
  if (!(rate > 0)) throw Error(fmt::format("exponential_ expects lambda > 0.0, but found lambda={}", rate));
  detail::draw(generator, out, count, kernels::Exponential<T>{static_cast<Computed<T>>(rate)});
}

template <typename T>
void cauchy(Generator& generator, T* out, std::size_t count, double median, double scale) {
  if (!(scale > 0)) throw Error(fmt::format("cauchy_ expects sigma > 0.0, but found sigma={}", scale));
  detail::draw(generator, out, count,
               kernels::Cauchy<T>{static_cast<Computed<T>>(median), static_cast<Computed<T>>(scale)});
}

Buffer<float> rand(Generator& generator, std::size_t count) {
  Buffer<float> result(generator.runtime(), count, generator.runtime().current_stream());
  uniform(generator, result.data(), count);
  return result;
}

Buffer<float> randn(Generator& generator, std::size_t count) {
  Buffer<float> result(generator.runtime(), count, generator.runtime().current_stream());
  normal(generator, result.data(), count);
  return result;
}

#define GPUCHECK_FOR_REAL_NUMBERS(T)                                     \
  template void uniform(Generator&, T*, std::size_t, double, double);    \
  template void normal(Generator&, T*, std::size_t, double, double);     \
  template void log_normal(Generator&, T*, std::size_t, double, double); \
  template void exponential(Generator&, T*, std::size_t, double);        \
  template void cauchy(Generator&, T*, std::size_t, double, double)
GPUCHECK_FOR_REAL_NUMBERS(float);
GPUCHECK_FOR_REAL_NUMBERS(double);
GPUCHECK_FOR_REAL_NUMBERS(Half);
GPUCHECK_FOR_REAL_NUMBERS(BFloat16);
#undef GPUCHECK_FOR_REAL_NUMBERS

}  // namespace gpucheck::tensor::ops
