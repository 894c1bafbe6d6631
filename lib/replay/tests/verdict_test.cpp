#include "replay/verdict/verdict.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "device/sim/sim_driver.hpp"
#include "replay/verdict/memory_limit.hpp"
#include "replay/verdict/replays.hpp"
#include "test_files.hpp"

namespace gpucheck::replay {
namespace {

using namespace literals;
using Source = MemoryLimit::Source;

Subject of_a_trace(std::optional<std::uint64_t> limit = std::nullopt) {
  Subject subject;
  subject.trace.memory_limit_bytes = limit;
  return subject;
}

Subject of_a_snapshot(std::optional<std::uint64_t> capacity, std::uint64_t peak_bytes) {
  Subject subject;
  subject.recorded.emplace();
  subject.recorded->recorded_capacity_bytes = capacity;
  subject.recorded->recorded_peak_reserved_bytes = peak_bytes;
  return subject;
}

Request on_devices_of(std::uint64_t default_bytes, std::uint64_t max_bytes) {
  Request request;
  request.devices.sizes = {default_bytes, max_bytes};
  return request;
}

TEST(MemoryLimit, WhoeverAsksComesBeforeTheFile) {
  Request request = on_devices_of(80_GiB, 1000_GiB);
  EXPECT_EQ(memory_limit_of(of_a_trace(2_GiB), request), (MemoryLimit{Source::trace, 2_GiB}));
  request.memory_limit_bytes = 3_GiB;
  EXPECT_EQ(memory_limit_of(of_a_trace(2_GiB), request), (MemoryLimit{Source::requested, 3_GiB}));
  EXPECT_EQ(memory_limit_of(of_a_snapshot(2_GiB, 0), request), (MemoryLimit{Source::requested, 3_GiB}));
}

TEST(MemoryLimit, ATraceWithoutOneHasTheDevice) {
  EXPECT_EQ(memory_limit_of(of_a_trace(), on_devices_of(80_GiB, 1000_GiB)), (MemoryLimit{Source::device, {}}));
}

TEST(MemoryLimit, ARecordedFailureTellsTheDevicesSize) {
  const Request request = on_devices_of(80_GiB, 1000_GiB);
  EXPECT_EQ(memory_limit_of(of_a_snapshot(40_GiB, 39_GiB), request), (MemoryLimit{Source::recorded, 40_GiB}));
  EXPECT_EQ(memory_limit_of(of_a_snapshot(4000_GiB, 0), request), (MemoryLimit{Source::recorded, 1000_GiB}))
      << "no device is larger";
}

TEST(MemoryLimit, MoreThanTheDefaultDeviceHasMeansThatItsSizeIsNotRecorded) {
  const Request request = on_devices_of(80_GiB, 1000_GiB);
  EXPECT_EQ(memory_limit_of(of_a_snapshot({}, 80_GiB), request), (MemoryLimit{Source::device, {}}));
  EXPECT_EQ(memory_limit_of(of_a_snapshot({}, 81_GiB), request), (MemoryLimit{Source::not_recorded, {}}));
  EXPECT_EQ(memory_limit_of(of_a_snapshot({}, 81_GiB), {}), (MemoryLimit{Source::device, {}}))
      << "a device that was chosen is what it is";
}

TEST(MemoryLimit, TheDeviceGrowsWithIt) {
  Request request = on_devices_of(80_GiB, 1000_GiB);
  EXPECT_EQ(device_bytes_for({Source::device, {}}, request), 80_GiB);
  EXPECT_EQ(device_bytes_for({Source::trace, 2_GiB}, request), 80_GiB) << "the allocator keeps to the limit";
  EXPECT_EQ(device_bytes_for({Source::requested, 200_GiB}, request), 200_GiB);
  EXPECT_EQ(device_bytes_for({Source::not_recorded, {}}, request), 1000_GiB);
  request.allocator.kind = runtime::AllocatorChoice::Kind::async;
  EXPECT_EQ(device_bytes_for({Source::trace, 2_GiB}, request), 2_GiB) << "only the device's size bounds its pool";
  request.devices.sizes.reset();
  EXPECT_EQ(device_bytes_for({Source::trace, 2_GiB}, request), std::nullopt);
}

TEST(Verdict, EveryComparisonMustBeEqual) {
  EXPECT_EQ(judge({.has_events = true, .is_compared = true, .are_equal = {true, true}}), Verdict::equal);
  EXPECT_EQ(judge({.has_events = true, .is_compared = true, .are_equal = {true, false}}), Verdict::differs);
  EXPECT_EQ(judge({.has_events = true, .is_compared = true}), Verdict::differs) << "nothing was compared";
}

TEST(Verdict, MemorySufficesUnderOneOfTheSettings) {
  const auto of = [](std::vector<bool> out_of_memory) {
    return judge({.has_events = true, .asks_for_memory = true, .are_out_of_memory = std::move(out_of_memory)});
  };
  EXPECT_EQ(of({false}), Verdict::fits);
  EXPECT_EQ(of({true, false}), Verdict::fits);
  EXPECT_EQ(of({true, true}), Verdict::out_of_memory);
  EXPECT_EQ(of({}), Verdict::out_of_memory) << "nothing was played";
}

TEST(Verdict, WithoutEventsOrAQuestionThereIsNone) {
  EXPECT_EQ(judge({.is_compared = true, .asks_for_memory = true, .are_equal = {true}, .are_out_of_memory = {false}}),
            Verdict::empty);
  EXPECT_EQ(judge({.has_events = true, .are_out_of_memory = {false}}), Verdict::nothing_to_compare);
}

TEST(Outcome, WhatIsWrongOutweighsWhatCannotBeJudged) {
  const auto of = [](std::vector<Verdict> verdicts) { return outcome_of(verdicts); };
  EXPECT_EQ(of({Verdict::equal, Verdict::fits}), Outcome::passed);
  EXPECT_EQ(of({Verdict::equal, Verdict::differs, Verdict::empty}), Outcome::failed);
  EXPECT_EQ(of({Verdict::nothing_to_compare, Verdict::out_of_memory}), Outcome::failed);
  EXPECT_EQ(of({Verdict::equal, Verdict::empty}), Outcome::not_judged);
  EXPECT_EQ(of({Verdict::fits, Verdict::nothing_to_compare}), Outcome::not_judged);
  EXPECT_EQ(of({}), Outcome::not_judged);
}

/// Notes the sizes that devices are asked for.
DeviceSource noting_devices(std::vector<std::uint64_t>& sizes) {
  return {DeviceSource::Sizes{64_GiB, 512_GiB}, [&sizes](std::optional<std::uint64_t> bytes) {
            sizes.push_back(bytes.value());
            sim::Profile profile = sim::profile("h100");
            profile.properties.total_memory_bytes = sizes.back() + profile.reserved_memory_bytes;
            PlayedDevice played{sim::make_driver({.profile = profile}), nullptr, "sim", "", true};
            played.device = played.driver->open(0).value();
            return played;
          }};
}

TEST(Replays, AreJudgedTogether) {
  std::vector<Subject> subjects = load_subjects(test_file("pytorch_traces.json"), std::nullopt).subjects;
  ASSERT_EQ(subjects.size(), 3U);
  ++subjects[1].trace.expected_statistics.front();
  std::vector<std::uint64_t> sizes;
  const auto results = play_all(subjects, {.devices = noting_devices(sizes)});
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].verdict, Verdict::equal);
  EXPECT_EQ(results[1].verdict, Verdict::differs);
  EXPECT_EQ(outcome_of(results), Outcome::failed);
  EXPECT_EQ(sizes, std::vector<std::uint64_t>(3, 64_GiB)) << "one device each, of the default size";
  EXPECT_FALSE(results[0].replays.at(0).what_if) << "nobody asked";
}

TEST(Replays, OtherConditionsAreAskedWhatTheyComeTo) {
  const std::vector<Subject> subjects = load_subjects(test_file("pytorch_traces.json"), std::nullopt).subjects;
  std::vector<std::uint64_t> sizes;
  Request request{.memory_limit_bytes = 100_GiB, .devices = noting_devices(sizes)};
  const auto results = play_all(std::span(subjects).first(1), request);
  const Replay& replay = results.at(0).replays.at(0);
  EXPECT_TRUE(replay.comparison && replay.what_if);
  EXPECT_EQ(sizes, std::vector<std::uint64_t>(2, 100_GiB)) << "one to compare, one to ask";
  EXPECT_EQ(replay.device_memory_bytes, 100_GiB + sim::profile("h100").reserved_memory_bytes);
}

TEST(Replays, SettingsOfTheFileThatAreRejectedAreTheFilesMistake) {
  std::vector<Subject> subjects{of_a_trace()};
  subjects[0].trace.settings = "nonsense:1";
  std::vector<std::uint64_t> sizes;
  EXPECT_THROW(play_all(subjects, {.devices = noting_devices(sizes)}), EnvironmentError);
}

}  // namespace
}  // namespace gpucheck::replay
