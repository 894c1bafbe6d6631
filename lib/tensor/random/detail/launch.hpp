#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "device/check.hpp"
#include "device/kernels/support/draw.hpp"
#include "device/launch.hpp"
#include "runtime/random/generator.hpp"

/// How PyTorch cuts a draw into sequences, and how much of each it takes.
namespace gpucheck::tensor::ops::detail {

/// How many sequences a kernel draws from, each thread its own, and how many of the 32-bit
/// numbers of each it may use.
struct DrawPlan {
  std::uint64_t sequences = 0;
  std::uint64_t increment = 0;
};

/// The launch of a kernel that draws `values_at_once` from four numbers: blocks of 256 threads, as many as
/// are needed and at most as many as fit on the device at once.
inline DrawPlan plan_draw(const device::Device& device, std::size_t count, std::size_t values_at_once) {
  constexpr std::uint64_t block = 256;
  constexpr std::uint64_t numbers_at_once = 4;
  const auto& properties = device.properties();
  const auto blocks_at_once = static_cast<std::uint64_t>(properties.multiprocessor_count) *
                              (static_cast<std::uint64_t>(properties.max_threads_per_multiprocessor) / block);
  const std::uint64_t sequences = block * std::min<std::uint64_t>((count + block - 1) / block, blocks_at_once);
  return {sequences, ((count - 1) / (sequences * values_at_once) + 1) * numbers_at_once};
}

/// Launches on the current stream. @throws DeviceError.
template <typename Functor>
void launch(runtime::Runtime& runtime, const Functor& functor, std::size_t count) {
  device::check(device::launch(runtime.device(), functor, count, runtime.current_stream()), Functor::name);
}
template <typename Functor>
void launch_blocks(runtime::Runtime& runtime, const Functor& functor, std::size_t count) {
  device::check(device::launch(runtime.device(), functor, count, functor.block(), runtime.current_stream()),
                Functor::name);
}

/// What PyTorch fills with one kernel: as much as 32 bits can count the bytes of.
template <typename T>
bool fits_one_kernel(std::size_t count) {
  constexpr std::size_t max_bytes = 0x7FFFFFFF;
  return (count - 1) * sizeof(T) + 1 <= max_bytes;
}

template <typename Distribution>
void draw_halves(runtime::Generator& generator, typename Distribution::Value* out, std::size_t count,
                 const Distribution& distribution);

/// One kernel's worth of numbers.
template <typename Distribution>
void draw_once(runtime::Generator& generator, typename Distribution::Value* out, std::size_t count,
               const Distribution& distribution, const DrawPlan& plan, const device::kernels::PhiloxStart& start) {
  const device::kernels::Draw<Distribution> draw{out, static_cast<std::uint32_t>(count),
                                                 static_cast<std::uint32_t>(plan.sequences), start, distribution};
  launch(generator.runtime(), draw, draw.invocations());
}

template <typename Distribution>
DrawPlan plan_for(runtime::Generator& generator, std::size_t count) {
  using Drawn = decltype(Distribution::draw({}));
  return plan_draw(generator.runtime().device(), count, Drawn::size);
}

/// Fills out[0..count) from a distribution. Where one kernel is not enough, numbers for the
/// whole are passed over first, and then taken for each part: as PyTorch does.
template <typename Distribution>
void draw(runtime::Generator& generator, typename Distribution::Value* out, std::size_t count,
          const Distribution& distribution) {
  if (count == 0) return;
  const DrawPlan plan = plan_for<Distribution>(generator, count);
  const device::kernels::PhiloxStart start = generator.take(plan.increment);
  if (fits_one_kernel<typename Distribution::Value>(count)) {
    draw_once(generator, out, count, distribution, plan, start);
  } else {
    draw_halves(generator, out, count, distribution);
  }
}

template <typename Distribution>
void draw_halves(runtime::Generator& generator, typename Distribution::Value* out, std::size_t count,
                 const Distribution& distribution) {
  if (fits_one_kernel<typename Distribution::Value>(count)) return draw(generator, out, count, distribution);
  const std::size_t half = count / 2;
  draw_halves(generator, out, half, distribution);
  draw_halves(generator, out + half, count - half, distribution);
}

}  // namespace gpucheck::tensor::ops::detail
