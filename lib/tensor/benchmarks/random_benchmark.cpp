#include <benchmark/benchmark.h>
#include <cstdint>
#include <memory>

#include "device/driver.hpp"
#include "device/owned.hpp"
#include "runtime/runtime.hpp"
#include "tensor/benchmarks/gpu.hpp"
#include "tensor/ops.hpp"
#include "tensor/random/distributions.hpp"

/// Random numbers into 1 GiB beside a plain fill of the same memory, in turns, by the GPU's own
/// clock.
namespace {

using namespace gpucheck;

/// Null where there is no GPU.
std::unique_ptr<device::Driver> gpu() {
  auto driver = benchmarks::make_gpu_driver();
  if (driver == nullptr) return nullptr;
  const auto count = driver->device_count();
  return count && *count > 0 ? std::move(driver) : nullptr;
}

/// Seconds that `work` takes on the current stream.
template <typename Work>
double seconds(runtime::Runtime& runtime, Work work) {
  device::Device& device = runtime.device();
  const device::Stream stream = runtime.current_stream();
  const auto make = [&device] {
    return device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::timing));
  };
  const device::UniqueEvent start = make();
  const device::UniqueEvent stop = make();
  device::check(device.record(start.get(), stream), "record");
  work();
  device::check(device.record(stop.get(), stream), "record");
  device::check(device.synchronize(stop.get()), "synchronize");
  return static_cast<double>(device.elapsed_ms(start.get(), stop.get()).value()) / 1e3;
}

template <typename Draw>
void draw_beside_fill(benchmark::State& state, Draw draw) {
  auto driver = gpu();
  if (driver == nullptr) return state.SkipWithError("no GPU, or a build without CUDA");
  const auto device = driver->open(0).value();
  runtime::Runtime runtime(*device);
  const runtime::CurrentStreamGuard stream(runtime, runtime.streams().next());
  runtime::Generator generator(runtime);
  constexpr std::size_t count = std::size_t{1} << 28;
  runtime::Buffer<float> out(runtime, count, runtime.current_stream());
  const auto fill = [&] { tensor::ops::fill(runtime, out.data(), count, 1.0F, runtime.current_stream()); };
  const auto drawn = [&] { draw(generator, out.data(), count); };
  static_cast<void>(seconds(runtime, fill));  // not timed: code to the device
  static_cast<void>(seconds(runtime, drawn));
  double fill_seconds = 0;
  double draw_seconds = 0;
  for (auto _ : state) {
    fill_seconds += seconds(runtime, fill);
    const double taken = seconds(runtime, drawn);
    state.SetIterationTime(taken);
    draw_seconds += taken;
  }
  const double bytes = static_cast<double>(out.size_bytes()) * static_cast<double>(state.iterations());
  state.counters["draw_GBps"] = bytes / draw_seconds / 1e9;
  state.counters["fill_GBps"] = bytes / fill_seconds / 1e9;
  state.counters["draw_of_fill"] = fill_seconds / draw_seconds;
}

void uniform_floats(benchmark::State& state) {
  draw_beside_fill(state, [](runtime::Generator& generator, float* out, std::size_t count) {
    tensor::ops::uniform(generator, out, count);
  });
}
void normal_floats(benchmark::State& state) {
  draw_beside_fill(state, [](runtime::Generator& generator, float* out, std::size_t count) {
    tensor::ops::normal(generator, out, count);
  });
}

BENCHMARK(uniform_floats)->UseManualTime();
BENCHMARK(normal_floats)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
