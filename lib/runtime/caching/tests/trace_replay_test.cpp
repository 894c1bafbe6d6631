#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <unordered_map>

#include "runtime/caching/tests/allocator_trace.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {
namespace {

constexpr int trace_count = 17 + 16 + 12;

/// A file of traces, and how much is in it when it is whole.
struct TraceFile {
  const char* path;
  std::size_t traces;
  std::size_t steps;
};
constexpr std::array trace_files{
    TraceFile{GPUCHECK_RUNTIME_FOLDER "/caching/tests/data/allocator_traces.txt", 17, 21'100},
    TraceFile{GPUCHECK_RUNTIME_FOLDER "/caching/tests/data/pool_traces.txt", 16, 9'626},
    TraceFile{GPUCHECK_RUNTIME_FOLDER "/caching/tests/data/graph_traces.txt", 12, 6'488}};

const std::vector<AllocatorTrace>& traces() {
  static const std::vector<AllocatorTrace> loaded = [] {
    std::vector<AllocatorTrace> all;
    for (const TraceFile& file : trace_files) std::ranges::move(load_traces(file.path), std::back_inserter(all));
    return all;
  }();
  return loaded;
}

TEST(TraceFiles, AreWhole) {
  for (const TraceFile& file : trace_files) {
    const std::vector<AllocatorTrace> loaded = load_traces(file.path);
    EXPECT_EQ(loaded.size(), file.traces) << file.path;
    std::size_t steps = 0;
    for (const AllocatorTrace& trace : loaded) steps += trace.steps.size();
    EXPECT_EQ(steps, file.steps) << file.path;
  }
  EXPECT_EQ(traces().size(), trace_count);
}

TracedFigures figures_of(const MemoryStatistics& stats) {
  return {stats.allocated_bytes.all.current,
          stats.reserved_bytes.all.current,
          stats.active_bytes.all.current,
          stats.inactive_split_bytes.all.current,
          stats.requested_bytes.all.current,
          stats.segment.all.current,
          stats.allocation.all.current,
          stats.active.all.current,
          stats.inactive_split.all.current,
          stats.num_alloc_retries,
          stats.num_ooms};
}

/// Plays a trace's calls against an allocator on a simulated H100.
class Player {
 public:
  explicit Player(const AllocatorTrace& trace) {
    streams_.push_back(machine_.default_stream());
    while (streams_.size() < trace.streams) streams_.push_back(machine_.side_stream());
    allocator().set_settings(trace.settings);
    if (trace.limit_bytes > 0) set_limit(trace.limit_bytes);
  }

  CachingAllocator& allocator() { return machine_.allocator(); }
  device::Stream stream(std::size_t index) const { return streams_.at(index); }

  /// Returns whether an allocation ran out of memory.
  bool play(const TracedStep& step) {
    // The host takes its time, so that what is recorded on an idle stream is complete.
    machine_.driver().advance(100'000);
    switch (step.call) {
      case 'a':
        return !allocate(step);
      case 'f':
        allocator().free(live_.at(step.id));
        live_.erase(step.id);
        break;
      case 'r':
        allocator().record_stream(live_.at(step.id), stream(step.stream));
        break;
      case 'e':
        allocator().empty_cache();
        break;
      case 'm':
        pools_[step.id] = graph_pool_handle();
        allocator().retain_pool(pools_[step.id],
                                {.use_on_out_of_memory = step.text == "o", .no_split = step.text == "n"});
        break;
      case 'd':
        allocator().release_pool(pools_.at(step.id));
        allocator().empty_cache(pools_.at(step.id));
        break;
      case 'b':
        allocator().begin_allocate_to_pool(pools_.at(step.id), on_this_thread());
        break;
      case 'n':
        allocator().end_allocate_to_pool(pools_.at(step.id));
        allocator().release_pool(pools_.at(step.id));
        break;
      case 'g': {
        const CurrentStreamGuard on_side_stream(machine_.runtime(), stream(1));
        Graph& graph = *(graphs_[step.id] = std::make_unique<Graph>(machine_.runtime()));
        graph.capture_begin(step.other < 0 ? PoolId{} : graphs_.at(step.other)->pool(), device::CaptureMode::relaxed);
        capturing_ = &graph;
        break;
      }
      case 'G': {
        const CurrentStreamGuard on_side_stream(machine_.runtime(), stream(1));
        capturing_->capture_end();
        break;
      }
      case 'p':
        graphs_.at(step.id)->replay();
        EXPECT_EQ(machine_.device().synchronize(), device::Status::success);
        break;
      case 'x':
        graphs_.erase(step.id);
        break;
      case 'k':
        allocator().reset_peak_stats();
        break;
      case 'z':
        allocator().reset_accumulated_stats();
        break;
      case 'l':
        set_limit(step.bytes);
        break;
      case 'c':
        allocator().set_settings(step.text);
        break;
      default:
        EXPECT_EQ(machine_.device().synchronize(), device::Status::success);
    }
    return false;
  }

 private:
  void set_limit(std::uint64_t bytes) {
    const auto total = static_cast<double>(machine_.device().properties().total_memory_bytes);
    allocator().set_memory_fraction(bytes == 0 ? 1.0 : static_cast<double>(bytes) / total);
  }

  bool allocate(const TracedStep& step) {
    try {
      live_[step.id] = allocator().allocate(step.bytes, stream(step.stream));
      return true;
    } catch (const OutOfMemoryError&) {
      return false;
    }
  }

  Simulated machine_;
  std::vector<device::Stream> streams_;
  std::unordered_map<int, void*> live_;
  std::unordered_map<int, PoolId> pools_;
  std::unordered_map<int, std::unique_ptr<Graph>> graphs_;
  Graph* capturing_ = nullptr;
};

std::vector<TracedSegment> segments_of(Player& player) {
  std::vector<TracedSegment> result;
  for (const SegmentInfo& segment : player.allocator().snapshot()) {
    TracedSegment traced{segment.total_size, segment.stream == player.stream(0), segment.is_large, {}};
    for (const BlockInfo& block : segment.blocks) {
      EXPECT_NE(block.state, BlockState::active_pending_free);
      traced.blocks.push_back({block.size, block.requested_size, block.state == BlockState::active_allocated});
    }
    result.push_back(std::move(traced));
  }
  std::ranges::sort(result);
  return result;
}

class TraceReplay : public testing::TestWithParam<int> {};

TEST_P(TraceReplay, EveryFigureAfterEveryStepIsPyTorchs) {
  const AllocatorTrace& trace = traces()[static_cast<std::size_t>(GetParam())];
  Player player(trace);
  for (const TracedStep& step : trace.steps) {
    const bool out_of_memory = player.play(step);
    ASSERT_EQ(out_of_memory, step.out_of_memory) << trace.name << ", line " << step.line;
    if (!step.is_recorded) continue;
    const TracedFigures seen = figures_of(player.allocator().stats());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      ASSERT_EQ(seen[i], step.after[i]) << traced_names[i] << " in " << trace.name << ", line " << step.line;
    }
  }
  for (const auto& [key, value] : flatten(player.allocator().stats())) {
    const auto expected = trace.final_statistics.find(key);
    EXPECT_EQ(value, expected == trace.final_statistics.end() ? 0 : expected->second) << key << " of " << trace.name;
  }
  std::vector<TracedSegment> expected = trace.final_segments;
  std::ranges::sort(expected);
  EXPECT_EQ(segments_of(player), expected) << trace.name;
}

std::string name_of_trace(const testing::TestParamInfo<int>& parameter) {
  return traces().at(static_cast<std::size_t>(parameter.param)).name;
}

INSTANTIATE_TEST_SUITE_P(PyTorch, TraceReplay, testing::Range(0, trace_count), name_of_trace);

}  // namespace
}  // namespace gpucheck::runtime::test
