#include "replay/analysis/conversion.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "replay/formats/file.hpp"
#include "replay/tests/analysis/converted_events.hpp"
#include "replay/tests/snapshot_events.hpp"
#include "replay/tests/test_files.hpp"
#include "replay/tests/trace_events.hpp"

namespace gpucheck::replay {
namespace {

using namespace literals;

Event free_later(std::uint32_t id, std::uint16_t number) { return {0, id, number, Action::free_later, false}; }
Event end_of_uses(std::uint16_t number) { return {0, 0, number, Action::end_of_uses, false}; }

using enum SnapshotAction;

TEST(Conversion, TurnsWhatPyTorchRecordedIntoCalls) {
  const auto snapshot = std::get<Snapshot>(read_file(test_file("pytorch_snapshot.json")));
  const Conversion conversion = convert(snapshot, 0);
  // x, x*x, x*x again, their sum; the two products freed; 30 MiB on a side stream come
  // and go; the cache is emptied; x is freed.
  const std::vector<Event> expected{
      allocate(0, 65536), allocate(1, 65536),       allocate(2, 65536), allocate(3, 65536), free_of(1),
      free_of(2),         allocate(4, 31457280, 1), free_of(4),         empty_cache,        free_of(0)};
  EXPECT_EQ(conversion.trace.events, expected);
  EXPECT_EQ(conversion.stream_handles, (std::vector<std::uint64_t>{0, 752625248}));
  EXPECT_EQ(conversion.trace.stream_count, 2U);
  const ConversionReport& report = conversion.report;
  EXPECT_EQ(report.recorded_events, 16U);
  EXPECT_EQ(report.initial_blocks, 0U);
  EXPECT_EQ(report.contradictions, 0U);
  EXPECT_EQ(report.empty_caches, 1U);
  EXPECT_EQ(report.initial_reserved_bytes, 0U);
  EXPECT_EQ(report.recorded_peak_reserved_bytes, 2097152U + 31457280U);
  EXPECT_EQ(report.recorded_peak_active_bytes, 2U * 65536U + 31457280U);
}

TEST(Conversion, RebuildsBlocksFromBeforeTheFirstEvent) {
  // One of three blocks in use at the start is freed by an event, two are still there
  // at the end; the address of one of them was freed and taken again in between.
  const SnapshotSegment segment{1000,
                                600,
                                7,
                                0,
                                {0, 0},
                                false,
                                false,
                                {{1000, 200, 150, SnapshotBlockState::active_allocated},
                                 {1200, 200, 140, SnapshotBlockState::active_allocated},
                                 {1400, 200, 0, SnapshotBlockState::inactive}}};
  const Conversion conversion = convert_events(
      {event(free_requested, 1200, 199, 7), event(free_completed, 1200, 199, 7), event(alloc, 1200, 140, 7)},
      {segment});
  const std::vector<Event> expected{allocate(2, 150, 1), allocate(0, 199, 1), free_of(0), allocate(1, 140, 1)};
  EXPECT_EQ(conversion.trace.events, expected);
  EXPECT_EQ(conversion.report.initial_blocks, 2U);
  EXPECT_EQ(conversion.report.initial_bytes, 349U);
  EXPECT_EQ(conversion.report.initial_reserved_bytes, 600U);
  EXPECT_EQ(conversion.report.recorded_peak_active_bytes, 349U);
  EXPECT_EQ(conversion.report.contradictions, 0U);
}

TEST(Conversion, RebuildsBlocksWhoseRequestAnOlderReleaseDidNotTell) {
  const std::string text = R"({"segments": [{"address": 4096, "total_size": 1024, "stream": 0, "blocks": [
      {"size": 512, "state": "active_allocated"}, {"size": 512, "state": "inactive"}]}],
      "device_traces": [[{"action": "alloc", "addr": 4608, "size": 100, "stream": 0},
                         {"action": "free_completed", "addr": 4608, "size": 100, "stream": 0}]]})";
  const Conversion conversion = convert(std::get<Snapshot>(read_bytes("older", text)), 0);
  EXPECT_EQ(conversion.trace.events, (std::vector<Event>{allocate(1, 512), allocate(0, 100), free_of(0)}));
  EXPECT_EQ(conversion.report.initial_bytes, 512U);
}

TEST(Conversion, TellsWhenALateFreeWasRequestedAndWhenItCompleted) {
  const Conversion conversion = convert_events(
      {event(alloc, 1, 10), event(free_requested, 1, 10), event(alloc, 2, 20), event(free_completed, 1, 10)});
  EXPECT_EQ(conversion.trace.events,
            (std::vector<Event>{allocate(0, 10), free_later(0, 0), allocate(1, 20), end_of_uses(0)}));
  EXPECT_EQ(conversion.report.deferred_frees, 1U);
}

TEST(Conversion, LateFreesAtOneTimeHaveNumbersOfTheirOwn) {
  const Conversion conversion = convert_events(
      {event(alloc, 1, 10), event(alloc, 2, 20), event(free_requested, 1, 10), event(free_requested, 2, 20),
       event(alloc, 3, 30), event(free_completed, 1, 10), event(free_requested, 3, 30), event(alloc, 1, 40),
       event(free_completed, 2, 20), event(free_completed, 3, 30), event(free_completed, 1, 40)});
  EXPECT_EQ(conversion.trace.events,
            (std::vector<Event>{allocate(0, 10), allocate(1, 20), free_later(0, 0), free_later(1, 1), allocate(2, 30),
                                end_of_uses(0), free_later(2, 0), allocate(3, 40), end_of_uses(1), end_of_uses(0),
                                free_of(3)}));
}

TEST(Conversion, AnAddressThatIsUsedAgainEndsALateFree) {
  const Conversion conversion = convert_events({event(alloc, 1, 10), event(free_requested, 1, 10), event(alloc, 1, 20),
                                                event(alloc, 2, 30), event(free_completed, 1, 20)});
  EXPECT_EQ(conversion.trace.events, (std::vector<Event>{allocate(0, 10), free_later(0, 0), end_of_uses(0),
                                                         allocate(1, 20), allocate(2, 30), free_of(1)}));
  EXPECT_EQ(conversion.report.contradictions, 1U);
}

TEST(Conversion, TakesRequestsForFreesWhereCompletionsWereNotRecorded) {
  const Conversion conversion =
      convert_events({event(alloc, 1, 10), event(free_requested, 1, 10), event(alloc, 2, 20)});
  EXPECT_EQ(conversion.trace.events, (std::vector<Event>{allocate(0, 10), free_of(0), allocate(1, 20)}));
}

TEST(Conversion, TellsEmptyCacheFromTheAllocatorsOwnReleases) {
  SnapshotSegment left;
  left.total_size = 30;
  const auto releases = [&left](SnapshotAction next) {
    return convert_events({event(segment_free, 1, 10), event(segment_unmap, 2, 10), event(next, 3, 30)}, {left}).report;
  };
  EXPECT_EQ(releases(alloc).empty_caches, 1U);
  EXPECT_EQ(releases(free_requested).empty_caches, 1U);
  EXPECT_EQ(releases(segment_alloc).empty_caches, 0U);
  EXPECT_EQ(releases(segment_alloc).allocator_releases, 1U);
  EXPECT_EQ(releases(segment_map).empty_caches, 0U) << "an expandable segment grows";
  EXPECT_EQ(releases(segment_map).allocator_releases, 1U);
  EXPECT_EQ(releases(out_of_memory).allocator_releases, 1U);
  EXPECT_EQ(convert_events({event(segment_free, 1, 10)}).report.empty_caches, 1U) << "at the end";
}

/// 20 bytes are released and 30 obtained; then so many more, which stay.
Snapshot released_for_30(std::uint64_t more) {
  Snapshot snapshot;
  snapshot.device_traces = {{event(segment_free, 1, 20), event(segment_alloc, 3, 30), event(segment_alloc, 4, more)}};
  SnapshotSegment segments_now;
  segments_now.total_size = 30 + more;
  snapshot.segments = {segments_now};
  return snapshot;
}

TEST(Conversion, ARoomyDeviceHasNoReleasesOfTheAllocatorsOwn) {
  EXPECT_EQ(convert(released_for_30(20), 0).report.empty_caches, 1U) << "20 and 30 fitted later";
  EXPECT_EQ(convert(released_for_30(19), 0).report.allocator_releases, 1U) << "50 never fitted";

  Snapshot with_stack = released_for_30(20);
  with_stack.device_traces[0].front().stack = no_stack + 1;
  EXPECT_EQ(convert(with_stack, 0).report.allocator_releases, 1U) << "its stack does not name empty_cache";
  Snapshot collecting = released_for_30(20);
  collecting.settings.text = "garbage_collection_threshold:0.5";
  EXPECT_EQ(convert(collecting, 0).report.allocator_releases, 1U) << "garbage is collected before memory is short";
}

TEST(Conversion, BelievesTheStackOfARelease) {
  SnapshotEvent release = event(segment_free, 1, 10);
  release.in_empty_cache = true;
  const Conversion conversion = convert_events({release, event(segment_free, 2, 10), event(segment_alloc, 1, 10)});
  EXPECT_EQ(conversion.trace.events, (std::vector<Event>{empty_cache}));
}

TEST(Conversion, TriesAgainWhatRanOutOfMemory) {
  const Conversion conversion = convert_events({event(out_of_memory, 5000, 512, 9)});
  EXPECT_EQ(conversion.trace.events, (std::vector<Event>{{512, 0, 1, Action::try_allocate, false}}));
  EXPECT_EQ(conversion.trace.allocation_count, 1U);
  EXPECT_EQ(conversion.report.out_of_memory, 1U);
}

TEST(Conversion, LeavesContradictionsOutAndCountsThem) {
  const Conversion twice =
      convert_events({event(alloc, 1, 10), event(free_completed, 1, 10), event(free_completed, 1, 10)});
  EXPECT_EQ(twice.trace.events, (std::vector<Event>{allocate(0, 10), free_of(0)}));
  EXPECT_EQ(twice.report.contradictions, 1U);
  const Conversion over = convert_events({event(alloc, 1, 10), event(alloc, 1, 20)});
  EXPECT_EQ(over.trace.events, (std::vector<Event>{allocate(0, 10), free_of(0), allocate(1, 20)}));
  EXPECT_EQ(over.report.contradictions, 1U);
  const SnapshotSegment idle{1, 10, 0, 0, {0, 0}, false, false, {{1, 10, 10, SnapshotBlockState::inactive}}};
  EXPECT_EQ(convert_events({event(alloc, 1, 10)}, {idle}).report.contradictions, 1U) << "in use, says the event";
}

TEST(Conversion, SaysWhichEventEachStepStandsFor) {
  // The free of an unknown block makes an allocation before the first event.
  const Conversion conversion = convert_events({event(segment_alloc, 1000, 200), event(alloc, 1000, 10),
                                                event(free_completed, 5000, 20), event(alloc, 1100, 5)});
  EXPECT_EQ(conversion.recorded_events, (std::vector<std::uint32_t>{Conversion::no_event, 1, 2, 3}));
}

TEST(Conversion, LearnsTheDevicesSizeFromTheFirstFailure) {
  const ConversionReport report = convert_events({event(segment_alloc, 1000, 700), event(out_of_memory, 300, 512),
                                                  event(segment_free, 1000, 700), event(out_of_memory, 800, 512)})
                                      .report;
  EXPECT_EQ(report.recorded_capacity_bytes, 1000U) << "700 reserved and 300 free";
  EXPECT_EQ(convert_events({event(alloc, 1, 10)}).report.recorded_capacity_bytes, std::nullopt);
}

TEST(Conversion, ALimitOfTheProgramsOwnIsAtLeastWhatWasReserved) {
  const auto report_with_free = [](std::uint64_t free) {
    return convert_events({event(segment_alloc, 1, 40_MiB), event(segment_alloc, 2, 30_MiB),
                           event(segment_free, 2, 30_MiB), event(out_of_memory, free, 5_MiB)})
        .report;
  };
  EXPECT_EQ(report_with_free(20_MiB).recorded_capacity_bytes, 70_MiB) << "room for the segment of 20 MiB";
  EXPECT_TRUE(report_with_free(20_MiB).recorded_capacity_is_own_limit);
  EXPECT_EQ(report_with_free(20_MiB - 1).recorded_capacity_bytes, 60_MiB - 1);
  EXPECT_FALSE(report_with_free(20_MiB - 1).recorded_capacity_is_own_limit);
}

TEST(Conversion, PairsARequestWithItsOwnCompletionOnly) {
  const Conversion conversion =
      convert_events({event(alloc, 1, 10), event(alloc, 2, 20), event(free_requested, 1, 10),
                      event(free_completed, 2, 20), event(alloc, 3, 30), event(free_completed, 1, 10)});
  EXPECT_EQ(conversion.trace.events, (std::vector<Event>{allocate(0, 10), allocate(1, 20), free_later(0, 0), free_of(1),
                                                         allocate(2, 30), end_of_uses(0)}));
  EXPECT_EQ(conversion.report.deferred_frees, 2U);
}

TEST(Conversion, SumsUpWhatWasActiveAndReserved) {
  const ConversionReport report =
      convert_events({event(segment_alloc, 1000, 700), event(alloc, 1, 100), event(free_requested, 1, 100),
                      event(alloc, 2, 50), event(free_completed, 1, 100), event(segment_free, 1000, 700)})
          .report;
  EXPECT_EQ(report.recorded_peak_active_bytes, 150U) << "active until the free completed";
  EXPECT_EQ(report.recorded_peak_reserved_bytes, 700U);
  EXPECT_EQ(report.initial_reserved_bytes, 0U);
  const ConversionReport released = convert_events({event(segment_free, 1, 10)}, {}).report;
  EXPECT_EQ(released.initial_reserved_bytes, 10U) << "what is released was there before";
  const ConversionReport contradicting = convert_events({event(segment_alloc, 1, 10)}, {}).report;
  EXPECT_EQ(contradicting.initial_reserved_bytes, 0U) << "and never less than nothing";
}

TEST(Conversion, CountsWhatItCannotCarryOver) {
  SnapshotEvent pooled = event(alloc, 1, 10);
  pooled.pool = {0, 3};
  const ConversionReport report = convert_events({pooled, event(other, 0, 0), event(snapshot, 0, 0)}).report;
  EXPECT_EQ(report.private_pool_events, 1U);
  EXPECT_EQ(report.ignored_events, 1U);
}

TEST(Conversion, OtherDevicesDoNotMatter) {
  SnapshotSegment elsewhere{1000,   200,   0,     1,
                            {0, 0}, false, false, {{1000, 200, 150, SnapshotBlockState::active_allocated}}};
  const Conversion conversion = convert_events({event(alloc, 1, 10)}, {elsewhere});
  EXPECT_EQ(conversion.trace.events, (std::vector<Event>{allocate(0, 10)}));
  EXPECT_EQ(conversion.report.initial_reserved_bytes, 0U);
}

TEST(Conversion, AsksForARecordingWhereThereIsNone) {
  Snapshot snapshot;
  EXPECT_THROW((void)convert(snapshot, 0), EnvironmentError);
  snapshot.device_traces.resize(1);
  EXPECT_THROW((void)convert(snapshot, 0), EnvironmentError);
}

TEST(Conversion, RejectsMoreStreamsThanATraceTellsApart) {
  std::vector<SnapshotEvent> events;
  for (std::uint64_t stream = 1; stream <= 65535; ++stream) events.push_back(event(alloc, stream, 1, stream));
  EXPECT_THROW((void)convert_events(events), EnvironmentError);
  events.pop_back();
  EXPECT_EQ(convert_events(events).trace.stream_count, 65535U);
}

}  // namespace
}  // namespace gpucheck::replay
