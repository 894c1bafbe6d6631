#include <benchmark/benchmark.h>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "device/sim/sim_driver.hpp"
#include "runtime/runtime.hpp"

/// Host cost of the caching allocator. The simulated device serves the few requests that
/// reach a device, so that what is timed is the allocator alone.
namespace {

using namespace gpucheck;

struct Machine {
  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("h100")});
  std::unique_ptr<device::Device> device = driver->open(0).value();
  runtime::Runtime runtime{*device};
  device::Stream stream = device->default_stream();
};

/// Allocates and frees one cached block.
void cached_block(benchmark::State& state) {
  Machine machine;
  runtime::CachingAllocator& allocator = machine.runtime.caching_allocator();
  const auto bytes = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    void* pointer = allocator.allocate(bytes, machine.stream);
    benchmark::DoNotOptimize(pointer);
    allocator.free(pointer);
  }
}
BENCHMARK(cached_block)->Arg(512)->Arg(1 << 20)->Arg(20 << 20)->Arg(200 << 20);

/// Frees a random block and allocates one of 512 B to 2 MiB, log-uniform, in its place.
void random_churn(benchmark::State& state) {
  Machine machine;
  runtime::CachingAllocator& allocator = machine.runtime.caching_allocator();
  std::mt19937_64 random(1);
  const auto size = [&random] {
    const double uniform = static_cast<double>(random() >> 11U) * 0x1p-53;
    return static_cast<std::size_t>(512 * std::exp2(uniform * 12));
  };
  std::vector<void*> live;
  for (std::int64_t i = 0; i < state.range(0); ++i) live.push_back(allocator.allocate(size(), machine.stream));
  const auto replace_one = [&] {
    void*& pointer = live[random() % live.size()];
    allocator.free(pointer);
    pointer = allocator.allocate(size(), machine.stream);
  };
  for (int i = 0; i < 50'000; ++i) replace_one();
  for (auto _ : state) replace_one();
  state.counters["bytes_per_block"] = static_cast<double>(allocator.bookkeeping_bytes()) /
                                      static_cast<double>(allocator.stats().allocation.all.current);
}
BENCHMARK(random_churn)->Arg(100)->Arg(1'000)->Arg(10'000);

/// The same draws without the allocator: what of `random_churn` is the loop itself.
void random_churn_loop_alone(benchmark::State& state) {
  std::mt19937_64 random(1);
  for (auto _ : state) {
    const double uniform = static_cast<double>(random() >> 11U) * 0x1p-53;
    benchmark::DoNotOptimize(random() % 10'000);
    benchmark::DoNotOptimize(static_cast<std::size_t>(512 * std::exp2(uniform * 12)));
  }
}
BENCHMARK(random_churn_loop_alone);

/// Each thread allocates and frees 4 KiB on a stream of its own.
void threads_on_own_streams(benchmark::State& state) {
  static Machine* machine = nullptr;
  if (state.thread_index() == 0) machine = new Machine;
  device::Stream stream;
  bool started = false;
  for (auto _ : state) {
    if (!started) {
      stream = machine->runtime.streams().next();
      started = true;
    }
    void* pointer = machine->runtime.caching_allocator().allocate(4096, stream);
    benchmark::DoNotOptimize(pointer);
    machine->runtime.caching_allocator().free(pointer);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
  if (state.thread_index() == 0) delete machine;
}
BENCHMARK(threads_on_own_streams)->ThreadRange(1, 8)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
