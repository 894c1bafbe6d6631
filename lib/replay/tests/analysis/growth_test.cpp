#include "replay/analysis/growth.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace gpucheck::replay {
namespace {

SnapshotSegment segment(std::size_t device, std::vector<std::pair<std::uint64_t, StackId>> used,
                        std::uint64_t inactive = 0) {
  SnapshotSegment segment;
  segment.device = device;
  for (const auto& [bytes, stack] : used) {
    SnapshotBlock block;
    block.size = bytes;
    block.stack = stack;
    block.state = SnapshotBlockState::active_allocated;
    segment.blocks.push_back(block);
    segment.total_size += bytes;
  }
  if (inactive > 0) {
    SnapshotBlock block;
    block.size = inactive;
    block.state = SnapshotBlockState::inactive;
    segment.blocks.push_back(block);
    segment.total_size += inactive;
  }
  return segment;
}

const StackFrame loss{"loss", "model.py", 3};
const StackFrame cache{"cache", "model.py", 9};
const StackFrame main_frame{"main", "train.py", 1};

TEST(Growth, JoinsStacksByTheirFrames) {
  Snapshot before;
  before.stacks = {{loss, main_frame, cache}, {{}, {0, 1}, {2, 1}}};
  before.segments = {segment(0, {{100, 1}, {30, 2}, {5, 2}}, 50)};
  Snapshot after;  // the same stacks under other numbers, and one that is new
  after.stacks = {{main_frame, cache, loss}, {{}, {1, 0}, {2, 0}, {2}}};
  after.segments = {segment(0, {{300, 1}, {40, 2}, {7, 3}, {1, no_stack}})};
  const Growth growth = growth_between(before, after);
  ASSERT_EQ(growth.devices.size(), 1U);
  const DeviceGrowth& device = growth.devices[0];
  EXPECT_EQ(device.before.reserved_bytes, 185U);
  EXPECT_EQ(device.after.reserved_bytes, 348U);
  ASSERT_EQ(device.by_stack.size(), 4U);
  const auto innermost = [&](std::size_t place) {
    return growth.stacks.frames[growth.stacks.stacks[device.by_stack[place].stack].front()];
  };
  EXPECT_EQ(innermost(0), cache) << "grew by 265";
  EXPECT_EQ(device.by_stack[0].bytes_before, 35U);
  EXPECT_EQ(device.by_stack[0].count_before, 2U);
  EXPECT_EQ(device.by_stack[0].bytes_after, 300U);
  EXPECT_EQ(innermost(1), loss) << "by 7, without its caller";
  EXPECT_EQ(device.by_stack[1].bytes_before, 0U);
  EXPECT_EQ(device.by_stack[2].stack, no_stack);
  EXPECT_EQ(innermost(3), loss) << "shrank by 60";
  EXPECT_EQ(device.by_stack[3].bytes_after, 40U);
}

TEST(Growth, HoldsDevicesAgainstThoseOfTheSameNumber) {
  Snapshot before;
  before.segments = {segment(0, {{10, 0}}), segment(1, {{20, 0}})};
  Snapshot after;
  after.segments = {segment(1, {{25, 0}}), segment(2, {{30, 0}})};
  const Growth growth = growth_between(before, after);
  ASSERT_EQ(growth.devices.size(), 3U);
  EXPECT_EQ(growth.devices[0].device_after, std::nullopt);
  EXPECT_EQ(growth.devices[1].by_stack.at(0).bytes_before, 20U);
  EXPECT_EQ(growth.devices[1].by_stack.at(0).bytes_after, 25U);
  EXPECT_EQ(growth.devices[2].device_before, std::nullopt);
  EXPECT_EQ(growth_between(before, after, 1).devices.size(), 1U);
  EXPECT_THROW(static_cast<void>(growth_between(before, after, 3)), EnvironmentError);
  EXPECT_THROW(static_cast<void>(growth_between({}, {})), EnvironmentError);
}

TEST(Growth, TheOnlyDevicesOfTwoRanksAreHeldAgainstEachOther) {
  Snapshot before;
  before.segments = {segment(0, {{10, 0}})};
  Snapshot after;
  after.segments = {segment(3, {{25, 0}})};
  const Growth growth = growth_between(before, after);
  ASSERT_EQ(growth.devices.size(), 1U);
  EXPECT_EQ(growth.devices[0].device_before, 0U);
  EXPECT_EQ(growth.devices[0].device_after, 3U);
}

}  // namespace
}  // namespace gpucheck::replay
