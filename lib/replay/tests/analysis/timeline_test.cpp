#include "replay/analysis/usage/timeline.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "replay/formats/file.hpp"
#include "replay/tests/snapshot_events.hpp"
#include "replay/tests/test_files.hpp"

namespace gpucheck::replay {
namespace {

using enum SnapshotAction;

Snapshot with_events(std::vector<SnapshotEvent> events) {
  Snapshot snapshot;
  snapshot.device_traces = {std::move(events)};
  return snapshot;
}

/// (address, size, allocated at, freed at) of each.
using Life = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t>;
std::vector<Life> lifetimes_in(const Snapshot& snapshot) {
  std::vector<Life> lives;
  for (const Lifetime& life : lifetimes_of(snapshot, 0)) {
    lives.emplace_back(life.address, life.size, life.allocated_at, life.freed_at);
  }
  return lives;
}

constexpr std::uint32_t before = Lifetime::before_first;
constexpr std::uint32_t never = Lifetime::never;

TEST(Lifetimes, LastFromTheAllocationToTheCompletedFree) {
  EXPECT_EQ(lifetimes_in(with_events({event(alloc, 1, 10), event(free_requested, 1, 10), event(alloc, 2, 20),
                                      event(free_completed, 1, 10)})),
            (std::vector<Life>{{1, 10, 0, 3}, {2, 20, 2, never}}));
  EXPECT_EQ(lifetimes_in(with_events({event(alloc, 1, 10), event(free_requested, 1, 10)})),
            (std::vector<Life>{{1, 10, 0, 1}}))
      << "no completions recorded";
}

TEST(Lifetimes, IncludeWhatWasThereBefore) {
  Snapshot snapshot = with_events({event(alloc, 300, 5), event(free_completed, 200, 7), event(free_completed, 200, 7)});
  snapshot.segments = {{100,
                        300,
                        0,
                        0,
                        {0, 0},
                        false,
                        false,
                        {{100, 100, 90, SnapshotBlockState::active_allocated, no_stack},
                         {200, 100, 0, SnapshotBlockState::inactive, no_stack},
                         {300, 100, 5, SnapshotBlockState::active_allocated, no_stack}}}};
  EXPECT_EQ(lifetimes_in(snapshot),
            (std::vector<Life>{{100, 90, before, never}, {200, 7, before, 1}, {300, 5, 0, never}}));
}

TEST(Lifetimes, AnAddressTakenAgainEndsTheFirst) {
  EXPECT_EQ(lifetimes_in(with_events({event(alloc, 1, 10), event(alloc, 1, 20)})),
            (std::vector<Life>{{1, 10, 0, 1}, {1, 20, 1, never}}));
}

TEST(Timeline, DrawsTheLargestAndSumsTheRest) {
  const Snapshot snapshot = with_events({event(segment_alloc, 0, 1000), event(alloc, 1, 500), event(alloc, 2, 10),
                                         event(alloc, 3, 20), event(free_completed, 3, 20), event(alloc, 4, 400),
                                         event(free_completed, 1, 500), event(out_of_memory, 77, 5000)});
  const Timeline timeline = timeline_of(snapshot, 0, 2, 0);
  ASSERT_EQ(timeline.bands.size(), 2U);
  EXPECT_EQ(timeline.rest_count, 2U);
  // Steps begin at events 1, 5 and 6, after the state before the first event.
  ASSERT_EQ(timeline.steps.size(), 4U);
  EXPECT_EQ(timeline.steps[0].reserved_bytes, 1000U) << "event 0 lies in step 0";
  EXPECT_EQ(timeline.steps[1].first_event, 1U);
  EXPECT_EQ(timeline.steps[1].rest_bytes, 30U) << "the highest of 0, 10, 30, 10";
  EXPECT_EQ(timeline.steps[2].rest_bytes, 10U);
  EXPECT_EQ(timeline.bands[0].first_step, 1U);
  EXPECT_EQ(timeline.bands[0].end_step, 3U);
  EXPECT_EQ(timeline.bands[1].first_step, 2U);
  EXPECT_EQ(timeline.bands[1].end_step, 4U) << "never freed";
  ASSERT_EQ(timeline.out_of_memory.size(), 1U);
  EXPECT_EQ(timeline.out_of_memory[0].step, 3U);
  EXPECT_EQ(timeline.out_of_memory[0].size, 5000U);
  EXPECT_EQ(timeline.out_of_memory[0].device_free, 77U);
}

TEST(Timeline, AStepShowsTheMostOfWhatComesAndGoesInIt) {
  // Two that are drawn begin the steps; between them the rest comes and goes again.
  const Snapshot snapshot =
      with_events({event(alloc, 1, 1000), event(segment_alloc, 5000, 64), event(alloc, 2, 10), event(alloc, 3, 20),
                   event(free_completed, 2, 10), event(free_completed, 3, 20), event(segment_free, 5000, 64),
                   event(alloc, 4, 999)});
  const Timeline timeline = timeline_of(snapshot, 0, 2, 0);
  ASSERT_EQ(timeline.steps.size(), 3U);
  EXPECT_EQ(timeline.steps[1].rest_bytes, 30U) << "the highest of 0, 10, 30, 20, 0";
  EXPECT_EQ(timeline.steps[1].reserved_bytes, 64U);
  EXPECT_EQ(timeline.steps[2].rest_bytes, 0U);
  EXPECT_EQ(timeline.steps[2].reserved_bytes, 0U);
}

TEST(Timeline, AnEventMayEndOneAllocationAndBeginAnother) {
  // An address that is taken again: at event 2 the first of 10 ends and one of 7 begins.
  const Snapshot snapshot =
      with_events({event(alloc, 9, 1000), event(alloc, 1, 10), event(alloc, 1, 7), event(free_completed, 1, 7)});
  const Timeline timeline = timeline_of(snapshot, 0, 1, 4);
  ASSERT_EQ(timeline.steps.size(), 5U);
  EXPECT_EQ(timeline.steps[2].rest_bytes, 10U);
  EXPECT_EQ(timeline.steps[3].rest_bytes, 7U) << "10 go and 7 come";
  EXPECT_EQ(timeline.steps[4].rest_bytes, 0U);
}

TEST(Timeline, NoBandIsWithoutWidth) {
  // Freed by the very first event.
  const Timeline timeline = timeline_of(with_events({event(free_completed, 9, 50), event(alloc, 9, 50)}), 0);
  ASSERT_EQ(timeline.bands.size(), 2U);
  for (const Timeline::Band& band : timeline.bands) EXPECT_LT(band.first_step, band.end_step);
}

TEST(Timeline, ShowsSegmentsWithoutAHistory) {
  Snapshot snapshot;
  snapshot.segments = {
      {100, 64, 0, 0, {0, 0}, false, false, {{100, 64, 60, SnapshotBlockState::active_allocated, no_stack}}}};
  const Timeline timeline = timeline_of(snapshot, 0);
  EXPECT_EQ(timeline.bands.size(), 1U);
  ASSERT_EQ(timeline.steps.size(), 1U);
  EXPECT_EQ(timeline.steps[0].reserved_bytes, 64U);
}

TEST(Timeline, OfWhatPyTorchWrote) {
  const Timeline timeline = timeline_of(std::get<Snapshot>(read_file(test_file("pytorch_snapshot.json"))), 0);
  // x, x*x, x*x, their sum, 30 MiB.
  EXPECT_EQ(timeline.bands.size(), 5U);
  EXPECT_EQ(timeline.rest_count, 0U);
  const auto highest = std::ranges::max(timeline.steps, {}, &Timeline::Step::reserved_bytes);
  EXPECT_EQ(highest.reserved_bytes, 32U << 20);
}

}  // namespace
}  // namespace gpucheck::replay
