#include <gtest/gtest.h>
#include <random>
#include <set>

#include "runtime/caching/arena/large_free_set.hpp"
#include "runtime/caching/arena/small_free_set.hpp"

namespace gpucheck::runtime::detail {
namespace {

/// Random insertions and erasures against std::set in the same order, with many equal
/// sizes of up to 512 * 2^log2_units bytes.
template <typename FreeSet>
void compare_with_model(unsigned log2_units) {
  using Key = std::tuple<std::uint64_t, std::uintptr_t, BlockIndex>;
  std::mt19937_64 random(3);
  BlockStore blocks;
  FreeSet free_set;
  std::set<Key> model;
  for (int step = 0; step < 20'000; ++step) {
    if (model.empty() || random() % 5 < 3) {
      const BlockIndex index = blocks.make();
      blocks[index].size =
          512 * (1 + (random() % 3 == 0 ? random() % 5 : random() % (1U << (1 + random() % log2_units))));
      blocks[index].address = 512 * (random() % (1U << 20U));
      model.emplace(blocks[index].size, blocks[index].address, index);
      free_set.insert(blocks, index);
    } else {
      const auto victim = model.lower_bound({512 * (1 + random() % 1000), 512 * (random() % (1U << 20U)), 0});
      if (victim == model.end()) continue;
      free_set.erase(blocks, std::get<BlockIndex>(*victim));
      blocks.release(std::get<BlockIndex>(*victim));
      model.erase(victim);
    }
    const std::uint64_t wanted = 512 * (1 + random() % (1U << (1 + random() % log2_units)));
    const auto expected = model.lower_bound({wanted, 0, 0});
    const BlockIndex found = free_set.best_fit(blocks, wanted);
    ASSERT_EQ(found != no_block, expected != model.end()) << step;
    if (found != no_block) {
      ASSERT_EQ(blocks[found].size, std::get<0>(*expected)) << step;
      ASSERT_EQ(blocks[found].address, std::get<1>(*expected)) << step;
      const auto behind = model.upper_bound({blocks[found].size, blocks[found].address, UINT32_MAX});
      const BlockIndex next = free_set.after(blocks, found);
      ASSERT_EQ(next != no_block, behind != model.end()) << step;
      if (next == no_block) continue;
      ASSERT_EQ(blocks[next].size, std::get<0>(*behind)) << step;
      ASSERT_EQ(blocks[next].address, std::get<1>(*behind)) << step;
    }
  }
  const std::vector<BlockIndex> order = free_set.in_order(blocks);
  ASSERT_EQ(order.size(), model.size());
  auto expected = model.begin();
  for (const BlockIndex index : order) {
    EXPECT_EQ(blocks[index].size, std::get<0>(*expected));
    EXPECT_EQ(blocks[index].address, std::get<1>(*expected));
    ++expected;
  }
}

TEST(SmallFreeSet, KeepsTheOrderOfSizeAndAddress) { compare_with_model<SmallFreeSet>(12); }
TEST(LargeFreeSet, KeepsTheOrderOfSizeAndAddress) { compare_with_model<LargeFreeSet>(26); }

}  // namespace
}  // namespace gpucheck::runtime::detail
