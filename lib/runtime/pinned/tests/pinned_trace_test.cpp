#include <array>
#include <gtest/gtest.h>
#include <istream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/caching/tests/allocator_trace.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {
namespace {

constexpr std::uint64_t step_ns = 100'000;      ///< that the host takes for a step
constexpr std::uint64_t busy_ns = 300'000'000;  ///< of a stream's long work; no trace waits that long

/// In the order of the file's columns.
using PinnedFigures = std::array<std::int64_t, 10>;
constexpr std::size_t num_host_alloc = 8;
constexpr std::size_t trace_count = 12;

struct PinnedStep {
  char call = ' ';
  int id = 0;  ///< of an allocation
  std::size_t bytes = 0;
  int place = 0;        ///< names the address; see the file
  bool is_new = false;  ///< the block was made for it
  std::size_t stream = 0;
  PinnedFigures after{};
  int line = 0;  ///< in the file
};

struct PinnedTrace {
  std::string name;
  std::string settings;
  std::vector<PinnedStep> steps;
};

PinnedStep read_step(char call, std::istream& in) {
  PinnedStep step;
  step.call = call;
  if (call == 'a') in >> step.id >> step.bytes >> step.place;
  if (call == 'f' || call == 'u') in >> step.id;
  if (call == 'u' || call == 'w') in >> step.stream;
  std::string bar;
  in >> bar;
  for (std::int64_t& figure : step.after) in >> figure;
  if (!in || bar != "|") throw std::runtime_error("a step is not well formed");
  return step;
}

const std::vector<PinnedTrace>& traces() {
  static const std::vector<PinnedTrace> loaded = [] {
    std::vector<PinnedTrace> all;
    read_lines(GPUCHECK_RUNTIME_FOLDER "/pinned/tests/data/pinned_traces.txt",
               [&](const std::string& word, std::istream& in, int number) {
                 if (word == "trace") {
                   in >> all.emplace_back().name >> all.back().settings;
                   return;
                 }
                 std::vector<PinnedStep>& steps = all.back().steps;
                 PinnedStep step = read_step(word[0], in);
                 step.line = number;
                 step.is_new = step.after[num_host_alloc] > (steps.empty() ? 0 : steps.back().after[num_host_alloc]);
                 steps.push_back(step);
               });
    return all;
  }();
  return loaded;
}

PinnedFigures figures_of(const PinnedStatistics& stats) {
  return {stats.allocations.current,  stats.allocated_bytes.current, stats.active_requests.current,
          stats.active_bytes.current, stats.allocations.peak,        stats.allocated_bytes.peak,
          stats.active_requests.peak, stats.active_bytes.peak,       stats.num_host_alloc,
          stats.num_host_free};
}

/// Plays a trace's calls on a simulated H100.
class Player {
 public:
  explicit Player(const PinnedTrace& trace) {
    streams_ = {machine_.default_stream(), machine_.side_stream(), machine_.side_stream()};
    if (trace.settings != "-") machine_.runtime().set_settings(trace.settings);
  }

  PinnedAllocator& allocator() { return machine_.runtime().pinned_allocator(); }

  void play(const PinnedStep& step) {
    machine_.driver().advance(step_ns);
    switch (step.call) {
      case 'a':
        allocate(step);
        break;
      case 'f':
        allocator().free(live_.at(step.id).context);
        live_.erase(step.id);
        break;
      case 'u':
        EXPECT_TRUE(
            allocator().record_event(live_.at(step.id).pointer, live_.at(step.id).context, streams_[step.stream]));
        break;
      case 'w':
        EXPECT_EQ(device::launch(machine_.device(), device::kernels::Spin{busy_ns}, 1, streams_[step.stream]),
                  device::Status::success);
        break;
      case 'e':
        allocator().empty_cache();
        break;
      case 'k':
        allocator().reset_peak_stats();
        break;
      case 'z':
        allocator().reset_accumulated_stats();
        break;
      default:
        EXPECT_EQ(machine_.device().synchronize(), device::Status::success);
    }
  }

 private:
  void allocate(const PinnedStep& step) {
    const PinnedAllocator::Allocation made = allocator().allocate(step.bytes, machine_.default_stream());
    live_[step.id] = made;
    if (step.is_new) {
      places_[step.place] = made.pointer;
    } else {
      EXPECT_EQ(made.pointer, places_.at(step.place)) << "another block was reused in line " << step.line;
    }
  }

  Simulated machine_;
  std::vector<device::Stream> streams_;
  std::unordered_map<int, PinnedAllocator::Allocation> live_;
  std::unordered_map<int, void*> places_;
};

class PinnedTraceReplay : public testing::TestWithParam<std::size_t> {};

TEST_P(PinnedTraceReplay, EveryFigureAfterEveryStepIsPyTorchs) {
  ASSERT_EQ(traces().size(), trace_count);
  const PinnedTrace& trace = traces()[GetParam()];
  ASSERT_EQ(trace.steps.size(), 500U);
  Player player(trace);
  for (const PinnedStep& step : trace.steps) {
    player.play(step);
    ASSERT_EQ(figures_of(player.allocator().stats()), step.after) << "line " << step.line;
  }
}

std::string name_of_trace(const testing::TestParamInfo<std::size_t>& parameter) {
  return traces().at(parameter.param).name;
}

INSTANTIATE_TEST_SUITE_P(PyTorch, PinnedTraceReplay, testing::Range(std::size_t{0}, trace_count), name_of_trace);

}  // namespace
}  // namespace gpucheck::runtime::test
