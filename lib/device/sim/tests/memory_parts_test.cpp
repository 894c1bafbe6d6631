#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <map>
#include <optional>

#include "base/text/units.hpp"
#include "device/sim/memory/device_memory.hpp"
#include "device/sim/memory/free_ranges.hpp"
#include "device/sim/memory/host_memory.hpp"
#include "device/sim/memory/memory_pool.hpp"
#include "device/sim/memory/virtual_memory.hpp"

// Each part of the simulated memory alone, at the ends of its ranges.
namespace gpucheck::sim {
namespace {

using device::Status;
using namespace literals;

constexpr std::uint64_t unit = device::mapping_granularity;

TEST(VirtualMemoryPart, MapsWhatIsReservedAndUnmapped) {
  VirtualMemory memory;
  const std::uintptr_t begin = memory.reserve(4 * unit).value();
  EXPECT_EQ(begin % unit, 0U);
  EXPECT_TRUE(memory.is_unmapped({begin, 4 * unit}));
  EXPECT_FALSE(memory.is_unmapped({begin, 5 * unit})) << "beyond the end";
  EXPECT_FALSE(memory.is_unmapped({begin - unit, unit})) << "before the begin";
  EXPECT_TRUE(memory.map({begin + unit, 2 * unit}));
  EXPECT_TRUE(memory.is_unmapped({begin, unit}));
  EXPECT_TRUE(memory.is_unmapped({begin + 3 * unit, unit}));
  EXPECT_FALSE(memory.is_unmapped({begin, 2 * unit}));
  EXPECT_FALSE(memory.is_unmapped({begin + 2 * unit, unit})) << "within what is mapped";
  EXPECT_FALSE(memory.is_unmapped({begin + 2 * unit, 2 * unit}));
  EXPECT_FALSE(memory.map({begin, 4 * unit}));
  EXPECT_FALSE(memory.map({begin + 2 * unit, unit}));
  EXPECT_TRUE(memory.map({begin, unit}));
  EXPECT_TRUE(memory.map({begin + 3 * unit, unit}));
  EXPECT_FALSE(memory.map({begin + 4 * unit, unit}));
}

TEST(VirtualMemoryPart, UnmapsOnlyWhatOneMapMapped) {
  VirtualMemory memory;
  const std::uintptr_t begin = memory.reserve(4 * unit).value();
  ASSERT_TRUE(memory.map({begin, 2 * unit}));
  ASSERT_TRUE(memory.map({begin + 2 * unit, unit}));
  EXPECT_FALSE(memory.unmap({begin, unit}));
  EXPECT_FALSE(memory.unmap({begin, 3 * unit}));
  EXPECT_FALSE(memory.unmap({begin + unit, unit}));
  EXPECT_FALSE(memory.unmap({begin + 3 * unit, unit}));
  EXPECT_FALSE(memory.unmap({begin - unit, unit}));
  EXPECT_TRUE(memory.unmap({begin, 2 * unit}));
  EXPECT_FALSE(memory.unmap({begin, 2 * unit}));
  EXPECT_TRUE(memory.is_unmapped({begin, 2 * unit}));
  EXPECT_FALSE(memory.is_unmapped({begin, 3 * unit}));
}

TEST(VirtualMemoryPart, TheContentsAreLostWithTheMapping) {
  VirtualMemory memory;
  const std::uintptr_t begin = memory.reserve(2 * unit).value();
  auto* const bytes = reinterpret_cast<volatile unsigned char*>(begin);
  ASSERT_TRUE(memory.map({begin, unit}));
  ASSERT_TRUE(memory.map({begin + unit, unit}));
  for (const std::uint64_t at : {std::uint64_t{0}, unit - 1, unit}) bytes[at] = 7;
  ASSERT_TRUE(memory.unmap({begin, unit}));
  ASSERT_TRUE(memory.map({begin, unit}));
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[unit - 1], 0);
  EXPECT_EQ(bytes[unit], 7) << "its neighbour keeps its own";
}

TEST(VirtualMemoryPart, GoesBackWholeAndEmpty) {
  VirtualMemory memory;
  const std::uintptr_t begin = memory.reserve(3 * unit).value();
  const std::uintptr_t other = memory.reserve(unit).value();
  EXPECT_TRUE(memory.owns(begin));
  EXPECT_TRUE(memory.owns(begin + 3 * unit - 1));
  EXPECT_FALSE(memory.release({begin, unit}));
  EXPECT_FALSE(memory.release({begin + unit, 2 * unit}));
  EXPECT_FALSE(memory.release({begin, 4 * unit}));
  ASSERT_TRUE(memory.map({begin + unit, unit}));
  EXPECT_FALSE(memory.release({begin, 3 * unit}));
  ASSERT_TRUE(memory.unmap({begin + unit, unit}));
  EXPECT_TRUE(memory.release({begin, 3 * unit}));
  EXPECT_FALSE(memory.owns(begin));
  EXPECT_FALSE(memory.release({begin, 3 * unit}));
  EXPECT_FALSE(memory.is_unmapped({begin, unit}));
  EXPECT_FALSE(memory.map({begin, unit}));
  EXPECT_FALSE(memory.unmap({begin, unit}));
  EXPECT_TRUE(memory.owns(other));
  EXPECT_FALSE(memory.owns(other + unit));
}

TEST(VirtualMemoryPart, HasNoMoreAddressesThanTheHost) {
  VirtualMemory memory;
  EXPECT_EQ(memory.reserve(std::uint64_t{1} << 62U), std::nullopt);
  EXPECT_EQ(memory.reserve(UINT64_MAX - unit + 1), std::nullopt);
}

// Neighbours on either side, on both, and none that only come near.
TEST(FreeRangesPart, MergeOnBothSides) {
  using Ranges = std::map<std::uintptr_t, std::uint64_t>;
  FreeRanges ranges;
  ranges.insert({100, 10});
  ranges.insert({120, 10});
  ranges.insert({141, 9});
  EXPECT_EQ(ranges.insert({131, 9}).bytes, 9U);
  EXPECT_EQ(ranges.by_address(), (Ranges{{100, 10}, {120, 10}, {131, 9}, {141, 9}}));
  const Range merged = ranges.insert({110, 10});
  EXPECT_EQ(merged.begin, 100U);
  EXPECT_EQ(merged.bytes, 30U);
  EXPECT_EQ(ranges.by_address(), (Ranges{{100, 30}, {131, 9}, {141, 9}}));
  EXPECT_EQ(ranges.allocate(9), 131U) << "of equal ones the lowest";
  EXPECT_EQ(ranges.by_address(), (Ranges{{100, 30}, {141, 9}}));
  EXPECT_EQ(ranges.allocate(30), 100U) << "a range that fits to the byte";
  EXPECT_EQ(ranges.allocate(10), std::nullopt);
  ranges.remove({141, 9});
  EXPECT_TRUE(ranges.by_address().empty());
}

TEST(FreeRangesPart, ACutLeavesWhatIsBeside) {
  using Ranges = std::map<std::uintptr_t, std::uint64_t>;
  FreeRanges ranges;
  ranges.insert({100, 50});
  ranges.insert({200, 50});
  ranges.remove({200, 10});
  EXPECT_EQ(ranges.by_address(), (Ranges{{100, 50}, {210, 40}}));
  ranges.remove({240, 10});
  EXPECT_EQ(ranges.by_address(), (Ranges{{100, 50}, {210, 30}}));
  EXPECT_EQ(ranges.allocate(30), 210U);
}

/// What the pool asks of: a page is 2 MiB, and it grows by 32.
class MemoryPoolPart : public testing::Test {
 protected:
  static constexpr std::uint64_t chunk = 32_MiB;
  static Range range(const MemoryPool::Block& block) { return {block.begin, block.bytes}; }

  DeviceMemory memory{4 * chunk, 0};
  MemoryPool pool{memory};
  VectorClock nothing;
};

TEST_F(MemoryPoolPart, CountsToTheByteAndGrowsByChunks) {
  const MemoryPool::Block first = pool.allocate(1000, nothing).value();
  EXPECT_EQ(first.bytes, 1024U);
  EXPECT_EQ(first.usable_ns, 0U);
  EXPECT_EQ(pool.usage().used_bytes, 1000U);
  EXPECT_EQ(pool.usage().reserved_bytes, chunk);
  const MemoryPool::Block second = pool.allocate(chunk + 1, nothing).value();
  EXPECT_EQ(pool.usage().used_bytes, chunk + 1001);
  EXPECT_EQ(pool.usage().reserved_bytes, 3 * chunk);
  EXPECT_EQ(memory.free_bytes(), chunk);
  pool.free(range(second), chunk + 1, 100, {});
  EXPECT_EQ(pool.usage().used_bytes, 1000U);
  EXPECT_EQ(pool.usage().used_peak_bytes, chunk + 1001);
  pool.collect(100);
  pool.trim(2 * chunk);
  EXPECT_EQ(pool.usage().reserved_bytes, chunk) << "chunks go whole";
  EXPECT_EQ(pool.usage().reserved_peak_bytes, 3 * chunk);
  EXPECT_EQ(memory.free_bytes(), 3 * chunk);
  pool.reset_peaks();
  EXPECT_EQ(pool.usage().used_peak_bytes, 1000U);
  EXPECT_EQ(pool.usage().reserved_peak_bytes, chunk);
}

TEST_F(MemoryPoolPart, AsksForNoMoreThanTheDeviceHas) {
  EXPECT_FALSE(pool.allocate(4 * chunk + 1, nothing).has_value());
  EXPECT_EQ(pool.usage().used_bytes, 0U);
  EXPECT_TRUE(pool.allocate(4 * chunk, nothing).has_value());
  EXPECT_FALSE(pool.allocate(1, nothing).has_value());
  EXPECT_EQ(pool.usage().used_bytes, 4 * chunk);
}

// A free at 100 ns counts from then on.
TEST_F(MemoryPoolPart, AFreeHappensAtItsTime) {
  const MemoryPool::Block block = pool.allocate(chunk, nothing).value();
  pool.free(range(block), chunk, 100, {.component = 1, .epoch = 1});
  pool.collect(99);
  pool.trim(0);
  EXPECT_EQ(pool.usage().reserved_bytes, chunk);
  pool.collect(100);
  pool.trim(0);
  EXPECT_EQ(pool.usage().reserved_bytes, 0U);
  EXPECT_EQ(memory.free_bytes(), 4 * chunk);
}

// Who knows of the free has the block at once, and comes after it; who does not gets other memory while there is some.
TEST_F(MemoryPoolPart, WhoKnowsOfAFreeReusesIt) {
  const MemoryPool::Block block = pool.allocate(2048, nothing).value();
  pool.free(range(block), 2048, 100, {.component = 1, .epoch = 5});
  EXPECT_NE(pool.allocate(2048, nothing)->begin, block.begin);
  VectorClock knows;
  knows.advance({.component = 1, .epoch = 5});
  const MemoryPool::Block part = pool.allocate(512, knows).value();
  EXPECT_EQ(part.begin, block.begin);
  EXPECT_EQ(part.bytes, 512U);
  EXPECT_EQ(part.usable_ns, 100U);
  EXPECT_EQ(part.after.epoch, 5U);
  const MemoryPool::Block rest = pool.allocate(1536, knows).value();
  EXPECT_EQ(rest.begin, block.begin + 512);
  EXPECT_NE(pool.allocate(512, knows)->begin, block.begin);
}

// The last resort: a stream that does not know of the free waits for it.
TEST_F(MemoryPoolPart, WithoutOtherMemoryAFreeIsWaitedFor) {
  const MemoryPool::Block all = pool.allocate(4 * chunk, nothing).value();
  pool.free(range(all), 4 * chunk, 700, {.component = 1, .epoch = 1});
  const MemoryPool::Block part = pool.allocate(chunk, nothing).value();
  EXPECT_EQ(part.begin, all.begin);
  EXPECT_EQ(part.usable_ns, 700U);
}

// Two chunks with a gap that neither fills: both are given up for the one that is wanted.
TEST_F(MemoryPoolPart, UnusedChunksMakeRoomForALargerOne) {
  std::vector<MemoryPool::Block> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(pool.allocate(chunk, nothing).value());
  for (int i = 0; i < 4; i += 2) pool.free(range(blocks[static_cast<std::size_t>(i)]), chunk, 1, {});
  pool.collect(1);
  EXPECT_TRUE(pool.allocate(2 * chunk, nothing).has_value());
  EXPECT_EQ(pool.usage().reserved_bytes, 4 * chunk);
}

TEST_F(MemoryPoolPart, KeepsItsThreshold) {
  std::vector<MemoryPool::Block> blocks;
  for (int i = 0; i < 3; ++i) blocks.push_back(pool.allocate(chunk, nothing).value());
  for (const MemoryPool::Block& block : blocks) pool.free(range(block), chunk, 1, {});
  pool.collect(1);
  pool.set_threshold(2 * chunk);
  pool.trim_to_threshold();
  EXPECT_EQ(pool.usage().reserved_bytes, 2 * chunk);
  pool.set_threshold(2 * chunk - 1);
  pool.trim_to_threshold();
  EXPECT_EQ(pool.usage().reserved_bytes, chunk);
}

TEST(DeviceMemoryPart, IsChargedToTheByte) {
  DeviceMemory memory(16_MiB, 2_MiB);
  EXPECT_EQ(memory.free_bytes(), 14_MiB);
  EXPECT_EQ(memory.total_bytes(), 16_MiB);
  EXPECT_FALSE(memory.charge(14_MiB + 1));
  EXPECT_TRUE(memory.charge(14_MiB));
  EXPECT_EQ(memory.allocate(1), std::nullopt);
  memory.discharge(2_MiB);
  EXPECT_TRUE(memory.allocate(1).has_value());
  EXPECT_EQ(memory.free_bytes(), 0U);
}

// Two allocations that share a page, as long as one is there; a larger one has pages of its own.
TEST(DeviceMemoryPart, SmallAndLargeAreToldApartAtOneMib) {
  DeviceMemory memory(16_MiB, 0);
  const Range small = memory.allocate(1_MiB).value();
  EXPECT_EQ(small.bytes, 1_MiB);
  const Range large = memory.allocate(1_MiB + 1).value();
  EXPECT_EQ(large.bytes, 2_MiB);
  EXPECT_EQ(memory.free_bytes(), 12_MiB);
  const Range byte = memory.allocate(513).value();
  EXPECT_EQ(byte.bytes, 1024U);
  EXPECT_EQ(memory.free_bytes(), 12_MiB) << "in the page that is there";
  EXPECT_TRUE(memory.owns(small.begin));
  EXPECT_TRUE(memory.owns(large.end() - 1));
  EXPECT_FALSE(memory.owns(0));
  memory.release(large);
  EXPECT_EQ(memory.free_bytes(), 14_MiB);
  memory.release(small);
  memory.release(byte);
  EXPECT_EQ(memory.free_bytes(), 16_MiB);
  EXPECT_EQ(memory.allocate(16_MiB + 1), std::nullopt);
  EXPECT_TRUE(memory.allocate(16_MiB).has_value());
}

// Mappings side by side are one range, from the first byte to the last; with a gap, or of another kind, they are not.
TEST(AllocationMapPart, MappingsSideBySideAreOne) {
  using Origin = AllocationMap::Origin;
  AllocationMap map;
  for (const std::uintptr_t begin : {1000U, 1100U, 1200U, 1400U}) {
    map.add(begin, {.bytes = 100, .origin = Origin::mapping});
  }
  map.add(1500, {.bytes = 100});
  EXPECT_TRUE(map.contains({1000, 300}));
  EXPECT_TRUE(map.contains({1050, 250}));
  EXPECT_FALSE(map.contains({1050, 251})) << "a gap";
  EXPECT_FALSE(map.contains({1400, 101})) << "what follows is not a mapping";
  EXPECT_FALSE(map.contains({1300, 1}));
  EXPECT_TRUE(map.contains({1400, 100}));
  EXPECT_EQ(map.bytes(), 500U);
  EXPECT_EQ(map.find(1001), nullptr);
  ASSERT_NE(map.find(1100), nullptr);
  map.remove(1100);
  EXPECT_FALSE(map.contains({1000, 101}));
  EXPECT_EQ(map.bytes(), 400U);
}

TEST(HostMemoryPart, KnowsARangeFromItsFirstByteToItsLast) {
  HostMemory host;
  std::array<std::byte, 100> bytes{};
  ASSERT_EQ(host.register_range(bytes.data() + 20, 40), Status::success);
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data() + 20);
  EXPECT_EQ(host.find(bytes.data() + 19), std::nullopt);
  EXPECT_EQ(host.find(bytes.data() + 60), std::nullopt);
  ASSERT_TRUE(host.find(bytes.data() + 59).has_value());
  EXPECT_EQ(host.find(bytes.data() + 59)->begin, first);
  EXPECT_EQ(host.find(bytes.data() + 20)->bytes, 40U);
  EXPECT_TRUE(host.contains({first, 40}));
  EXPECT_TRUE(host.contains({first + 39, 1}));
  EXPECT_FALSE(host.contains({first + 39, 2}));
  EXPECT_FALSE(host.contains({first - 1, 2}));
  EXPECT_EQ(host.register_range(bytes.data(), 20), Status::success) << "up to where the other begins";
  EXPECT_EQ(host.register_range(bytes.data() + 60, 40), Status::success) << "from where the other ends";
  EXPECT_EQ(host.register_range(bytes.data() + 59, 1), Status::host_memory_already_registered);
  EXPECT_EQ(host.register_range(bytes.data() + 10, 90), Status::host_memory_already_registered);
  EXPECT_EQ(host.register_range(bytes.data(), UINT64_MAX), Status::invalid_value);
}

}  // namespace
}  // namespace gpucheck::sim
