#include <array>
#include <gtest/gtest.h>
#include <random>

#include "device/sim/sim_driver.hpp"
#include "replay/analysis/compare.hpp"
#include "replay/formats/file.hpp"
#include "replay/recorded/recorded_files.hpp"
#include "replay/targets/make_target.hpp"
#include "test_files.hpp"

namespace gpucheck::replay {
namespace {

/// A file of traces recorded with PyTorch, and how much is in it when it is whole.
struct TraceFile {
  const char* name;
  std::size_t traces;
  std::size_t steps;
  std::size_t recorded_steps;  ///< those that say what PyTorch reported
  std::size_t width;           ///< statistics after each
};
constexpr std::array trace_files{
    TraceFile{"pytorch_caching.json", 17, 21'100, 21'100, 11}, TraceFile{"pytorch_pools.json", 16, 9'626, 9'626, 11},
    TraceFile{"pytorch_graphs.json", 12, 6'488, 6'052, 11}, TraceFile{"pytorch_pinned.json", 12, 6'000, 6'000, 10}};
constexpr std::size_t trace_count = 17 + 16 + 12 + 12;

std::filesystem::path recorded_file(const std::string& name) { return test_file("../../recorded/" + name); }

const std::vector<Trace>& traces() {
  static const std::vector<Trace> loaded = [] {
    std::vector<Trace> all;
    for (const TraceFile& file : trace_files) {
      std::ranges::move(std::get<std::vector<Trace>>(read_file(recorded_file(file.name))), std::back_inserter(all));
    }
    return all;
  }();
  return loaded;
}

TEST(RecordedTraceFiles, AreBuiltIn) {
  ASSERT_EQ(recorded_files().size(), trace_files.size());
  for (const RecordedFile& file : recorded_files()) {
    EXPECT_EQ(file.content, bytes_of("../../recorded/" + std::string(file.name)));
  }
}

TEST(RecordedTraceFiles, AreWhole) {
  for (const TraceFile& file : trace_files) {
    const auto loaded = std::get<std::vector<Trace>>(read_file(recorded_file(file.name)));
    EXPECT_EQ(loaded.size(), file.traces) << file.name;
    std::size_t steps = 0;
    std::size_t recorded_steps = 0;
    for (const Trace& trace : loaded) {
      steps += trace.events.size();
      recorded_steps += trace.events.size() - trace.unrecorded_steps.size();
      EXPECT_EQ(trace.statistic_columns.size(), file.width) << trace.name;
      EXPECT_EQ(trace.expected_statistics.size(), trace.events.size() * file.width) << trace.name;
      const bool is_pinned = trace.memory == MemoryKind::pinned;
      EXPECT_EQ(trace.final_statistics.size(), is_pinned ? 0U : 122U) << trace.name;
      EXPECT_EQ(trace.final_segments.has_value(), !is_pinned) << trace.name;
    }
    EXPECT_EQ(steps, file.steps) << file.name;
    EXPECT_EQ(recorded_steps, file.recorded_steps) << file.name;
  }
  EXPECT_EQ(traces().size(), trace_count);
}

Comparison play(const Trace& trace) {
  const auto driver = sim::make_driver({.profile = sim::profile("h100")});
  const auto device = driver->open(0).value();
  const auto target = make_comparable_target(trace, *device, options_of(trace));
  return compare(trace, *target);
}

class RecordedTraces : public testing::TestWithParam<std::size_t> {
 protected:
  const Trace& trace() const { return traces()[GetParam()]; }
};

TEST_P(RecordedTraces, EveryStatisticAfterEveryStepIsPyTorchs) {
  const Comparison result = play(trace());
  EXPECT_TRUE(result.equal());
  EXPECT_EQ(result.equal_steps, result.compared_steps);
  EXPECT_GE(result.compared_steps, trace().events.size() - trace().unrecorded_steps.size());
  for (const Difference& difference : result.first_differences) {
    ADD_FAILURE() << "step " << difference.step << ", " << difference.statistic << ": expected " << difference.expected
                  << ", seen " << difference.seen;
  }
  for (const FinalDifference& difference : result.final_differences) {
    ADD_FAILURE() << difference.what << ": expected " << difference.expected << ", seen " << difference.seen;
  }
}

TEST_P(RecordedTraces, AnyExpectedNumberThatIsOneOffIsNoticed) {
  Trace changed = trace();
  std::mt19937_64 random(GetParam());
  const std::size_t width = changed.statistic_columns.size();
  std::size_t place = random() % changed.expected_statistics.size();
  while (std::ranges::binary_search(changed.unrecorded_steps, place / width)) {
    place = random() % changed.expected_statistics.size();
  }
  ++changed.expected_statistics[place];
  const Comparison result = play(changed);
  EXPECT_EQ(result.equal_steps + 1, result.compared_steps);
  ASSERT_EQ(result.first_differences.size(), 1U);
  EXPECT_EQ(result.first_differences[0].step, place / width);
  EXPECT_EQ(result.first_differences[0].statistic,
            statistic_names_of(changed.memory)[changed.statistic_columns[place % width]]);
}

std::string name_of_trace(const testing::TestParamInfo<std::size_t>& parameter) {
  return traces().at(parameter.param).name;
}

INSTANTIATE_TEST_SUITE_P(PyTorch, RecordedTraces, testing::Range(std::size_t{0}, trace_count), name_of_trace);

TEST(RecordedTraces, TheEndIsComparedToo) {
  for (const std::size_t index : {std::size_t{0}, std::size_t{17}, std::size_t{33}}) {
    const Trace& trace = traces()[index];
    Trace other_statistic = trace;
    ++other_statistic.final_statistics[7].second;
    EXPECT_EQ(play(other_statistic).final_difference_count, 1U) << trace.name;
    ASSERT_GT(trace.final_segments.value().size(), 0U) << trace.name;
    Trace other_segment = trace;
    ++other_segment.final_segments.value().back().blocks.back().requested_size;
    EXPECT_EQ(play(other_segment).final_difference_count, 1U) << trace.name;
  }
}

TEST(RecordedTraces, WhichPinnedBlockIsUsedAgainIsCompared) {
  Trace changed = traces().back();
  std::size_t reused = 0;  // an allocation of a block that another had before
  while (changed.expected_same_address.at(reused) == reused) ++reused;
  ASSERT_GT(changed.expected_same_address[reused], 0U);
  --changed.expected_same_address[reused];
  const Comparison result = play(changed);
  EXPECT_EQ(result.equal_steps + 1, result.compared_steps);
  ASSERT_EQ(result.first_differences.size(), 1U);
  EXPECT_EQ(result.first_differences[0].statistic, "same_address_as");
}

}  // namespace
}  // namespace gpucheck::replay
