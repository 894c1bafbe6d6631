#include "replay/settings/recorded_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/units.hpp"

namespace gpucheck::replay {
namespace {

using enum SnapshotAction;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A recording of one device: how its segments were made, and what the file says of the settings.
Snapshot recording(const char* text, std::optional<bool> value, const std::vector<SnapshotAction>& segments) {
  Snapshot snapshot;
  snapshot.settings.text = text;
  snapshot.settings.expandable_segments = value;
  std::vector<SnapshotEvent>& events = snapshot.device_traces.emplace_back();
  std::uint64_t address = 1_GiB;
  for (const SnapshotAction action : segments) {
    events.push_back({.address = address, .size = 20_MiB, .action = action});
    events.push_back({.address = address, .size = 12_MiB, .action = alloc});
    address += 1_GiB;
  }
  return snapshot;
}

TEST(RecordedSettings, AreTheTextWhereAllAgree) {
  const RecordedSettings settings =
      recorded_settings(recording("expandable_segments:True", true, {segment_map, segment_map}), 0);
  EXPECT_EQ(settings.played, "expandable_segments:True");
  EXPECT_THAT(settings.remarks, IsEmpty());
  EXPECT_THAT(recorded_settings(recording("", false, {segment_alloc}), 0).remarks, IsEmpty());
}

TEST(RecordedSettings, SegmentsOutweighTheText) {
  const RecordedSettings plain =
      recorded_settings(recording("expandable_segments:True,max_split_size_mb:64", false, {segment_alloc}), 0);
  EXPECT_EQ(plain.text, "expandable_segments:True,max_split_size_mb:64");
  EXPECT_EQ(plain.played, "expandable_segments:False,max_split_size_mb:64");
  EXPECT_THAT(plain.remarks,
              ElementsAre(AllOf(HasSubstr("expandable_segments True"), HasSubstr("segments say False"))));
  const RecordedSettings expandable = recorded_settings(recording("", std::nullopt, {segment_map}), 0);
  EXPECT_EQ(expandable.played, "expandable_segments:True");
  EXPECT_THAT(expandable.remarks, ElementsAre(HasSubstr("segments say True")));
}

// Switched off when all was over: the recording was made with it.
TEST(RecordedSettings, SegmentsOutweighTheValuesToo) {
  const RecordedSettings settings =
      recorded_settings(recording("expandable_segments:False", false, {segment_map, segment_map}), 0);
  EXPECT_EQ(settings.played, "expandable_segments:True");
  EXPECT_THAT(settings.remarks, testing::Contains(HasSubstr("was set to False after the last segment was recorded")));
}

TEST(RecordedSettings, ThatChangedAreSaidToHave) {
  const RecordedSettings settings =
      recorded_settings(recording("expandable_segments:True", true,
                                  {segment_alloc, segment_map, segment_map, segment_alloc, segment_map}),
                        0);
  EXPECT_EQ(settings.played, "expandable_segments:True");
  EXPECT_THAT(settings.change, HasSubstr("changed 3 times during the recording, first at event 2 (to True)"));
  EXPECT_THAT(settings.remarks, IsEmpty());
}

TEST(RecordedSettings, PrivatePoolsSayNothing) {
  Snapshot snapshot = recording("expandable_segments:True", true, {segment_map, segment_alloc});
  for (std::size_t i : {2U, 3U}) snapshot.device_traces[0][i].pool = {1, 0};
  EXPECT_THAT(recorded_settings(snapshot, 0).remarks, IsEmpty());
  EXPECT_EQ(recorded_settings(snapshot, 0).change, "");
}

TEST(RecordedSettings, SegmentsAtTheEndTellWhereNoEventDoes) {
  Snapshot snapshot = recording("", false, {});
  snapshot.segments.push_back(
      {.address = 1_GiB, .total_size = 20_MiB, .is_large = true, .is_expandable = true, .blocks = {}});
  EXPECT_EQ(recorded_settings(snapshot, 0).played, "expandable_segments:True");
  EXPECT_EQ(recorded_settings(snapshot, 1).played, "") << "nothing is known of that device";
}

TEST(RecordedSettings, ValuesOutweighTheText) {
  Snapshot snapshot = recording("max_split_size_mb:64,garbage_collection_threshold:0.8", false, {segment_alloc});
  snapshot.settings.max_split_size = -1;
  snapshot.settings.garbage_collection_threshold = 0.0;
  RecordedSettings settings = recorded_settings(snapshot, 0);
  EXPECT_EQ(settings.played, "");
  EXPECT_THAT(settings.remarks, ElementsAre(AllOf(HasSubstr("max_split_size 64.00 MiB"), HasSubstr("unlimited")),
                                            AllOf(HasSubstr("threshold 0.8"), HasSubstr("say 0"))));
  snapshot.settings.text = "";
  snapshot.settings.max_split_size = 128_MiB;
  settings = recorded_settings(snapshot, 0);
  EXPECT_EQ(settings.played, "max_split_size_mb:128");
}

TEST(RecordedSettings, RoundingsOutweighTheTextToo) {
  Snapshot snapshot = recording("roundup_power2_divisions:4", false, {segment_alloc});
  for (unsigned i = 0; i < 16; ++i) snapshot.settings.roundup_power2_divisions.emplace_back(std::to_string(1U << i), 4);
  EXPECT_THAT(recorded_settings(snapshot, 0).remarks, IsEmpty());
  for (auto& [size, divisions] : snapshot.settings.roundup_power2_divisions) divisions = 0;
  const RecordedSettings settings = recorded_settings(snapshot, 0);
  EXPECT_EQ(settings.played, "");
  EXPECT_THAT(settings.remarks, ElementsAre(HasSubstr("none is played")));
}

TEST(RecordedSettings, ReplaceAKeyThatStandsTwice) {
  const RecordedSettings settings = recorded_settings(
      recording("expandable_segments:True,max_split_size_mb:64,expandable_segments:True", false, {segment_alloc}), 0);
  EXPECT_EQ(settings.played, "expandable_segments:False,max_split_size_mb:64");
}

TEST(RecordedSettings, WhatIsRejectedStaysAsItIs) {
  const RecordedSettings settings = recorded_settings(recording("max_split_size_mb:2", true, {segment_alloc}), 0);
  EXPECT_EQ(settings.played, "max_split_size_mb:2");
  EXPECT_THAT(settings.remarks, IsEmpty());
}

TEST(RecordedSettings, CarryOverWhatIsNotKnown) {
  const RecordedSettings settings = recorded_settings(
      recording("throw_on_cudamalloc_oom:True,max_split_size_mb:64,pinned_free_catch_all:True", false, {segment_alloc}),
      0);
  EXPECT_EQ(settings.played, "max_split_size_mb:64");
  EXPECT_EQ(settings.carried_over(), "throw_on_cudamalloc_oom:True,pinned_free_catch_all:True");
}

}  // namespace
}  // namespace gpucheck::replay
