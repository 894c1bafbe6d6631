#include "tensor/random/inputs.hpp"

#include <cstdint>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rounding.hpp"
#include "tensor/random/detail/launch.hpp"
#include "tensor/random/kernels/random_inputs.hpp"

namespace gpucheck::tensor::ops {

namespace kernels = device::kernels;
using kernels::Computed;

namespace {

/// Elements that a thread of PyTorch's dropout takes side by side: as many as 16 bytes hold,
/// where the address and the count allow it.
template <typename T>
unsigned dropout_width(const T* in, std::size_t count) {
  std::size_t width = 16 / sizeof(T);
  const auto address = reinterpret_cast<std::uintptr_t>(in);
  while (width > 1 && (address % (width * sizeof(T)) != 0 || count % width != 0)) width /= 2;
  return static_cast<unsigned>(width);
}

}  // namespace

template <typename T, typename P>
void bernoulli_each(Generator& generator, const P* probabilities, T* out, std::size_t count) {
  if (count == 0) return;
  constexpr std::uint64_t increment = 10;  // what PyTorch takes, of which it uses 4
  using Functor = kernels::BernoulliEach<T, P>;
  detail::launch(generator.runtime(), Functor{probabilities, out, count, generator.take(increment)},
                 divide_up(count, Functor::share));
}

template <typename T>
void poisson(Generator& generator, const T* means, T* out, std::size_t count) {
  if (count == 0) return;
  constexpr std::uint64_t increment = 20;  // as PyTorch: a number may take more
  detail::launch(generator.runtime(), kernels::Poisson<T>{means, out, generator.take(increment)}, count);
}

template <typename T>
void dropout(Generator& generator, const T* in, T* out, bool* mask, std::size_t count, double probability) {
  if (!(0 <= probability && probability < 1)) {
    throw Error(fmt::format("dropout probability has to be between 0 and 1, but got {}", probability));
  }
  if (count == 0) return;
  constexpr std::size_t values_at_once = 4;
  const detail::DrawPlan plan = detail::plan_draw(generator.runtime().device(), count, values_at_once);
  const auto kept = static_cast<Computed<T>>(1.0 - probability);
  const auto scale = static_cast<Computed<T>>(1.0 / static_cast<double>(kept));
  detail::launch(
      generator.runtime(),
      kernels::Dropout<T>{in, out, mask, count, dropout_width(in, count), kept, scale, generator.take(plan.increment)},
      plan.sequences);
}

template <typename T>
void rrelu(Generator& generator, const T* in, T* out, T* slopes, std::size_t count, double lower, double upper) {
  if (count == 0) return;
  const detail::DrawPlan plan =
      detail::plan_draw(generator.runtime().device(), count, kernels::Drawn<Computed<T>>::size);
  detail::launch(
      generator.runtime(),
      kernels::RandomizedRelu<T>{in, out, slopes, count, lower, upper - lower, generator.take(plan.increment)},
      plan.sequences);
}

#define GPUCHECK_FOR_REAL_NUMBERS(T)                                           \
  template void bernoulli_each(Generator&, const T*, T*, std::size_t);         \
  template void poisson(Generator&, const T*, T*, std::size_t);                \
  template void dropout(Generator&, const T*, T*, bool*, std::size_t, double); \
  template void rrelu(Generator&, const T*, T*, T*, std::size_t, double, double)
GPUCHECK_FOR_REAL_NUMBERS(float);
GPUCHECK_FOR_REAL_NUMBERS(double);
GPUCHECK_FOR_REAL_NUMBERS(Half);
GPUCHECK_FOR_REAL_NUMBERS(BFloat16);
#undef GPUCHECK_FOR_REAL_NUMBERS
template void bernoulli_each(Generator&, const float*, std::uint8_t*, std::size_t);
template void bernoulli_each(Generator&, const float*, std::int8_t*, std::size_t);
template void bernoulli_each(Generator&, const float*, std::int16_t*, std::size_t);
template void bernoulli_each(Generator&, const float*, std::int32_t*, std::size_t);
template void bernoulli_each(Generator&, const float*, std::int64_t*, std::size_t);
template void bernoulli_each(Generator&, const float*, bool*, std::size_t);

}  // namespace gpucheck::tensor::ops
