#include "replay/advice/advice.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "replay/tests/simulated_devices.hpp"

namespace gpucheck::replay {
namespace {

/// The events of `fragmenting_trace`, as PyTorch records them: 120 MiB are in use at once
/// at most, 170 MiB are reserved by default, 120 MiB with expandable segments.
class FragmentingSnapshot {
 public:
  explicit FragmentingSnapshot(std::string settings = "") {
    snapshot_.settings.text = std::move(settings);
    snapshot_.device_traces.resize(1);
    allocate(1, 60_MiB);
    allocate(2, 60_MiB);
    free(1, 60_MiB);
    allocate(3, 30_MiB);
    free(2, 60_MiB);
    allocate(4, 40_MiB);
    allocate(5, 50_MiB);
  }
  /// As when memory ran out with so much reserved and so much free on the device.
  void run_out_of_memory(std::uint64_t reserved, std::uint64_t free) {
    add(SnapshotAction::segment_alloc, 9, reserved);
    add(SnapshotAction::out_of_memory, 0, 10_MiB);
    snapshot_.device_traces[0].back().address = free;
    SnapshotSegment segment;
    segment.total_size = reserved;
    segment.blocks = {{0, reserved, 0, SnapshotBlockState::inactive}};
    snapshot_.segments.push_back(segment);
  }
  Advice advise(AdviceRequest request = {}) {
    request.devices = simulated_devices();
    return replay::advise(snapshot_, 0, request);
  }
  Snapshot& snapshot() { return snapshot_; }

 private:
  void add(SnapshotAction action, std::uint64_t number, std::uint64_t size) {
    SnapshotEvent event;
    event.address = number << 30U;
    event.size = size;
    event.action = action;
    event.stack = static_cast<StackId>(number);
    snapshot_.device_traces[0].push_back(event);
  }
  void allocate(std::uint64_t number, std::uint64_t size) { add(SnapshotAction::alloc, number, size); }
  void free(std::uint64_t number, std::uint64_t size) { add(SnapshotAction::free_requested, number, size); }

  Snapshot snapshot_;
};

TEST(Advice, NamesTheSettingsThatNeedLeast) {
  const Advice advice = FragmentingSnapshot().advise();
  ASSERT_NE(advice.advised(), nullptr);
  EXPECT_EQ(advice.advised()->settings, "expandable_segments:True");
  EXPECT_EQ(advice.advised()->smallest_memory_bytes, 120_MiB);
  ASSERT_NE(advice.as_recorded(), nullptr);
  EXPECT_EQ(advice.as_recorded()->smallest_memory_bytes, 170_MiB);
  EXPECT_TRUE(advice.fits_as_recorded()) << "there is no limit";
  EXPECT_EQ(advice.live.bytes, 120_MiB);
  EXPECT_EQ(advice.live.by_stack.at(0).bytes, 60_MiB);
  EXPECT_EQ(outcome_of({advice}), Outcome::passed);
}

TEST(Advice, AnswersWhetherItFits) {
  const auto with_limit = [](std::uint64_t bytes) {
    AdviceRequest request;
    request.memory_limit_bytes = bytes;
    return FragmentingSnapshot().advise(request);
  };
  const Advice roomy = with_limit(170_MiB);
  EXPECT_TRUE(roomy.fits_as_recorded());
  const Advice helped = with_limit(168_MiB);
  EXPECT_FALSE(helped.fits_as_recorded());
  EXPECT_TRUE(helped.fits());
  EXPECT_EQ(outcome_of({helped}), Outcome::passed);
  const Advice beyond = with_limit(118_MiB);
  EXPECT_FALSE(beyond.fits());
  EXPECT_TRUE(beyond.is_beyond_all_settings());
  EXPECT_EQ(outcome_of({roomy, beyond}), Outcome::failed);
  EXPECT_FALSE(with_limit(120_MiB).is_beyond_all_settings());
}

TEST(Advice, AdvisesNothingWhereNothingIsBetter) {
  const Advice advice = FragmentingSnapshot("expandable_segments:True").advise();
  EXPECT_EQ(advice.advised(), nullptr);
  EXPECT_EQ(advice.as_recorded()->smallest_memory_bytes, 120_MiB);
  EXPECT_NE(advice.of(""), nullptr) << "the defaults are shown beside";
}

TEST(Advice, TheRecordedFailureTellsTheLimit) {
  FragmentingSnapshot recorded;
  recorded.run_out_of_memory(150_MiB, 7_MiB);
  const Advice advice = recorded.advise();
  EXPECT_EQ(advice.memory_limit_bytes, 157_MiB);
  EXPECT_TRUE(advice.limit_is_recorded);
  EXPECT_EQ(advice.search.least_bytes, 130_MiB) << "with what was asked for then";
  EXPECT_FALSE(advice.fits_as_recorded());
  EXPECT_TRUE(advice.fits());
  FragmentingSnapshot huge;
  huge.run_out_of_memory(700_GiB, 1_GiB);
  EXPECT_EQ(huge.advise().memory_limit_bytes, 128_GiB) << "no device is larger";
}

TEST(Advice, KeepsSettingsThatAreNotSearched) {
  const Advice advice = FragmentingSnapshot("pinned_num_register_threads:4,max_split_size_mb:512").advise();
  ASSERT_NE(advice.advised(), nullptr);
  EXPECT_EQ(advice.advised()->settings, "expandable_segments:True,pinned_num_register_threads:4");
}

// They are not played, and stand in the line to paste all the same.
TEST(Advice, CarriesOverKeysOfNewerReleases) {
  const Advice advice = FragmentingSnapshot(
                            "throw_on_cudamalloc_oom:True,pinned_num_register_threads:4,"
                            "expandable_segments_reserve_by_class:[small:1,large:2]")
                            .advise();
  EXPECT_EQ(advice.rejection, "");
  EXPECT_EQ(advice.recorded_settings, "pinned_num_register_threads:4");
  ASSERT_NE(advice.as_recorded(), nullptr);
  ASSERT_NE(advice.advised(), nullptr);
  EXPECT_EQ(advice.advised()->settings, "expandable_segments:True,pinned_num_register_threads:4");
  EXPECT_EQ(advice.to_paste(advice.advised()->settings),
            "expandable_segments:True,pinned_num_register_threads:4,throw_on_cudamalloc_oom:True,"
            "expandable_segments_reserve_by_class:[small:1,large:2]");
}

TEST(Advice, GoesOnWithoutRecordedSettingsThatAreRejected) {
  for (const char* settings : {"backend:cudaMallocAsync", "max_split_size_mb:2"}) {
    const Advice advice = FragmentingSnapshot(settings).advise();
    EXPECT_NE(advice.rejection, "") << settings;
    EXPECT_EQ(advice.as_recorded(), nullptr);
    ASSERT_NE(advice.advised(), nullptr);
    EXPECT_EQ(advice.advised()->settings, "expandable_segments:True");
  }
}

TEST(Advice, ShowsTheSettingsAskedForOnce) {
  AdviceRequest request;
  request.settings = {"max_split_size_mb:32", "", "expandable_segments:True"};
  const Advice advice = FragmentingSnapshot().advise(request);
  EXPECT_EQ(advice.search.ranking.size(), 3U);
  EXPECT_EQ(advice.of("max_split_size_mb:32")->smallest_memory_bytes, 120_MiB);
}

TEST(Advice, ProgramsOfOneJobFitUnderTheSameSettingsOnly) {
  const auto running = [](bool first_runs, bool second_runs) {
    Advice advice;
    advice.memory_limit_bytes = 1_GiB;
    for (const bool runs : {first_runs, second_runs}) {
      RankedSettings& row = advice.search.ranking.emplace_back();
      row.at_limit.emplace().out_of_memory_count = runs ? 0 : 1;
    }
    return advice;
  };
  EXPECT_EQ(outcome_of({running(true, false), running(false, true)}), Outcome::failed);
  EXPECT_EQ(outcome_of({running(true, false), running(true, true)}), Outcome::passed);
  Advice unlimited = running(false, false);
  unlimited.memory_limit_bytes.reset();
  EXPECT_EQ(outcome_of({running(false, true), unlimited}), Outcome::passed);
}

TEST(Advice, ThePairThatWasRecordedDoesNotStay) {
  const Advice advice = FragmentingSnapshot("expandable_segments:True,max_split_size_mb:32").advise();
  ASSERT_NE(advice.advised(), nullptr);
  EXPECT_EQ(advice.advised()->settings, "expandable_segments:True");
}

TEST(Advice, WhatMayNotStayAndHasNoHarmlessSuccessorIsSaid) {
  FragmentingSnapshot recorded("expandable_segments:True");
  AdviceRequest request;
  request.rules.excluded = {"expandable_segments", "max_split_size_mb"};
  const Advice advice = recorded.advise(request);
  EXPECT_EQ(advice.advised(), nullptr) << "all others reserve 170 MiB, and these 120";
  EXPECT_EQ(advice.search.outcome, AdviceOutcome::nothing_else);
}

TEST(Advice, TellsWhereNothingWasRecorded) {
  FragmentingSnapshot recorded;
  EXPECT_THROW(static_cast<void>(advise(recorded.snapshot(), 1, {.devices = simulated_devices()})), EnvironmentError);
  EXPECT_EQ(outcome_of(std::vector<Advice>{}), Outcome::not_judged);
}

}  // namespace
}  // namespace gpucheck::replay
