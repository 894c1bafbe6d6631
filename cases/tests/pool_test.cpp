#include <gtest/gtest.h>
#include <memory>

#include "base/error.hpp"
#include "cases/pool/support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/fault/fault_driver.hpp"
#include "device/sim/sim_driver.hpp"

// What the cases of private pools observe by, with memory and segments made by hand.
namespace gpucheck::cases::in_pool {
namespace {

using runtime::BlockState;
using runtime::SegmentInfo;

/// A simulated device with a runtime, under a plan.
struct Machine {
  explicit Machine(const fault::Plan& plan = {})
      : driver(fault::inject(sim::make_driver({.profile = sim::profile("small")}), plan)) {}

  /// Writes one byte, as something that went wrong would.
  void poke(const Storage& storage, std::size_t offset, std::uint8_t value) {
    void* const place = static_cast<std::uint8_t*>(storage.data()) + offset;
    device::check(*device, device->copy(place, &value, 1, device::CopyKind::host_to_device, runtime.current_stream()),
                  "copy");
    synchronize(runtime);
  }

  std::unique_ptr<device::Driver> driver;
  std::unique_ptr<device::Device> device = driver->open(0).value();
  runtime::Runtime runtime{*device};
};

TEST(WrongBytes, AreCountedWhereverTheyAre) {
  Machine machine;
  for (const std::size_t bytes : {1U, 511U, 512U, 4097U}) {
    const Storage storage = ones(machine.runtime, bytes);
    EXPECT_EQ(wrong_bytes(machine.runtime, storage, 1), 0) << bytes;
    EXPECT_EQ(wrong_bytes(machine.runtime, storage, 2), static_cast<std::int64_t>(bytes));
    machine.poke(storage, bytes - 1, 3);
    EXPECT_EQ(wrong_bytes(machine.runtime, storage, 1), 1) << "the last of " << bytes;
    if (bytes == 1) continue;
    machine.poke(storage, 0, 3);
    EXPECT_EQ(wrong_bytes(machine.runtime, storage, 1), 2) << "and the first";
  }
}

TEST(WrongBytes, AreNotNoneWhereNobodyLooked) {
  Machine machine(fault::kernel_lost(fault::from_call(2)));  // the first writes
  const Storage storage = ones(machine.runtime, 512);
  EXPECT_EQ(wrong_bytes(machine.runtime, storage, 1), -1);
}

TEST(WrongBytes, OfSeveralAreEachByItsOwnValue) {
  Machine machine;
  Outputs outputs;
  for (int i = 0; i < 3; ++i) outputs.push_back(ones(machine.runtime, 512));
  fill(machine.runtime, outputs[1], 7, machine.runtime.current_stream());
  EXPECT_EQ(wrong_bytes_in_all(machine.runtime, outputs, {1, 7, 1}), 0);
  EXPECT_EQ(wrong_bytes_in_all(machine.runtime, outputs, {7, 1, 1}), 1024);
  machine.poke(outputs[2], 100, 9);
  EXPECT_EQ(wrong_bytes_in_all(machine.runtime, outputs, {1, 7, 1}), 1) << "the last output counts";
  EXPECT_THROW(static_cast<void>(wrong_bytes_in_all(machine.runtime, outputs, {1, 7})), std::out_of_range)
      << "an output that nobody expects";
}

TEST(Plus, AddsEachByteAndWraps) {
  Machine machine;
  const Storage a = ones(machine.runtime, 1000);
  const Storage b = ones(machine.runtime, 1000);
  machine.poke(a, 0, 255);
  machine.poke(b, 999, 41);
  const Storage sum = plus(machine.runtime, a, b);
  EXPECT_EQ(sum.bytes(), 1000U);
  EXPECT_EQ(wrong_bytes(machine.runtime, sum, 2), 2);
  std::vector<std::uint8_t> read(1000);
  device::check(*machine.device,
                machine.device->copy(read.data(), sum.data(), 1000, device::CopyKind::device_to_host,
                                     machine.runtime.current_stream()),
                "copy");
  synchronize(machine.runtime);
  EXPECT_EQ(read.front(), 0);
  EXPECT_EQ(read.back(), 42);
}

/// Two segments: one of two blocks, the first in use; one whole and free.
std::vector<SegmentInfo> two_segments() {
  std::vector<SegmentInfo> segments(2);
  for (SegmentInfo& segment : segments) segment.pool = PoolId{1, 2};
  segments[0].address = 0x1000;
  segments[0].total_size = 2048;
  segments[0].allocated_size = segments[0].active_size = 512;
  segments[0].blocks = {{.address = 0x1000, .size = 512, .state = BlockState::active_allocated},
                        {.address = 0x1200, .size = 1536}};
  segments[1].address = 0x9000;
  segments[1].total_size = 4096;
  segments[1].is_large = true;
  segments[1].blocks = {{.address = 0x9000, .size = 4096}};
  return segments;
}

TEST(SameSegments, AreThoseOfWhichAllThatIsComparedIsEqual) {
  const std::vector<SegmentInfo> before = two_segments();
  EXPECT_TRUE(same_segments(before, before));
  EXPECT_TRUE(same_segments(before, {before[1], before[0]})) << "in any order";
  EXPECT_TRUE(same_segments({before[1]}, before)) << "more than before";
  EXPECT_FALSE(same_segments(before, {before[0]}));
  EXPECT_FALSE(same_segments(before, {before[1]}));
  EXPECT_FALSE(same_segments(before, {}));
}

TEST(SameSegments, DifferByEachThing) {
  const std::vector<SegmentInfo> before = two_segments();
  const auto differs = [&before](auto change) {
    std::vector<SegmentInfo> after = before;
    change(after.back());
    return !same_segments(before, after);
  };
  EXPECT_TRUE(differs([](SegmentInfo& one) { one.address += 512; }));
  EXPECT_TRUE(differs([](SegmentInfo& one) { one.total_size += 512; }));
  EXPECT_TRUE(differs([](SegmentInfo& one) { one.allocated_size += 512; }));
  EXPECT_TRUE(differs([](SegmentInfo& one) { one.active_size += 512; }));
  EXPECT_TRUE(differs([](SegmentInfo& one) { one.is_large = false; }));
  EXPECT_TRUE(differs([](SegmentInfo& one) { one.pool = PoolId{1, 3}; }));
  EXPECT_TRUE(differs([](SegmentInfo& one) { one.blocks.front().size = 512; }));
  EXPECT_TRUE(differs([](SegmentInfo& one) { one.blocks.front().state = BlockState::active_allocated; }));
  EXPECT_TRUE(differs([](SegmentInfo& one) { one.blocks.push_back({.address = 0xA000}); }));
  EXPECT_TRUE(differs([](SegmentInfo& one) { one.blocks.clear(); }));
}

TEST(Pools, AreLookedAtAsTheyAre) {
  Machine machine;
  runtime::Runtime& runtime = machine.runtime;
  const std::unique_ptr<Captured> captured = capture(runtime, [](runtime::Runtime& on) {
    return kept_of_eleven(on, {0, 10});
  });
  const PoolId pool = captured->graph.pool();
  EXPECT_EQ(private_segments(runtime), 1);
  EXPECT_EQ(live_blocks(runtime, pool), 2);
  EXPECT_EQ(layout(runtime, pool), "small 2097152: 512 used, 4608 free, 512 used, 2091520 free");
  captured->outputs.pop_back();
  EXPECT_EQ(live_blocks(runtime, pool), 1);
  EXPECT_EQ(layout(runtime, pool), "small 2097152: 512 used, 2096640 free");
  Storage other = allocate_in_pool(runtime, pool, captured->stream, 2 * small_buffer_bytes);
  EXPECT_EQ(private_segments(runtime), 2);
  EXPECT_EQ(live_blocks(runtime, pool), 2);
  EXPECT_EQ(other.bytes(), 2 * small_buffer_bytes);
}

TEST(Replay, ThatDoesNothingIsSeen) {
  Machine machine(fault::replay_lost(fault::every_call));
  const std::unique_ptr<Captured> captured =
      capture(machine.runtime, [](runtime::Runtime& on) { return kept_of_eleven(on, {3}); });
  replay(machine.runtime, *captured);
  EXPECT_EQ(wrong_bytes_in_all(machine.runtime, captured->outputs, {1}), 512);
}

TEST(WithoutOwners, IsTheSameMemoryAndOwnsNothing) {
  Machine machine;
  Outputs owned;
  owned.push_back(ones(machine.runtime, 512));
  owned.push_back(ones(machine.runtime, 1024));
  const Outputs views = without_owners(owned);
  ASSERT_EQ(views.size(), 2U);
  for (std::size_t i = 0; i < views.size(); ++i) {
    EXPECT_EQ(views[i].data(), owned[i].data());
    EXPECT_EQ(views[i].bytes(), owned[i].bytes());
    EXPECT_FALSE(views[i].owns());
  }
}

}  // namespace
}  // namespace gpucheck::cases::in_pool
