#include "runtime/detail/free_set.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace gpucheck::runtime::detail {
namespace {

/// Against std::set in the same order, with many equal sizes.
TEST(FreeSet, KeepsTheOrderOfSizeAndAddress) {
  using Key = std::tuple<std::uint64_t, std::uintptr_t, BlockIndex>;
  std::mt19937_64 random(3);
  BlockStore blocks;
  FreeSet free_set;
  std::set<Key> model;
  for (int step = 0; step < 20'000; ++step) {
    if (model.empty() || random() % 5 < 3) {
      const BlockIndex index = blocks.make();
      blocks[index].size = 512 * (1 + (random() % 3 == 0 ? random() % 5 : random() % (1U << (1 + random() % 17))));
      blocks[index].address = 512 * (random() % (1U << 20U));
      model.emplace(blocks[index].size, blocks[index].address, index);
      free_set.insert(blocks, index);
    } else {
      const auto victim = model.lower_bound({512 * (1 + random() % 1000), 0, 0});
      if (victim == model.end()) continue;
      free_set.erase(blocks, std::get<BlockIndex>(*victim));
      blocks.release(std::get<BlockIndex>(*victim));
      model.erase(victim);
    }
    const std::uint64_t wanted = 512 * (1 + random() % (1U << (1 + random() % 18)));
    const auto expected = model.lower_bound({wanted, 0, 0});
    const BlockIndex found = free_set.best_fit(blocks, wanted);
    ASSERT_EQ(found != no_block, expected != model.end()) << step;
    if (found != no_block) {
      ASSERT_EQ(blocks[found].size, std::get<0>(*expected)) << step;
      ASSERT_EQ(blocks[found].address, std::get<1>(*expected)) << step;
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

}  // namespace
}  // namespace gpucheck::runtime::detail
