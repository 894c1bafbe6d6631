#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "cases/shared/kernels/bandwidth.hpp"
#include "device/driver.hpp"
#include "device/launch.hpp"
#include "device/owned.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/runtime.hpp"
#include "tensor/benchmarks/gpu.hpp"
#include "tensor/ops.hpp"

/// Sums beside a plain loop that only reads the same memory, in turns. On a GPU times are
/// the device's own; on the simulated device, whose clock is made up, the host's.
namespace {

using namespace gpucheck;
namespace kernels = device::kernels;

struct Machine {
  explicit Machine(std::unique_ptr<device::Driver> made)
      : driver(std::move(made)), device(driver->open(0).value()), on_gpu(driver->kind() == "cuda") {}

  std::unique_ptr<device::Driver> driver;
  std::unique_ptr<device::Device> device;
  bool on_gpu;
  runtime::Runtime runtime{*device};
  device::UniqueStream stream =
      device::own<device::UniqueStream>(*device, device->create_stream(device::StreamKind::non_blocking, 0));
  device::UniqueEvent start =
      device::own<device::UniqueEvent>(*device, device->create_event(device::EventKind::timing));
  device::UniqueEvent stop = device::own<device::UniqueEvent>(*device, device->create_event(device::EventKind::timing));

  /// Seconds that `work` takes on the stream.
  template <typename Work>
  double seconds(Work work) {
    const auto before = std::chrono::steady_clock::now();
    device::check(device->record(start.get(), stream.get()), "record");
    work();
    device::check(device->record(stop.get(), stream.get()), "record");
    device::check(device->synchronize(stream.get()), "synchronize");
    if (on_gpu) return static_cast<double>(device->elapsed_ms(start.get(), stop.get()).value()) / 1e3;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  }
};

/// Null where there is no GPU.
std::unique_ptr<device::Driver> gpu() {
  auto driver = benchmarks::make_gpu_driver();
  if (driver == nullptr) return nullptr;
  const auto count = driver->device_count();
  return count && *count > 0 ? std::move(driver) : nullptr;
}

/// One read of `bytes`, as fast as a loop can: 2,048 invocations on each multiprocessor.
void read_all(Machine& machine, const void* data, std::size_t bytes, std::uint64_t* found) {
  const auto& properties = machine.device->properties();
  const std::size_t vectors = bytes / 16;
  const std::size_t resident =
      static_cast<std::size_t>(properties.multiprocessor_count * properties.max_threads_per_multiprocessor);
  const kernels::ReadVectors loop{static_cast<const kernels::Vector<std::uint32_t>*>(data), vectors, found};
  device::check(device::launch(*machine.device, loop, std::min(resident, vectors), machine.stream.get()), loop.name);
}

template <typename T, typename Sum>
void sum(benchmark::State& state, std::unique_ptr<device::Driver> driver) {
  if (driver == nullptr) return state.SkipWithError("no GPU, or a build without CUDA");
  Machine machine(std::move(driver));
  const auto count = static_cast<std::size_t>(state.range(0)) / sizeof(T);
  runtime::Buffer<T> data(machine.runtime, count, machine.stream.get());
  runtime::Buffer<Sum> total(machine.runtime, 1, machine.stream.get());
  runtime::Buffer<std::uint64_t> found(machine.runtime, 1, machine.stream.get());
  tensor::ops::fill(machine.runtime, data.data(), count, T{1}, machine.stream.get());
  device::check(machine.device->fill(found.data(), 0, sizeof(std::uint64_t), machine.stream.get()), "fill");
  const auto add_up = [&] {
    tensor::ops::sum(machine.runtime, data.data(), count, total.data(), machine.stream.get());
  };
  const auto read = [&] { read_all(machine, data.data(), count * sizeof(T), found.data()); };
  static_cast<void>(machine.seconds(add_up));  // not timed: memory from the device, code to it
  static_cast<void>(machine.seconds(read));
  double sum_seconds = 0;
  double loop_seconds = 0;
  for (auto _ : state) {
    const double seconds = machine.seconds(add_up);
    state.SetIterationTime(seconds);
    sum_seconds += seconds;
    loop_seconds += machine.seconds(read);
  }
  const double bytes = static_cast<double>(count * sizeof(T)) * static_cast<double>(state.iterations());
  state.counters["sum_GBps"] = bytes / sum_seconds / 1e9;
  state.counters["loop_GBps"] = bytes / loop_seconds / 1e9;
  state.counters["sum_of_loop"] = loop_seconds / sum_seconds;
}

void floats_on_gpu(benchmark::State& state) { sum<float, double>(state, gpu()); }
void integers_on_gpu(benchmark::State& state) { sum<std::int64_t, std::int64_t>(state, gpu()); }
void floats_on_simulator(benchmark::State& state) {
  sum<float, double>(state, sim::make_driver({.profile = sim::profile("h100")}));
}
void integers_on_simulator(benchmark::State& state) {
  sum<std::int64_t, std::int64_t>(state, sim::make_driver({.profile = sim::profile("h100")}));
}

BENCHMARK(floats_on_gpu)->Arg(64 << 20)->Arg(1 << 30)->UseManualTime();
BENCHMARK(integers_on_gpu)->Arg(64 << 20)->Arg(1 << 30)->UseManualTime();
BENCHMARK(floats_on_simulator)->Arg(64)->Arg(4 << 10)->Arg(256 << 10)->Arg(16 << 20)->UseManualTime();
BENCHMARK(integers_on_simulator)->Arg(64)->Arg(4 << 10)->Arg(256 << 10)->Arg(16 << 20)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
