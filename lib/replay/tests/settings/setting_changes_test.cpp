#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../snapshot_events.hpp"
#include "../trace_events.hpp"
#include "base/text/units.hpp"
#include "replay/advice/out_of_memory.hpp"
#include "replay/analysis/conversion.hpp"

namespace gpucheck::replay {
namespace {

using enum SnapshotAction;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Change = ExpandableHistory::Change;

constexpr Event off{0, 0, 0, Action::set_settings, false};
constexpr Event on{0, 1, 0, Action::set_settings, false};

SnapshotEvent in_pool(PoolId pool, SnapshotEvent event) {
  event.pool = pool;
  return event;
}

/// One device's events; the text of the settings is what it was at the end.
Snapshot recording(std::vector<SnapshotEvent> events, const char* text = "expandable_segments:True") {
  Snapshot snapshot;
  snapshot.settings.text = text;
  snapshot.device_traces.push_back(std::move(events));
  return snapshot;
}

SnapshotSegment segment(bool is_expandable, std::uint64_t address, std::uint64_t used, PoolId pool = {0, 0}) {
  return {.address = address,
          .total_size = 20_MiB,
          .pool = pool,
          .is_large = true,
          .is_expandable = is_expandable,
          .blocks = {{address, used, used, SnapshotBlockState::active_allocated},
                     {address + used, 20_MiB - used, 0, SnapshotBlockState::inactive}}};
}

TEST(SettingChanges, ArePlayedBeforeTheAllocationThatShowsThem) {
  const Conversion conversion = convert(
      recording({event(segment_map, 1_GiB, 20_MiB), event(alloc, 1_GiB, 12_MiB), event(segment_alloc, 2_GiB, 20_MiB),
                 event(alloc, 2_GiB, 13_MiB), event(segment_map, 3_GiB, 20_MiB), event(alloc, 3_GiB, 14_MiB)},
                "max_split_size_mb:64,expandable_segments:True"),
      0);
  EXPECT_EQ(conversion.trace.settings, "max_split_size_mb:64,expandable_segments:True");
  EXPECT_THAT(conversion.trace.later_settings, ElementsAre("max_split_size_mb:64,expandable_segments:False",
                                                           "max_split_size_mb:64,expandable_segments:True"));
  EXPECT_THAT(conversion.trace.events,
              ElementsAre(allocate(0, 12_MiB), off, allocate(1, 13_MiB), on, allocate(2, 14_MiB)));
  EXPECT_THAT(conversion.recorded_events, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(conversion.report.setting_changes, 2U);
  EXPECT_THAT(conversion.report.settings.remarks, ElementsAre(HasSubstr("changed 2 times during the recording, first "
                                                                        "at event 2 (to False): what was in force")));
}

TEST(SettingChanges, BeginWithWhatWasInForceFirst) {
  const Conversion conversion =
      convert(recording({event(segment_alloc, 1_GiB, 20_MiB), event(alloc, 1_GiB, 12_MiB),
                         event(segment_map, 2_GiB, 20_MiB), event(segment_map, 3_GiB, 20_MiB)}),
              0);
  EXPECT_EQ(conversion.trace.settings, "expandable_segments:False");
  EXPECT_THAT(conversion.trace.events, ElementsAre(allocate(0, 12_MiB), on));
}

// Switched off for one tensor that is shared with another process: nothing is mapped afterwards, but a free block of an
// expandable segment is handed out, which PyTorch does only with expandable segments.
TEST(SettingChanges, BlocksOfExpandableSegmentsShowThemToo) {
  const Snapshot snapshot =
      recording({event(segment_map, 1_GiB, 40_MiB), event(alloc, 1_GiB, 12_MiB), event(free_completed, 1_GiB, 12_MiB),
                 event(segment_alloc, 2_GiB, 20_MiB), event(alloc, 2_GiB, 13_MiB), event(alloc, 2_GiB + 13_MiB, 2_MiB),
                 event(alloc, 1_GiB, 14_MiB), event(segment_map, 1_GiB + 40_MiB, 20_MiB)});
  EXPECT_THAT(expandable_history(snapshot, 0).changes, ElementsAre(Change{3, false}, Change{6, true}));
  EXPECT_THAT(convert(snapshot, 0).trace.events, ElementsAre(allocate(0, 12_MiB), free_of(0), off, allocate(1, 13_MiB),
                                                             allocate(2, 2_MiB), on, allocate(3, 14_MiB)));
}

TEST(SettingChanges, AddressesOfReleasedSegmentsShowNothing) {
  const Snapshot snapshot = recording({event(segment_map, 1_GiB, 40_MiB), event(segment_unmap, 1_GiB, 40_MiB),
                                       event(segment_alloc, 1_GiB, 20_MiB), event(alloc, 1_GiB, 12_MiB)});
  EXPECT_THAT(expandable_history(snapshot, 0).changes, ElementsAre(Change{2, false}));
}

TEST(SettingChanges, PlainSegmentsOfPrivatePoolsShowNothing) {
  const PoolId pool{1, 0};
  const Snapshot snapshot =
      recording({event(segment_map, 1_GiB, 20_MiB), event(alloc, 1_GiB, 12_MiB),
                 in_pool(pool, event(segment_alloc, 2_GiB, 20_MiB)), in_pool(pool, event(alloc, 2_GiB, 13_MiB)),
                 event(segment_map, 1_GiB + 20_MiB, 20_MiB)});
  EXPECT_THAT(expandable_history(snapshot, 0).changes, IsEmpty());
  EXPECT_EQ(convert(snapshot, 0).report.settings.change, "");
}

// A pool that has expandable segments has no allocator of its own, and its release has them in private pools.
TEST(SettingChanges, InsideAPrivatePoolAreSeenByItsExpandableSegments) {
  const PoolId pool{1, 0};
  const Snapshot snapshot =
      recording({in_pool(pool, event(segment_map, 1_GiB, 20_MiB)), in_pool(pool, event(alloc, 1_GiB, 12_MiB)),
                 in_pool(pool, event(segment_alloc, 2_GiB, 20_MiB)), in_pool(pool, event(alloc, 2_GiB, 13_MiB))});
  EXPECT_THAT(expandable_history(snapshot, 0).changes, ElementsAre(Change{2, false}));
  const Event begin{0, 0, 0, Action::begin_pool, false};
  const Event end{0, 0, 0, Action::end_pool, false};
  const Event create{0, 0, 0, Action::create_pool, false};
  EXPECT_THAT(convert(snapshot, 0).trace.events,
              ElementsAre(create, begin, allocate(0, 12_MiB), off, allocate(1, 13_MiB), end));
}

// The ring of events has lost the change: blocks from before lie in segments of the other kind.
TEST(SettingChanges, BeforeTheFirstEventArePlayedBeforeIt) {
  Snapshot snapshot = recording({event(segment_map, 4_GiB, 20_MiB), event(alloc, 4_GiB, 14_MiB)});
  snapshot.segments = {segment(true, 1_GiB, 11_MiB), segment(false, 2_GiB, 12_MiB), segment(false, 3_GiB, 13_MiB),
                       segment(true, 4_GiB, 14_MiB)};
  const Conversion conversion = convert(snapshot, 0);
  EXPECT_EQ(conversion.trace.settings, "expandable_segments:False");
  EXPECT_THAT(conversion.trace.events,
              ElementsAre(allocate(2, 12_MiB), allocate(3, 13_MiB), on, allocate(1, 11_MiB), allocate(0, 14_MiB)));
  EXPECT_EQ(conversion.recorded_events, (std::vector<std::uint32_t>{Conversion::no_event, Conversion::no_event,
                                                                    Conversion::no_event, Conversion::no_event, 1}));
  EXPECT_THAT(conversion.report.settings.remarks, Contains(HasSubstr("changed before the first event: ")));
}

TEST(SettingChanges, BeforeTheFirstEventAreSeenInWhatWasReleasedLater) {
  Snapshot snapshot = recording({event(free_completed, 1_GiB, 12_MiB), event(segment_unmap, 1_GiB, 20_MiB),
                                 event(segment_alloc, 2_GiB, 20_MiB), event(alloc, 2_GiB, 13_MiB)},
                                "");
  snapshot.segments = {segment(false, 2_GiB, 13_MiB)};
  const Conversion conversion = convert(snapshot, 0);
  EXPECT_EQ(conversion.trace.settings, "expandable_segments:True");
  EXPECT_THAT(conversion.trace.events, ElementsAre(allocate(0, 12_MiB), off, free_of(0), allocate(1, 13_MiB)));
}

// All segments are older than the first event: those at the end do not say which setting came later, the file does.
TEST(SettingChanges, WithoutASegmentsEventTheValuesAtTheEndCount) {
  for (const char* text : {"expandable_segments:True", "expandable_segments:False"}) {
    Snapshot snapshot = recording({event(alloc, 2_GiB + 12_MiB, 1_MiB)}, text);
    snapshot.segments = {segment(true, 1_GiB, 11_MiB), segment(false, 2_GiB, 12_MiB)};
    const bool is_on = std::string_view(text).ends_with("True");
    const Conversion conversion = convert(snapshot, 0);
    ASSERT_EQ(conversion.trace.events.size(), 4U) << text;
    EXPECT_EQ(conversion.trace.events[0].size, is_on ? 12_MiB : 11_MiB);
    EXPECT_EQ(conversion.trace.events[1], is_on ? on : off);
    EXPECT_EQ(conversion.trace.events[2].size, is_on ? 11_MiB : 12_MiB);
  }
}

TEST(SettingChanges, AreEachDevicesOwn) {
  Snapshot snapshot = recording({event(segment_map, 1_GiB, 20_MiB), event(alloc, 1_GiB, 12_MiB),
                                 event(segment_alloc, 2_GiB, 20_MiB), event(alloc, 2_GiB, 13_MiB)});
  snapshot.device_traces.push_back({event(segment_alloc, 1_GiB, 20_MiB), event(alloc, 1_GiB, 15_MiB)});
  EXPECT_EQ(convert(snapshot, 0).report.setting_changes, 1U);
  const Conversion second = convert(snapshot, 1);
  EXPECT_EQ(second.trace.settings, "expandable_segments:False");
  EXPECT_THAT(second.trace.events, ElementsAre(allocate(0, 15_MiB)));
}

TEST(SettingChanges, AreLeftOutWhereSettingsHoldFromBeginningToEnd) {
  const Conversion conversion = convert(recording({event(segment_alloc, 2_GiB, 20_MiB), event(alloc, 2_GiB, 13_MiB),
                                                   event(segment_map, 1_GiB, 40_MiB), event(alloc, 1_GiB, 12_MiB)}),
                                        0, PrivatePools::kept, SettingChanges::left_out);
  EXPECT_EQ(conversion.trace.settings, "expandable_segments:True") << "most memory was reserved with it";
  EXPECT_THAT(conversion.trace.events, ElementsAre(allocate(0, 13_MiB), allocate(1, 12_MiB)));
  EXPECT_EQ(conversion.report.setting_changes, 0U);
  EXPECT_THAT(conversion.report.settings.remarks,
              ElementsAre(HasSubstr("changed 1 time during the recording, first at event 2 (to True): not played")));
}

// A setting is parsed whenever it is set.
TEST(SettingChanges, OfALongTextAreNotPlayedWithoutEnd) {
  std::string text = "expandable_segments:True";
  while (text.size() < 60'000) text += ",pinned_num_register_threads:8";
  std::vector<SnapshotEvent> events;
  for (int i = 0; i < 1'000; ++i) {
    events.push_back(event(segment_map, 1_GiB, 20_MiB));
    events.push_back(event(segment_alloc, 2_GiB, 2_MiB));
  }
  Snapshot snapshot = recording(std::move(events), text.c_str());
  const Conversion conversion = convert(snapshot, 0);
  EXPECT_EQ(conversion.report.setting_changes, 0U);
  EXPECT_THAT(conversion.report.settings.remarks, ElementsAre(HasSubstr("too often for settings of 58.")));
  snapshot.settings.text = "";
  EXPECT_EQ(convert(snapshot, 0).report.setting_changes, 1'999U);
}

TEST(SettingChanges, ExplainAFailureByWhatWasInForceThen) {
  Snapshot snapshot = recording({event(segment_map, 1_GiB, 40_MiB), event(segment_alloc, 2_GiB, 20_MiB),
                                 event(alloc, 2_GiB, 20_MiB), event(out_of_memory, 4_MiB, 30_MiB)});
  SnapshotSegment unused = segment(true, 1_GiB, 0);
  unused.total_size = 40_MiB;
  snapshot.segments = {unused, segment(false, 2_GiB, 20_MiB)};
  const runtime::AllocatorSettings settings = runtime::parse_settings("expandable_segments:True");
  OutOfMemory failure = explain_out_of_memory(snapshot, 0, settings).front();
  ASSERT_EQ(failure.holes.size(), 1U);
  EXPECT_EQ(to_text(failure.holes[0].reason), "expandable_off");
  snapshot.device_traces[0].insert(snapshot.device_traces[0].end() - 1, event(segment_map, 3_GiB, 2_MiB));
  failure = explain_out_of_memory(snapshot, 0, settings).front();
  EXPECT_EQ(to_text(failure.holes[0].reason), "unexplained");
}

}  // namespace
}  // namespace gpucheck::replay
