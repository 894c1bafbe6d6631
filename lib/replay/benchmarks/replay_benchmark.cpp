// How fast files are read and events are played. "bytes_per_second" is the file's,
// "items_per_second" events.
#include <benchmark/benchmark.h>
#include <random>
#include <string>

#include "device/sim/sim_driver.hpp"
#include "replay/replay.hpp"

namespace gpucheck::replay {
namespace {

using namespace std::string_literals;

constexpr std::size_t snapshot_events = 50'000;
constexpr std::size_t trace_events = 100'000;

/// A program that keeps up to 200 blocks of 1 B to 2 MiB.
std::vector<Event> churn(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<Event> events;
  std::vector<std::uint32_t> live;
  std::uint32_t next = 0;
  while (events.size() < count) {
    if (live.size() < 200 && random() % 2 == 0) {
      events.push_back({1 + random() % (2U << 20), next, 0, Action::allocate, false});
      live.push_back(next++);
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      events.push_back({0, live.back(), 0, Action::free, false});
      live.pop_back();
    }
  }
  return events;
}

Trace churn_trace(std::size_t count) {
  Trace trace;
  trace.name = "churn";
  trace.events = churn(count);
  trace.allocation_count = static_cast<std::uint32_t>(count);
  return trace;
}

std::string trace_json(std::size_t count) {
  std::string operations;
  std::string rows;
  for (const Event& event : churn(count)) {
    const std::string id = std::to_string(event.id);
    operations += event.action == Action::free
                      ? R"({"op":"free","id":)" + id + "},"
                      : R"({"op":"alloc","id":)" + id + R"(,"size":)" + std::to_string(event.size) +
                            R"(,"stream":0,"same_address_as":)" + id + "},";
    rows += "[123456789,234567890,123456789,3456789,123456700,50,150,150,40,0,0],";
  }
  operations.pop_back();
  rows.pop_back();
  std::string keys;
  for (const std::string_view name : statistic_names) keys += '"' + std::string(name) + "\",";
  keys.pop_back();
  return R"([{"name":"churn","streams":1,"stat_keys":[)" + keys + R"(],"ops":[)" + operations +
         R"(],"stats_after_op":[)" + rows + "]}]";
}

/// Events with stacks of four frames, as json.dump writes them.
std::string snapshot_json(std::size_t count) {
  const std::string frame =
      R"({"name": "forward", "filename": "/usr/lib/python3/torch/nn/modules/linear.py", "line": 117})";
  const std::string frames = "[" + frame + ", " + frame + ", " + frame + ", " + frame + "]";
  std::string events;
  for (std::size_t i = 0; i < count; ++i) {
    events += R"({"action": ")" + std::string(i % 2 == 0 ? "alloc" : "free_completed") + R"(", "addr": )" +
              std::to_string(140204507660288 + 512 * (i / 2)) + R"(, "size": 65536, "stream": 0, "time_us": )" +
              std::to_string(1795219122942271 + i) + R"(, "compile_context": "N/A", "user_metadata": "", "frames": )" +
              frames + "}, ";
  }
  events.resize(events.size() - 2);
  return R"({"segments": [], "device_traces": [[)" + events + "]]}";
}

void append_number(std::string& bytes, std::uint64_t number, int width) {
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
}
void append_text(std::string& bytes, std::string_view text) {
  bytes += '\x8c';
  append_number(bytes, text.size(), 1);
  bytes += text;
}

/// The same events as Python's pickle writes them: keys and the stack by memo.
std::string snapshot_pickle(std::size_t count) {
  std::string bytes = "\x80\x04}("s;
  append_text(bytes, "unused");
  bytes += "(";
  constexpr std::array<std::string_view, 5> keys{"action", "addr", "size", "stream", "time_us"};
  for (const std::string_view key : keys) append_text(bytes, key), bytes += '\x94';
  append_text(bytes, "alloc"), bytes += '\x94';
  append_text(bytes, "free_completed"), bytes += '\x94';
  append_text(bytes, "frames"), bytes += '\x94';
  bytes += "}\x94l";
  append_text(bytes, "segments");
  bytes += "]";
  append_text(bytes, "device_traces");
  bytes += "](](";
  for (std::size_t i = 0; i < count; ++i) {
    bytes += "}\x94(h\0h"s + static_cast<char>(5 + i % 2) + "h\x01\x8a\x06"s;
    append_number(bytes, 140204507660288 + 512 * (i / 2), 6);
    bytes += "h\x02J\0\0\x01\0h\x03K\0h\x04\x8a\x07"s;
    append_number(bytes, 1795219122942271 + i, 7);
    bytes += "h\x07](";
    for (int frame = 0; frame < 20; ++frame) bytes += "h\x08";
    bytes += "eu";
  }
  return bytes + "eeu.";
}

void read(benchmark::State& state, const std::string& bytes, std::size_t events) {
  for (auto _ : state) benchmark::DoNotOptimize(read_bytes("benchmark", bytes));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(events));
}
void read_trace_json(benchmark::State& state) { read(state, trace_json(trace_events), trace_events); }
void read_snapshot_json(benchmark::State& state) { read(state, snapshot_json(snapshot_events), snapshot_events); }
void read_snapshot_pickle(benchmark::State& state) { read(state, snapshot_pickle(snapshot_events), snapshot_events); }

void convert_snapshot(benchmark::State& state) {
  const FileContent content = read_bytes("benchmark", snapshot_pickle(snapshot_events));
  for (auto _ : state) benchmark::DoNotOptimize(convert(std::get<Snapshot>(content), 0));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(snapshot_events));
}

/// An allocator that costs nothing: what is left is the player.
class FreeOfCharge final : public ComparableTarget {
 public:
  Allocation allocate(std::uint64_t, std::uint16_t) override { return {this, false}; }
  void free(void*) override {}
  void record_stream(void*, std::uint16_t) override {}
  void synchronize() override {}
  void empty_cache() override {}
  Usage usage() override { return {}; }
  StepStatistics step_statistics() override { return statistics_; }
  std::vector<NamedStatistic> statistics() override { return {}; }
  std::vector<SegmentLayout> segments() override { return {}; }

 private:
  StepStatistics statistics_{};
};

Trace expecting_zeros(Trace trace) {
  for (std::uint8_t column = 0; column < statistic_names.size(); ++column) trace.statistic_columns.push_back(column);
  trace.expected_statistics.assign(trace.events.size() * statistic_names.size(), 0);
  return trace;
}

void count_events(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(trace_events));
}

void play_without_an_allocator(benchmark::State& state) {
  const Trace trace = expecting_zeros(churn_trace(trace_events));
  FreeOfCharge target;
  for (auto _ : state) benchmark::DoNotOptimize(compare(trace, target));
  count_events(state);
}

/// On a simulated device; the first playing fills the cache.
template <typename Play>
void play_caching_allocator(benchmark::State& state, const Trace& trace, Play&& play) {
  const auto driver = sim::make_driver({sim::profile("h100"), 0, 1});
  const auto device = driver->open(0).value();
  CachingAllocatorTarget target(*device, {});
  for (auto _ : state) benchmark::DoNotOptimize(play(trace, target));
  count_events(state);
}
void compare_caching_allocator(benchmark::State& state) {
  play_caching_allocator(state, expecting_zeros(churn_trace(trace_events)), compare);
}
void what_if_caching_allocator(benchmark::State& state) {
  play_caching_allocator(state, churn_trace(trace_events),
                         [](const Trace& trace, TraceTarget& target) { return what_if(trace, target); });
}

/// From the file's bytes to the comparison of every statistic, as `gpucheck replay` does it. The
/// statistics are not PyTorch's, so every step differs.
void read_and_compare_trace_json(benchmark::State& state) {
  const std::string bytes = trace_json(trace_events);
  play_caching_allocator(state, {}, [&bytes](const Trace&, ComparableTarget& target) {
    return compare(std::get<std::vector<Trace>>(read_bytes("benchmark", bytes)).at(0), target);
  });
}
/// From the file's bytes to the statistics of a what-if.
void read_and_play_snapshot(benchmark::State& state, const std::string& bytes) {
  const auto driver = sim::make_driver({sim::profile("h100"), 0, 1});
  const auto device = driver->open(0).value();
  CachingAllocatorTarget target(*device, {});
  for (auto _ : state) {
    const FileContent content = read_bytes("benchmark", bytes);
    benchmark::DoNotOptimize(what_if(convert(std::get<Snapshot>(content), 0).trace, target));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(snapshot_events));
}
void read_and_play_snapshot_json(benchmark::State& state) {
  read_and_play_snapshot(state, snapshot_json(snapshot_events));
}
void read_and_play_snapshot_pickle(benchmark::State& state) {
  read_and_play_snapshot(state, snapshot_pickle(snapshot_events));
}

BENCHMARK(read_trace_json)->Unit(benchmark::kMillisecond);
BENCHMARK(read_snapshot_json)->Unit(benchmark::kMillisecond);
BENCHMARK(read_snapshot_pickle)->Unit(benchmark::kMillisecond);
BENCHMARK(convert_snapshot)->Unit(benchmark::kMillisecond);
BENCHMARK(play_without_an_allocator)->Unit(benchmark::kMillisecond);
BENCHMARK(compare_caching_allocator)->Unit(benchmark::kMillisecond);
BENCHMARK(what_if_caching_allocator)->Unit(benchmark::kMillisecond);
BENCHMARK(read_and_compare_trace_json)->Unit(benchmark::kMillisecond);
BENCHMARK(read_and_play_snapshot_json)->Unit(benchmark::kMillisecond);
BENCHMARK(read_and_play_snapshot_pickle)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gpucheck::replay

BENCHMARK_MAIN();
