// How long advice takes: one play, and a whole search. "items_per_second" are events played;
// "settings_times_faster" is how many times faster the search is than playing all settings of
// the search space to their end, one after the other.
#include <benchmark/benchmark.h>
#include <chrono>
#include <random>
#include <thread>

#include "base/text/units.hpp"
#include "device/sim/sim_driver.hpp"
#include "replay/advice/search/search.hpp"

namespace gpucheck::replay {
namespace {

DeviceSource simulated_devices() {
  return {DeviceSource::Sizes{80_GiB, 1000_GiB}, [](std::optional<std::uint64_t> bytes) {
            sim::Profile profile = sim::profile("h100");
            profile.properties.total_memory_bytes = bytes.value() + profile.reserved_memory_bytes;
            PlayedDevice played{sim::make_driver({.profile = profile}), nullptr, "sim", "", true};
            played.device = played.driver->open(0).value();
            return played;
          }};
}

/// A training on texts of random lengths: parameters that stay, and in each step activations
/// of sizes that depend on the text, freed in reverse order, with scratch memory in between.
class Training {
 public:
  Trace run(std::size_t event_count) {
    for (int i = 0; i < 60; ++i) allocate((4 + random_() % 30) * 1_MiB / 2);
    while (trace_.events.size() < event_count) step();
    trace_.name = "training";
    reuse_allocation_numbers(trace_);
    return std::move(trace_);
  }

 private:
  std::uint32_t allocate(std::uint64_t bytes) {
    trace_.events.push_back({bytes, trace_.allocation_count, 0, Action::allocate, false});
    return trace_.allocation_count++;
  }
  void free(std::uint32_t id) { trace_.events.push_back({0, id, 0, Action::free, false}); }

  void step() {
    const std::uint64_t length = 32 + random_() % 668;
    const std::uint64_t texts = 2 + random_() % 7;
    std::vector<std::uint32_t> kept;
    for (int layer = 0; layer < 12; ++layer) {
      kept.push_back(allocate(texts * length * 2048));
      const std::uint32_t scratch = allocate(texts * length * length * 32);
      kept.push_back(allocate(texts * length * length * 32));
      kept.push_back(allocate(texts * length * 8192));
      free(scratch);
      for (int i = 0; i < 3; ++i) kept.push_back(allocate(100 + random_() % 9000));
    }
    for (; !kept.empty(); kept.pop_back()) {
      const std::uint32_t scratch = allocate(texts * length * 2048);
      free(kept.back());
      free(scratch);
    }
  }

  std::mt19937_64 random_{1};
  Trace trace_;
};

void count_events(benchmark::State& state, std::uint64_t events) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(events));
}

void play_training(benchmark::State& state, const char* settings) {
  const Trace trace = Training().run(1'000'000);
  const DeviceSource devices = simulated_devices();
  for (auto _ : state) {
    benchmark::DoNotOptimize(play(trace, {.settings = settings, .memory_limit_bytes = 40_GiB}, devices));
  }
  count_events(state, trace.events.size());
}

void search_training(benchmark::State& state) {
  using Clock = std::chrono::steady_clock;
  const Trace trace = Training().run(static_cast<std::size_t>(state.range(0)));
  const SearchOptions options{.references = {"", "expandable_segments:True"},
                              .devices = simulated_devices(),
                              .threads = std::max(std::thread::hardware_concurrency(), 1U)};
  auto begin = Clock::now();
  static_cast<void>(play(trace, {}, options.devices));
  const std::chrono::duration<double> one_play = Clock::now() - begin;
  begin = Clock::now();
  for (auto _ : state) benchmark::DoNotOptimize(search_settings(trace, options));
  const std::chrono::duration<double> searched = Clock::now() - begin;
  const auto count = static_cast<double>(options.candidates.size() + options.references.size());
  state.counters["settings_times_faster"] =
      one_play.count() * count * static_cast<double>(state.iterations()) / searched.count();
  state.counters["settings"] = count;
}

BENCHMARK_CAPTURE(play_training, defaults, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(play_training, expandable, "expandable_segments:True")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(play_training, collection, "garbage_collection_threshold:0.8")->Unit(benchmark::kMillisecond);
BENCHMARK(search_training)->Arg(100'000)->Arg(1'000'000)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gpucheck::replay

BENCHMARK_MAIN();
