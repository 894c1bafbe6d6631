#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/benchmarks/bare_calls.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/streams/event.hpp"

/// Host cost of streams and events. On a GPU each call through the runtime's objects beside
/// CUDA's own, in turns in one run: `bare_ns` and `above_ns` are the medians' price, `ratio`
/// one over the other. On the simulated device: how many operations a second it takes.
namespace {

using namespace gpucheck;
using Clock = std::chrono::steady_clock;

struct Machine {
  explicit Machine(std::unique_ptr<device::Driver> made)
      : driver(std::move(made)), device(driver->open(0).value()), runtime(*device) {}

  std::unique_ptr<device::Driver> driver;
  std::unique_ptr<device::Device> device;
  runtime::Runtime runtime;
};

/// Few enough that the device's queue of commands is never full.
constexpr int calls_at_once = 256;

template <typename Call>
double nanoseconds_per_call(Call call) {
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < calls_at_once; ++i) call();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / calls_at_once;
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Both calls in turns; between the turns the device catches up.
template <typename Bare, typename Ours>
void beside(benchmark::State& state, device::Device& device, Bare bare, Ours ours) {
  std::vector<double> bare_ns;
  std::vector<double> our_ns;
  for (auto _ : state) {
    bare_ns.push_back(nanoseconds_per_call(bare));
    static_cast<void>(device.synchronize());
    our_ns.push_back(nanoseconds_per_call(ours));
    static_cast<void>(device.synchronize());
    state.SetIterationTime(our_ns.back() * 1e-9);
  }
  const double bare_median = median(bare_ns);
  const double our_median = median(our_ns);
  state.counters["bare_ns"] = bare_median;
  state.counters["above_ns"] = our_median - bare_median;
  state.counters["ratio"] = our_median / bare_median;
}

std::unique_ptr<device::Driver> gpu_driver(benchmark::State& state) {
  std::unique_ptr<device::Driver> driver = benchmarks::make_gpu_driver();
  if (driver == nullptr) state.SkipWithError("no GPU");
  return driver;
}

void event_record(benchmark::State& state) {
  std::unique_ptr<device::Driver> driver = gpu_driver(state);
  if (driver == nullptr) return;
  Machine machine(std::move(driver));
  const auto bare = benchmarks::bare_calls();
  const runtime::Stream stream = runtime::Stream::from_pool(machine.runtime);
  runtime::Event event;
  event.record(stream);
  beside(
      state, *machine.device, [&] { benchmark::DoNotOptimize(bare.record(event.raw(), stream.raw())); },
      [&] { event.record(stream); });
}
BENCHMARK(event_record)->UseManualTime()->Iterations(2000);

void event_wait(benchmark::State& state) {
  std::unique_ptr<device::Driver> driver = gpu_driver(state);
  if (driver == nullptr) return;
  Machine machine(std::move(driver));
  const auto bare = benchmarks::bare_calls();
  const runtime::Stream stream = runtime::Stream::from_pool(machine.runtime);
  const runtime::Stream other = runtime::Stream::from_pool(machine.runtime);
  const runtime::Event event = other.record_event();
  beside(
      state, *machine.device, [&] { benchmark::DoNotOptimize(bare.wait(stream.raw(), event.raw())); },
      [&] { event.wait(stream); });
}
BENCHMARK(event_wait)->UseManualTime()->Iterations(2000);

/// To another stream and back: two switches.
void current_stream_switched_twice(benchmark::State& state) {
  Machine machine(sim::make_driver({.profile = sim::profile("h100")}));
  const runtime::Stream stream = runtime::Stream::from_pool(machine.runtime);
  for (auto _ : state) {
    const runtime::StreamScope guard = stream.make_current();
    benchmark::ClobberMemory();
  }
}
BENCHMARK(current_stream_switched_twice);

/// Simulated operations a second on two streams; one half are records and waits.
template <typename Work>
void simulated_operations(benchmark::State& state, Work work) {
  Machine machine(sim::make_driver({.profile = sim::profile("h100")}));
  const runtime::Stream streams[] = {runtime::Stream::from_pool(machine.runtime),
                                     runtime::Stream::from_pool(machine.runtime)};
  runtime::Event event;
  runtime::Buffer<int> memory(machine.runtime, 2, streams[0].raw());
  int turn = 0;
  for (auto _ : state) {
    const runtime::Stream& stream = streams[turn % 2];
    work(*machine.device, memory.data() + turn % 2, stream.raw());
    work(*machine.device, memory.data() + turn % 2, stream.raw());
    event.record(stream);
    event.wait(streams[(turn + 1) % 2]);
    if (++turn % 1024 == 0) static_cast<void>(machine.device->synchronize());
  }
  state.SetItemsProcessed(4 * state.iterations());
}

/// Work that touches no memory: the race detector has nothing to look at.
void simulated_operations_without_races(benchmark::State& state) {
  simulated_operations(state, [](device::Device& device, int*, device::Stream stream) {
    static_cast<void>(device::launch(device, device::kernels::Spin{1}, 1, stream));
  });
}
BENCHMARK(simulated_operations_without_races);

void simulated_operations_with_races(benchmark::State& state) {
  simulated_operations(state, [](device::Device& device, int* memory, device::Stream stream) {
    static_cast<void>(device::launch(device, device::kernels::Fill<std::int32_t>{memory, 1}, 1, stream));
  });
}
BENCHMARK(simulated_operations_with_races);

}  // namespace

BENCHMARK_MAIN();
