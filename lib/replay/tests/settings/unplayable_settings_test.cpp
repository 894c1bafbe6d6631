#include <algorithm>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "replay/advice/advice.hpp"
#include "replay/tests/advice/advice_traces.hpp"
#include "replay/tests/simulated_devices.hpp"

// Settings that no device can play cost themselves, and not what is said of all others.
namespace gpucheck::replay {
namespace {

/// Reserves no addresses: expandable segments cannot be made on it.
class NoAddresses final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  [[nodiscard]] device::Result<void*> reserve_addresses(std::size_t) override { return device::Status::not_supported; }
};

DeviceSource without_addresses() {
  DeviceSource devices = simulated_devices();
  devices.open = [open = devices.open](std::optional<std::uint64_t> bytes) {
    PlayedDevice played = open(bytes);
    played.device = std::make_unique<NoAddresses>(std::move(played.device));
    return played;
  };
  return devices;
}

TEST(UnplayableSettings, AreAPlayThatDoesNotRunToItsEnd) {
  const PlayFigures figures =
      play(fragmenting_trace(), {"expandable_segments:True", std::nullopt, false}, without_addresses());
  EXPECT_NE(figures.problem.find("step 0"), std::string::npos) << figures.problem;
  EXPECT_FALSE(figures.runs_to_its_end());
  EXPECT_EQ(play(fragmenting_trace(), {"", std::nullopt, false}, without_addresses()).problem, "");
}

TEST(UnplayableSettings, LeaveTheOthersToBeAdvised) {
  using enum SnapshotAction;
  Snapshot recording;
  std::vector<SnapshotEvent>& events = recording.device_traces.emplace_back();
  const auto add = [&events](SnapshotAction action, std::uint64_t address, std::uint64_t size) {
    events.push_back({.address = address, .size = size, .action = action});
  };
  // Two of 60 MiB give way to one of 120.
  for (const std::uint64_t address : {1_GiB, 2_GiB}) add(alloc, address, 60_MiB);
  for (const std::uint64_t address : {1_GiB, 2_GiB}) add(free_requested, address, 60_MiB);
  for (const std::uint64_t address : {1_GiB, 2_GiB}) add(free_completed, address, 60_MiB);
  add(alloc, 3_GiB, 50_MiB);
  add(alloc, 4_GiB, 60_MiB);
  const Advice advice = advise(recording, 0, {.devices = without_addresses()});
  ASSERT_NE(advice.as_recorded(), nullptr);
  EXPECT_TRUE(advice.as_recorded()->smallest_memory_bytes.has_value());
  ASSERT_FALSE(advice.search.ranking.empty());
  EXPECT_EQ(advice.search.ranking.front().settings.find("expandable"), std::string::npos);
  EXPECT_TRUE(std::ranges::any_of(advice.search.ranking, [](const RankedSettings& row) {
    return !row.unlimited.problem.empty() && !row.smallest_memory_bytes;
  })) << "the reference with expandable segments";
}

}  // namespace
}  // namespace gpucheck::replay
