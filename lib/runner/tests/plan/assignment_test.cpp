#include "runner/plan/assignment.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <utility>

#include "base/text/units.hpp"
#include "runner/worker/neighbours.hpp"

namespace gpucheck::runner {
namespace {

using namespace literals;
using Groups = std::vector<std::vector<int>>;

TEST(Neighbours, LeaveNoDeviceOut) {
  EXPECT_EQ(neighbours(4, 1), (Groups{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(neighbours(4, 2), (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(neighbours(3, 2), (Groups{{0, 1}, {1, 2}}));
  EXPECT_EQ(neighbours(1, 2), Groups{});
  EXPECT_EQ(neighbours(0, 1), Groups{});
}

/// `count` devices of 80 GiB, and what a case with these needs gets of them.
/// @param change of the devices, before they are assigned.
/// @param cases 3 at most, one like the other.
std::vector<Assignment> assigned(int count, harness::Needs needs, bool every_device = true,
                                 const std::string& kind = "sim",
                                 const std::function<void(std::vector<harness::DeviceIdentity>&)>& change = {},
                                 int cases = 1) {
  IdentityReply identity;
  for (int i = 0; i < count; ++i) {
    harness::DeviceIdentity& device = identity.devices.emplace_back();
    device.kind = kind;
    device.uuid = "GPU-" + std::to_string(i);
    device.total_memory_bytes = 80_GiB;
  }
  if (change) change(identity.devices);
  for (int size = 1; size <= count; ++size) {
    for (auto& devices : neighbours(count, size)) {
      identity.groups.push_back({.devices = devices, .name = "group" + std::to_string(identity.groups.size())});
    }
  }
  static harness::Case test_case;
  test_case = {.name = "a.b", .summary = "", .source = ""};
  test_case.needs = std::move(needs);
  static std::array<PlannedCase, 3> planned;
  planned.fill({.test_case = &test_case});
  return assign({planned.data(), static_cast<std::size_t>(cases)}, identity, every_device);
}

TEST(Assign, GivesEachDeviceItsTurn) {
  const auto each = assigned(3, {});
  ASSERT_EQ(each.size(), 3U);
  EXPECT_EQ(each[2].devices, std::vector{2});
  EXPECT_EQ(each[2].device_name, "group2");
  EXPECT_EQ(each[2].unmet, "");
  EXPECT_EQ(assigned(3, {}, false).size(), 1U);
  EXPECT_EQ(assigned(3, {.devices = 0}).size(), 1U);
}

TEST(Assign, AResultOfACaseThatNeedsNoDeviceIsOfNone) {
  const auto about_machine = assigned(3, {.devices = 0});
  EXPECT_EQ(about_machine.at(0).devices, std::vector{0}) << "where it runs";
  EXPECT_EQ(result_devices(about_machine[0]), std::vector<int>{});
  const auto about_device = assigned(3, {});
  EXPECT_EQ(result_devices(about_device.at(2)), std::vector{2});
}

TEST(Assign, DealsOutWhatAnyDeviceWillDoFor) {
  const auto devices_of = [](const std::vector<Assignment>& assignments) {
    std::vector<int> devices;
    std::ranges::transform(assignments, std::back_inserter(devices),
                           [](const Assignment& assignment) { return assignment.devices.at(0); });
    return devices;
  };
  const harness::Needs needs{.any_device = true};
  EXPECT_EQ(devices_of(assigned(2, needs, true, "sim", {}, 3)), (std::vector{0, 1, 0}));
  EXPECT_EQ(devices_of(assigned(2, needs, false, "sim", {}, 3)), (std::vector{0, 0, 0}));
  const auto first_is_sick = [](auto& devices) { devices[0].problem = "fell off the bus"; };
  EXPECT_EQ(devices_of(assigned(3, needs, true, "sim", first_is_sick, 3)), (std::vector{1, 2, 1}));
  const auto all_are_sick = [](auto& devices) {
    for (auto& device : devices) device.problem = "fell off the bus";
  };
  EXPECT_EQ(devices_of(assigned(2, needs, true, "sim", all_are_sick, 3)), (std::vector{0, 1, 0}));
}

TEST(Assign, GivesPairsOfNeighbours) {
  const auto pairs = assigned(4, {.devices = 2});
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[1].devices, (std::vector{2, 3}));
  EXPECT_EQ(assigned(4, {.devices = 2}, false).size(), 1U);
}

TEST(Assign, GivesAllDevicesTogether) {
  const harness::Needs needs{.devices = 2, .every_device = true};
  const auto all = assigned(4, needs);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].devices, (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(assigned(3, needs, false).size(), 1U);
  EXPECT_EQ(assigned(1, needs)[0].unmet, "needs 2 devices, 1 is there");
  EXPECT_EQ(assigned(3, {.every_device = true})[0].devices.size(), 3U);
}

TEST(Assign, SkipsOnceWhatCannotBeThere) {
  const auto alone = assigned(1, {.devices = 2});
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].unmet, "needs 2 devices, 1 is there");
  EXPECT_EQ(assigned(1, {.memory_bytes = 80_GiB})[0].unmet, "") << "exactly as much as there is";
  EXPECT_NE(assigned(1, {.memory_bytes = 80_GiB + 1})[0].unmet, "");
  const auto large = assigned(2, {.memory_bytes = 81_GiB});
  ASSERT_EQ(large.size(), 2U);
  EXPECT_EQ(large[1].unmet, "needs 81.00 GiB of device memory, 80.00 GiB are there");
}

TEST(Assign, NamesAGpuByWhatDoesNotDependOnWhatIsVisible) {
  const auto pairs = assigned(2, {.devices = 2}, true, "cuda");
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].rerun_device, "GPU-0,GPU-1");
  EXPECT_EQ(assigned(2, {.devices = 2})[0].rerun_device, "group2");
  const auto nameless = assigned(2, {.devices = 2}, true, "cuda", [](auto& devices) { devices[1].uuid.clear(); });
  EXPECT_EQ(nameless[0].rerun_device, "group2") << "where one has none, both go by their numbers";
}

TEST(Assign, LeavesItToASickDeviceToSayWhatIsWrong) {
  const auto sick = [](std::vector<harness::DeviceIdentity>& devices) {
    devices[1].problem = "fell off the bus";
    devices[1].total_memory_bytes = 0;
  };
  const auto each = assigned(2, {.memory_bytes = 1_GiB}, true, "cuda", sick);
  ASSERT_EQ(each.size(), 2U);
  EXPECT_EQ(each[1].unmet, "") << "it is not a skip for lack of memory";
  const auto pair = assigned(2, {.devices = 2, .memory_bytes = 81_GiB}, true, "cuda", sick);
  EXPECT_NE(pair[0].unmet, "") << "the other one is too small all the same";
}

}  // namespace
}  // namespace gpucheck::runner
