#include <benchmark/benchmark.h>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "device/sim/sim_driver.hpp"
#include "observe/history/memory_history.hpp"
#include "runtime/runtime.hpp"

/// What recording costs an allocation and a free: the loops of the allocator's own
/// benchmark, without history, with events, and with stacks. Argument 0 says which.
namespace {

using namespace gpucheck;

enum class Mode : std::int64_t { none, events, stacks };

struct Machine {
  explicit Machine(std::int64_t mode) {
    if (mode == static_cast<std::int64_t>(Mode::none)) return;
    // 100,000 events fill the ring in the first milliseconds: what is timed is the steady state.
    history.record({.context = mode == static_cast<std::int64_t>(Mode::stacks) ? observe::ContextLevel::all
                                                                               : observe::ContextLevel::none,
                    .max_entries = 100'000});
  }
  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("h100")});
  std::unique_ptr<device::Device> device = driver->open(0).value();
  runtime::Runtime runtime{*device};
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  observe::MemoryHistory history{allocator, 0};
  device::Stream stream = device->default_stream();
};

void allocate_and_free(benchmark::State& state) {
  Machine machine(state.range(0));
  for (auto _ : state) {
    void* pointer = machine.allocator.allocate(512, machine.stream);
    benchmark::DoNotOptimize(pointer);
    machine.allocator.free(pointer);
  }
}
BENCHMARK(allocate_and_free)->DenseRange(0, 2);

/// Frees a random block of 1,000 and allocates one of 512 B to 2 MiB in its place.
void random_churn(benchmark::State& state) {
  Machine machine(state.range(0));
  std::mt19937_64 random(1);
  const auto size = [&random] {
    const double uniform = static_cast<double>(random() >> 11U) * 0x1p-53;
    return static_cast<std::size_t>(512 * std::exp2(uniform * 12));
  };
  std::vector<void*> live(1'000);
  for (void*& pointer : live) pointer = machine.allocator.allocate(size(), machine.stream);
  for (auto _ : state) {
    void*& pointer = live[random() % live.size()];
    machine.allocator.free(pointer);
    pointer = machine.allocator.allocate(size(), machine.stream);
  }
}
BENCHMARK(random_churn)->DenseRange(0, 2);

}  // namespace

BENCHMARK_MAIN();
