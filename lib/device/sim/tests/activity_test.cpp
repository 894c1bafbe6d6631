#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "device/sim/tests/fixture.hpp"

// What the simulator's own recorder says of work: its kind, its device, its call and how long it took.
namespace gpucheck::sim {
namespace {

using device::Activity;
using device::ActivityKind;
using device::CopyKind;
using device::Status;

constexpr std::size_t moved_bytes = 64'000;

/// The activities of what `work` does, in the order of their begin.
template <typename Work>
std::vector<Activity> recorded(Fixture& fixture, Work work) {
  const auto recorder = fixture.driver().record_activity().recorder;
  work();
  EXPECT_EQ(fixture.device().synchronize(), Status::success);
  std::vector<Activity> activities = recorder->finish();
  std::ranges::sort(activities, {}, &Activity::start_ns);
  return activities;
}

/// That it took as long as that and at most an eighth more.
void expect_duration(const Activity& activity, std::uint64_t nanoseconds) {
  const std::uint64_t took = activity.end_ns - activity.start_ns;
  EXPECT_GT(took, nanoseconds);
  EXPECT_LE(took, nanoseconds + nanoseconds / 8 + 1);
}

// "small" moves 200 bytes in a nanosecond, the link to the host 25; each operation takes 800 ns beside.
TEST(SimulatedActivity, TakesAsLongAsItsBytes) {
  ASSERT_EQ(profile("small").memory_bytes_per_ns, 200U);
  Fixture fixture;
  const device::Stream stream = fixture.stream();
  auto* const first = fixture.memory<std::byte>(moved_bytes);
  auto* const second = fixture.memory<std::byte>(moved_bytes);
  auto* const host = fixture.pinned<std::byte>(moved_bytes);
  const std::vector<Activity> seen = recorded(fixture, [&] {
    check(fixture.device().fill(first, 1, moved_bytes, stream), "fill");
    fixture.copy(second, first, moved_bytes, CopyKind::device_to_device, stream);
    fixture.copy(host, second, moved_bytes, CopyKind::device_to_host, stream);
    fixture.copy(second, host, moved_bytes, CopyKind::host_to_device, stream);
    fixture.fill(reinterpret_cast<std::int32_t*>(first), 1, moved_bytes / 4, stream);
    fixture.run(device::kernels::Spin{10'000}, 1, stream);
  });
  ASSERT_EQ(seen.size(), 6U);
  expect_duration(seen[0], 800 + moved_bytes / 200);
  expect_duration(seen[1], 800 + 2 * moved_bytes / 200);
  expect_duration(seen[2], 800 + moved_bytes / 25);
  expect_duration(seen[3], 800 + moved_bytes / 25);
  expect_duration(seen[4], 800 + moved_bytes / 200);
  expect_duration(seen[5], 800 + 10'000);
  const std::vector<ActivityKind> kinds{ActivityKind::fill, ActivityKind::copy,   ActivityKind::copy,
                                        ActivityKind::copy, ActivityKind::kernel, ActivityKind::kernel};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].kind, kinds[i]) << i;
    EXPECT_EQ(seen[i].bytes, kinds[i] == ActivityKind::kernel ? 0U : moved_bytes) << i;
    EXPECT_EQ(seen[i].stream, stream.value) << i;
    EXPECT_EQ(seen[i].device, 0) << i;
    EXPECT_GE(seen[i].start_ns, i > 0 ? seen[i - 1].end_ns : 0) << i;
  }
  EXPECT_EQ(seen[0].name, "fill");
  EXPECT_EQ(seen[2].name, "copy device_to_host");
}

// A slow device's take half as long again, the other's as long as ever.
TEST(SimulatedActivity, TakesHalfAsLongAgainOnASlowDevice) {
  for (const int slow : {0, 1}) {
    const auto driver = make_driver({.profile = profile("small"), .device_count = 2, .slow_device = slow});
    const auto recorder = driver->record_activity().recorder;
    for (int ordinal = 0; ordinal < 2; ++ordinal) {
      const auto device = driver->open(ordinal).value();
      check(device::launch(*device, device::kernels::Spin{100'000}, 1, device->default_stream()), "spin");
      check(device->synchronize(), "synchronize");
    }
    const std::vector<Activity> seen = recorder->finish();
    ASSERT_EQ(seen.size(), 2U);
    for (const Activity& activity : seen) expect_duration(activity, activity.device == slow ? 151'200 : 100'800);
    EXPECT_NE(seen[0].device, seen[1].device);
  }
}

// The number is 0 for what belongs to no call; each thread says its own.
TEST(SimulatedActivity, BelongsToTheCallThatAsked) {
  Fixture fixture;
  const device::Stream stream = fixture.stream();
  auto* const memory = fixture.memory<std::byte>(moved_bytes);
  const auto recorder = fixture.driver().record_activity().recorder;
  check(fixture.device().fill(memory, 1, 1, stream), "fill");
  recorder->begin_call(7);
  check(fixture.device().fill(memory, 1, 2, stream), "fill");
  recorder->end_call();
  check(fixture.device().fill(memory, 1, 3, stream), "fill");
  recorder->begin_call(9);
  check(fixture.device().host_callback(
            stream, [](void*) {}, nullptr),
        "host_callback");
  recorder->end_call();
  fixture.synchronize(stream);
  std::vector<Activity> seen = recorder->finish();
  std::ranges::sort(seen, {}, &Activity::start_ns);
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen[0].call, 0U);
  EXPECT_EQ(seen[1].call, 7U);
  EXPECT_EQ(seen[2].call, 0U);
  EXPECT_EQ(seen[3].call, 9U);
  EXPECT_EQ(seen[3].kind, ActivityKind::host_function);
  EXPECT_TRUE(recorder->finish().empty()) << "taken once";
}

// By the numbers that the visible devices have, whichever of the machine they are.
TEST(SimulatedActivity, IsOfTheVisibleDevices) {
  const Environment visible(visible_devices_variable, "3,1");
  const auto driver = make_driver({.profile = profile("small"), .device_count = 4});
  const auto recorder = driver->record_activity().recorder;
  const auto device = driver->open(1).value();
  check(device::launch(*device, device::kernels::Spin{1}, 1, device->default_stream()), "spin");
  check(device->synchronize(), "synchronize");
  const std::vector<Activity> seen = recorder->finish();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].device, 1);
}

TEST(SimulatedActivity, NothingIsRecordedWhereNoDeviceIsVisible) {
  const Environment visible(visible_devices_variable, "");
  const auto recording = make_driver({.profile = profile("small")})->record_activity();
  EXPECT_EQ(recording.recorder, nullptr);
  EXPECT_EQ(recording.problem, "no device is visible");
}

// Each list, and the machine's numbers of the devices that can then be opened, of four.
TEST(SimulatedVisibility, EndsAtTheFirstThatIsNone) {
  const std::vector<std::pair<std::string, std::vector<int>>> table{
      {"0", {0}},      {"3,2,1,0", {3, 2, 1, 0}}, {"1,4,0", {1}}, {"1,-1,0", {1}},
      {"2,x,0", {2}},  {"2,1x,0", {2}},           {"2,,0", {2}},  {"2,", {2}},
      {"00,1", {0, 1}}};
  for (const auto& row : table) {
    SCOPED_TRACE(row.first);
    const Environment visible(visible_devices_variable, row.first);
    const auto driver = make_driver({.profile = profile("small"), .device_count = 4});
    ASSERT_EQ(driver->device_count().value(), static_cast<int>(row.second.size()));
    for (std::size_t i = 0; i < row.second.size(); ++i) {
      const auto opened = driver->open(static_cast<int>(i)).value();
      EXPECT_EQ(opened->properties().uuid, "SIM-small-" + std::to_string(row.second[i]));
      EXPECT_EQ(opened->properties().uuid_bytes.back(), row.second[i]);
      EXPECT_EQ(opened->properties().pci_bus_id, "sim:0" + std::to_string(row.second[i]) + ":00.0");
      EXPECT_EQ(opened->ordinal(), static_cast<int>(i));
    }
    EXPECT_EQ(driver->open(-1).error(), Status::invalid_device);
  }
  for (const char* const nothing : {"4", "-1", "x", ",0"}) {
    const Environment visible(visible_devices_variable, nothing);
    EXPECT_EQ(make_driver({.profile = profile("small"), .device_count = 4})->device_count().error(), Status::no_device);
  }
}

// All that there are, whatever is visible.
TEST(SimulatedVisibility, InstalledIsWhatTheMachineHas) {
  const Environment visible(visible_devices_variable, "1");
  const auto driver = make_driver({.profile = profile("small"), .device_count = 3});
  EXPECT_EQ(driver->installed_devices(), (std::vector<std::string>{"SIM-small-0", "SIM-small-1", "SIM-small-2"}));
}

TEST(SimulatedMemory, LiveBytesAreThoseOfAllDevices) {
  Fixture fixture(0, 2);
  const auto other = fixture.driver().open(1).value();
  void* const first = fixture.device().allocate(1'000).value();
  void* const second = other->allocate(300).value();
  EXPECT_EQ(fixture.driver().live_bytes(), 1'300U);
  EXPECT_EQ(fixture.device().free(first), Status::success);
  EXPECT_EQ(fixture.driver().live_bytes(), 300U);
  EXPECT_EQ(other->free(second), Status::success);
  EXPECT_EQ(fixture.driver().live_bytes(), 0U);
}

}  // namespace
}  // namespace gpucheck::sim
