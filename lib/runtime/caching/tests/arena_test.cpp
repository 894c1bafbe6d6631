#include "runtime/caching/arena/arena.hpp"

#include <gtest/gtest.h>
#include <mutex>

namespace gpucheck::runtime::detail {
namespace {

constexpr std::uint64_t segment_bytes = 2U << 20U;
constexpr SplitPolicy policy{};

/// Forgetting to unpark must not compile: what depends on the free set is a heap's, not an arena's.
template <typename Blocks>
concept ShowsFreeBlocks = requires(Blocks& blocks) {
  blocks.free_blocks(PoolKind::small);
}
|| requires(Blocks& blocks) { blocks.best_fit(PoolKind::small, 512); }
|| requires(Blocks& blocks) { blocks[BlockIndex{1}]; };
static_assert(ShowsFreeBlocks<Heap>);
static_assert(!ShowsFreeBlocks<Arena>);

/// An arena with one segment of the small pool.
struct ArenaTest : testing::Test {
  ArenaTest() {
    arena.assign(pool, {});
    arena.unpark().add_segment(0x10000000, segment_bytes, PoolKind::small);
  }
  std::uintptr_t allocate(std::uint64_t bytes) { return arena.address_of(arena.allocate(bytes, bytes, policy)); }
  void free(std::uintptr_t address) { arena.free(arena.find(address)); }

  Pool pool;
  Arena arena{0};
};

TEST_F(ArenaTest, AParkedBlockIsAllocatedAgain) {
  const std::uintptr_t block = allocate(512);
  free(block);
  EXPECT_EQ(allocate(512), block);
}

TEST_F(ArenaTest, UnparkMergesTheParkedBlock) {
  free(allocate(512));
  const Heap& heap = arena.unpark();
  EXPECT_EQ(heap.free_blocks(PoolKind::small).size(), 1U);
  EXPECT_EQ(heap.free_bytes(), segment_bytes);
}

TEST_F(ArenaTest, AParkedBlockIsAsOldAsItsFree) {
  free(allocate(512));
  pool.searches[Counters::index(PoolKind::small)] = 7;
  const Heap& heap = arena.unpark();
  EXPECT_EQ(heap[heap.free_blocks(PoolKind::small).front()].searches_at_insertion, 0U);
}

TEST_F(ArenaTest, AFreeThatOtherStreamsHoldUpIsPending) {
  const std::uintptr_t address = allocate(512);
  arena.add_use(arena.find(address), {.stream = {7}, .id = 7});
  arena.add_use(arena.find(address), {.stream = {8}, .id = 8});
  const auto place = arena.find(address);
  EXPECT_EQ(arena.unpark().begin_pending_free(place).size(), 2U);
  EXPECT_EQ(arena.counters().values()[0][allocation], 0);
  EXPECT_EQ(arena.counters().values()[0][active], 1);
  EXPECT_EQ(arena.counters().values()[0][active_bytes], 512);
  const std::uintptr_t other = allocate(512);
  EXPECT_NE(other, address);
  free(other);
  arena.unpark().finish_pending_free(place.index);
  EXPECT_EQ(arena.counters().values()[0][active], 0);
}

}  // namespace
}  // namespace gpucheck::runtime::detail
