#include <gtest/gtest.h>
#include <map>

#include "base/text/units.hpp"
#include "runtime/memory/pinned_buffer.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/pinned/tests/pinned_fixture.hpp"

namespace gpucheck::runtime::test {
namespace {

using namespace literals;

TEST_F(Pinned, NothingForNoBytes) {
  EXPECT_EQ(allocate(0).pointer, nullptr);
  EXPECT_EQ(allocate(0).context, nullptr);
  allocator().free(nullptr);
  EXPECT_EQ(allocator().stats().num_host_alloc, 0);
}

TEST_F(Pinned, IsPageLockedForTheDriver) {
  const PinnedBuffer<float> buffer(machine_.runtime(), 20);
  const std::vector<float> pageable(20);
  EXPECT_TRUE(is_pinned(machine_.device(), buffer.data()));
  EXPECT_TRUE(is_pinned(machine_.device(), buffer.data() + 7));
  EXPECT_FALSE(is_pinned(machine_.device(), pageable.data()));
}

// PyTorch 2.11 on an H100: eleven one-byte requests, each freed, then 1000 bytes, then
// freed: recorded before and after the last free, which moves nothing.
TEST_F(Pinned, StatisticsAsRecordedFromPyTorch) {
  for (int i = 0; i < 11; ++i) allocator().free(allocate(1).context);
  const PinnedAllocator::Allocation last = allocate(1000);
  const std::map<std::string, std::int64_t> expected = {{"active_bytes.allocated", 1035},
                                                        {"active_bytes.current", 1035},
                                                        {"active_bytes.freed", 0},
                                                        {"active_bytes.peak", 1035},
                                                        {"active_requests.allocated", 12},
                                                        {"active_requests.current", 12},
                                                        {"active_requests.freed", 0},
                                                        {"active_requests.peak", 12},
                                                        {"allocated_bytes.allocated", 1025},
                                                        {"allocated_bytes.current", 1025},
                                                        {"allocated_bytes.freed", 0},
                                                        {"allocated_bytes.peak", 1025},
                                                        {"allocations.allocated", 2},
                                                        {"allocations.current", 2},
                                                        {"allocations.freed", 0},
                                                        {"allocations.peak", 2},
                                                        {"num_host_alloc", 2},
                                                        {"num_host_free", 0}};
  const auto check = [&] {
    const auto seen = statistics();
    for (const auto& [name, value] : expected) EXPECT_EQ(seen.at(name), value) << name;
    EXPECT_EQ(seen.size(), expected.size() + 10);  // and two durations of five values each
    EXPECT_EQ(seen.at("host_alloc_time.count"), 2);
    EXPECT_EQ(seen.at("host_free_time.count"), 0);
  };
  check();
  allocator().free(last.context);
  check();
}

// As recorded: see lib/replay/recorded/pytorch_pinned.json.
TEST_F(Pinned, ABlockReturnedByEventsLowersTheRequestsAndRaisesTheBytesByOne) {
  freed_in_use(1000, machine_.default_stream());
  EXPECT_EQ(statistics().at("active_bytes.current"), 1024);
  finish(machine_.default_stream());
  allocator().empty_cache();
  EXPECT_EQ(statistics().at("active_bytes.current"), 1025);
  EXPECT_EQ(statistics().at("active_bytes.freed"), -1);
  EXPECT_EQ(statistics().at("active_requests.freed"), 1);
  EXPECT_EQ(statistics().at("active_bytes.peak"), 1024);
}

TEST_F(Pinned, RoundsToPowersOfTwoAndReusesWithinOneOnly) {
  const auto first = allocate(513);
  allocator().free(first.context);
  EXPECT_EQ(allocate(1024).pointer, first.pointer);
  EXPECT_NE(allocate(512).pointer, first.pointer);
  EXPECT_EQ(allocator().stats().allocated_bytes.current, 1024 + 512);
  allocator().free(allocate(1).context);
  EXPECT_EQ(allocator().stats().allocated_bytes.current, 1024 + 512 + 1);
}

TEST_F(Pinned, TheBlockFreedLastIsUsedFirst) {
  const auto first = allocate(64);
  const auto second = allocate(64);
  allocator().free(first.context);
  allocator().free(second.context);
  EXPECT_EQ(allocate(64).pointer, second.pointer);
  EXPECT_EQ(allocate(64).pointer, first.pointer);
}

TEST_F(Pinned, KnowsABlockByContextAndByStartAlone) {
  const auto block = allocate(4096);
  void* inside = static_cast<char*>(block.pointer) + 1;
  const device::Stream stream = machine_.side_stream();
  EXPECT_FALSE(allocator().record_event(inside, nullptr, stream));
  EXPECT_TRUE(allocator().record_event(inside, block.context, stream));
  EXPECT_TRUE(allocator().record_event(block.pointer, inside, stream));
  allocator().free(block.context);
  EXPECT_FALSE(allocator().record_event(block.pointer, block.context, stream));
}

TEST_F(Pinned, EmptyCacheReleasesWhatIsFreeOnly) {
  const auto kept = allocate(64);
  allocator().free(allocate(1_MiB).context);
  freed_in_use(4096, machine_.side_stream());
  allocator().empty_cache();
  EXPECT_EQ(allocator().stats().allocated_bytes.current, 64 + 4096);
  EXPECT_EQ(allocator().stats().num_host_free, 1);
  EXPECT_EQ(allocator().stats().host_free_time.count, 1);
  EXPECT_EQ(allocator().live_allocations().count, 1);
  EXPECT_TRUE(is_pinned(machine_.device(), kept.pointer));
}

TEST_F(Pinned, RejectsWhatItDidNotAllocate) {
  int on_stack = 0;
  EXPECT_THROW(allocator().free(&on_stack), Error);
  const auto block = allocate(64);
  allocator().free(block.context);
  EXPECT_THROW(allocator().free(block.context), Error);
}

TEST_F(Pinned, TooMuchIsADeviceErrorAndLeavesItUsable) {
  EXPECT_THROW(static_cast<void>(allocate(std::size_t{1} << 60)), device::DeviceError);
  EXPECT_THROW(static_cast<void>(allocate(~std::size_t{0})), device::DeviceError);
  EXPECT_NE(allocate(64).pointer, nullptr);
  EXPECT_EQ(allocator().stats().allocations.allocated, 1);
}

TEST_F(Pinned, RegisteredMemoryIsPageLockedAndReleasedTheSameWay) {
  machine_.runtime().set_settings("pinned_use_cuda_host_register:True,pinned_num_register_threads:8");
  const auto small = allocate(100);
  const auto large = allocate(8_MiB);
  machine_.runtime().set_settings("pinned_use_cuda_host_register:False");
  EXPECT_TRUE(is_pinned(machine_.device(), small.pointer));
  EXPECT_TRUE(is_pinned(machine_.device(), static_cast<char*>(large.pointer) + 8_MiB - 1));
  allocator().free(small.context);
  allocator().free(large.context);
  EXPECT_NO_THROW(allocator().empty_cache());
  EXPECT_EQ(allocator().stats().num_host_free, 2);
  EXPECT_FALSE(is_pinned(machine_.device(), small.pointer));
}

TEST_F(Pinned, TheReservedSegmentServesUntilItIsFull) {
  machine_.runtime().set_settings("pinned_reserve_segment_size_mb:1");
  const auto first = allocate(512_KiB);
  const auto second = allocate(512_KiB);
  EXPECT_EQ(static_cast<char*>(second.pointer), static_cast<char*>(first.pointer) + 512_KiB);
  const auto beyond = allocate(512_KiB);
  const auto is_in_segment = [&](const PinnedAllocator::Allocation& block) {
    const auto distance = static_cast<char*>(block.pointer) - static_cast<char*>(first.pointer);
    return distance >= 0 && distance < static_cast<std::ptrdiff_t>(1_MiB);
  };
  EXPECT_FALSE(is_in_segment(beyond));
  for (const auto& block : {first, second, beyond}) allocator().free(block.context);
  EXPECT_EQ(allocate(512_KiB).pointer, beyond.pointer);
  allocator().empty_cache();
  EXPECT_EQ(allocator().stats().allocations.current, 1) << "the segment's blocks are released too";
  EXPECT_FALSE(is_in_segment(allocate(512_KiB))) << "though its memory is not served again";
}

TEST_F(Pinned, ResetsOfTheStatistics) {
  allocator().free(allocate(64).context);
  allocator().empty_cache();
  allocator().reset_peak_stats();
  allocator().reset_accumulated_stats();
  const auto seen = statistics();
  EXPECT_EQ(seen.at("allocations.peak"), 0);
  EXPECT_EQ(seen.at("allocations.allocated"), 0);
  EXPECT_EQ(seen.at("num_host_alloc"), 0);
  EXPECT_EQ(seen.at("num_host_free"), 0);
  EXPECT_EQ(seen.at("host_alloc_time.count"), 0);
}

}  // namespace
}  // namespace gpucheck::runtime::test
