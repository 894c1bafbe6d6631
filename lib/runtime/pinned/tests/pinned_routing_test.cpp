#include <gtest/gtest.h>

#include "runtime/allocator/pool_id.hpp"
#include "runtime/tests/error_of.hpp"
#include "runtime/tests/simulated.hpp"

// Which pool pinned memory comes from, and when a pool's blocks go back.
namespace gpucheck::runtime::test {
namespace {

constexpr std::size_t bytes = 4096;

class PinnedRouting : public testing::Test {
 protected:
  PinnedAllocator& allocator() { return machine.runtime().pinned_allocator(); }
  PinnedAllocator::Allocation allocate(device::Stream stream) { return allocator().allocate(bytes, stream); }
  /// A block that is free again.
  void* freed(device::Stream stream) {
    const PinnedAllocator::Allocation block = allocate(stream);
    allocator().free(block.context);
    return block.pointer;
  }
  /// The same of that pool.
  void* freed_in(PoolId pool) {
    allocator().begin_allocate_to_pool(pool, [](device::Stream) { return true; });
    void* const pointer = freed(first);
    allocator().end_allocate_to_pool(pool);
    return pointer;
  }
  PoolFilter only(device::Stream wanted) {
    return [wanted](device::Stream asked) { return asked == wanted; };
  }
  std::int64_t owned() { return allocator().stats().allocations.current; }

  Simulated machine;
  device::Stream first = machine.side_stream();
  device::Stream second = machine.side_stream();
  PoolId one = graph_pool_handle();
  PoolId two = graph_pool_handle();
};

TEST_F(PinnedRouting, OnlyWhatPassesTheFilterComesFromThePool) {
  void* const outside = freed(second);
  allocator().begin_allocate_to_pool(one, only(first));
  EXPECT_NE(allocate(first).pointer, outside);
  EXPECT_EQ(allocate(second).pointer, outside);
  allocator().end_allocate_to_pool(one);
}

TEST_F(PinnedRouting, APoolsFreeBlockServesThatPoolAlone) {
  void* const in_one = freed_in(one);
  EXPECT_NE(freed_in(two), in_one);
  EXPECT_NE(freed(first), in_one);
  EXPECT_EQ(freed_in(one), in_one);
  EXPECT_EQ(owned(), 3);
}

// Three take the same stream: of those the oldest, until it ends.
TEST_F(PinnedRouting, TheOldestThatTakesItDecides) {
  const PoolId three = graph_pool_handle();
  void* const in_two = freed_in(two);
  void* const in_three = freed_in(three);
  allocator().begin_allocate_to_pool(one, only(second));
  allocator().begin_allocate_to_pool(two, only(first));
  allocator().begin_allocate_to_pool(three, [](device::Stream) { return true; });
  EXPECT_EQ(freed(first), in_two);
  allocator().end_allocate_to_pool(two);
  EXPECT_EQ(freed(first), in_three);
  allocator().end_allocate_to_pool(three);
  EXPECT_NE(freed(first), in_three);
  allocator().end_allocate_to_pool(one);
}

TEST_F(PinnedRouting, WhatNeverBeganDoesNotEnd) {
  EXPECT_EQ(error_of([&] { allocator().end_allocate_to_pool(one); }),
            "Pinned memory is not being allocated to that pool. Begin before ending.");
  allocator().begin_allocate_to_pool(one, only(first));
  EXPECT_EQ(error_of([&] { allocator().end_allocate_to_pool(two); }),
            "Pinned memory is not being allocated to that pool. Begin before ending.");
  allocator().end_allocate_to_pool(one);
  EXPECT_EQ(error_of([&] { allocator().end_allocate_to_pool(one); }),
            "Pinned memory is not being allocated to that pool. Begin before ending.");
}

TEST_F(PinnedRouting, EachBeginIsAUseThatIsReleasedOnce) {
  const auto release = [&] { return error_of([&] { allocator().release_pool(one); }); };
  EXPECT_EQ(release(), "Pinned memory knows no such pool in use.");
  static_cast<void>(freed_in(one));
  static_cast<void>(freed_in(one));
  EXPECT_EQ(release(), "no error");
  allocator().empty_cache();
  EXPECT_EQ(owned(), 1) << "one use is left";
  EXPECT_EQ(release(), "no error");
  EXPECT_EQ(release(), "Pinned memory knows no such pool in use.");
  EXPECT_EQ(owned(), 1) << "released by empty_cache, not before";
  allocator().empty_cache();
  EXPECT_EQ(owned(), 0);
}

// A block in use outlives its pool, and other pools stay as they are.
TEST_F(PinnedRouting, AReleasedPoolGivesBackWhatIsFree) {
  void* const in_two = freed_in(two);
  allocator().begin_allocate_to_pool(one, only(first));
  const PinnedAllocator::Allocation held = allocate(first);
  const PinnedAllocator::Allocation other = allocate(first);
  allocator().free(other.context);
  allocator().end_allocate_to_pool(one);
  allocator().release_pool(one);
  allocator().empty_cache();
  EXPECT_EQ(owned(), 2);
  allocator().empty_cache();
  EXPECT_EQ(owned(), 2);
  allocator().free(held.context);
  allocator().empty_cache();
  EXPECT_EQ(owned(), 1);
  EXPECT_EQ(freed_in(two), in_two);
}

// What a stream used in a pool a replay may use again: it serves nobody until the pool goes.
TEST_F(PinnedRouting, WhatAStreamUsedIsKept) {
  allocator().begin_allocate_to_pool(one, only(first));
  const PinnedAllocator::Allocation used = allocate(first);
  EXPECT_TRUE(allocator().record_event(used.pointer, used.context, first));
  allocator().free(used.context);
  EXPECT_EQ(allocator().live_allocations().count, 0);
  EXPECT_NE(freed(first), used.pointer);
  allocator().end_allocate_to_pool(one);
  EXPECT_NE(freed_in(one), used.pointer);
  allocator().empty_cache();
  EXPECT_EQ(owned(), 2);
  allocator().release_pool(one);
  allocator().release_pool(one);
  allocator().empty_cache();
  EXPECT_EQ(owned(), 0);
}

// A filter may use the allocator itself: no lock is held while it is asked.
TEST_F(PinnedRouting, AFilterMayAllocate) {
  int asked = 0;
  allocator().begin_allocate_to_pool(one, [&](device::Stream stream) {
    ++asked;
    return stream == first && (asked > 1 || allocate(second).pointer != nullptr);
  });
  EXPECT_NE(allocate(first).pointer, nullptr);
  allocator().end_allocate_to_pool(one);
  EXPECT_EQ(owned(), 2);
}

// The routing that a filter begins holds for the very allocation.
TEST_F(PinnedRouting, IsAskedAgainWhereItChangedMeanwhile) {
  void* const in_one = freed_in(one);
  bool begun = false;
  allocator().begin_allocate_to_pool(two, [&](device::Stream) {
    if (!begun) {
      begun = true;
      allocator().end_allocate_to_pool(two);
      allocator().begin_allocate_to_pool(one, only(first));
    }
    return true;
  });
  EXPECT_EQ(allocate(first).pointer, in_one);
  allocator().end_allocate_to_pool(one);
}

}  // namespace
}  // namespace gpucheck::runtime::test
