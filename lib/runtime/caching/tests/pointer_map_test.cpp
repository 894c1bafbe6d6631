#include "runtime/caching/arena/pointer_map.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

namespace gpucheck::runtime::detail {
namespace {

/// A map, and a std::map that holds the same.
struct Modelled {
  BlockStore blocks;
  PointerMap map;
  std::map<std::uintptr_t, BlockIndex> model;

  void insert(std::uintptr_t address) {
    const BlockIndex index = blocks.make();
    blocks[index].address = address;
    blocks[index].size = min_block_size;
    map.insert(blocks, index);
    model.emplace(address, index);
  }
  void erase(std::uintptr_t address) {
    const auto found = model.find(address);
    map.erase(map.find(blocks, address));
    blocks.release(found->second);
    model.erase(found);
  }
  void expect_equal() const {
    EXPECT_EQ(map.size(), model.size());
    for (const auto& [address, index] : model) ASSERT_EQ(map.find(blocks, address).index, index) << address;
  }
};

TEST(PointerMap, HoldsWhatAModelHolds) {
  std::mt19937_64 random(7);
  Modelled both;
  for (int step = 0; step < 20'000; ++step) {
    // Few different addresses, so that both calls happen; the number of blocks goes up and down.
    const std::uintptr_t address = 512 * (random() % 3'000);
    const bool wants_more = step % 4'000 < 2'000;
    if (both.model.contains(address)) {
      if (!wants_more || random() % 4 == 0) both.erase(address);
    } else {
      EXPECT_EQ(both.map.find(both.blocks, address).index, no_block);
      if (wants_more || random() % 4 == 0) both.insert(address);
    }
    if (step % 500 == 0) both.expect_equal();
  }
  both.expect_equal();
}

/// Bucket of an address while there are two buckets: the upper bit of its hash.
std::uint64_t bucket_of_two(std::uintptr_t address) { return ((address / 512) * 0x9E3779B97F4A7C15U) >> 63U; }

/// The first `count` addresses of a bucket.
std::vector<std::uintptr_t> addresses_of(std::uint64_t bucket, std::size_t count) {
  std::vector<std::uintptr_t> result;
  for (std::uintptr_t address = 512; result.size() < count; address += 512) {
    if (bucket_of_two(address) == bucket) result.push_back(address);
  }
  return result;
}

TEST(PointerMap, WhatFindsItsBucketFullIsFoundNextToIt) {
  const auto first = addresses_of(0, 9);
  const auto second = addresses_of(1, 8);
  Modelled both;
  for (std::size_t i = 0; i < 8; ++i) both.insert(first[i]);  // one too many
  both.expect_equal();
  for (std::size_t i = 0; i < 7; ++i) both.erase(first[i]);
  for (std::size_t i = 0; i < 7; ++i) both.insert(second[i]);  // one too many again
  both.expect_equal();
  // Blocks have gone past both buckets now, and a search may not go round for ever.
  EXPECT_EQ(both.map.find(both.blocks, first[8]).index, no_block);
  EXPECT_EQ(both.map.find(both.blocks, second[7]).index, no_block);
  both.erase(first[7]);
  both.erase(second[6]);
  both.expect_equal();
}

TEST(PointerMap, DoesNotFindWhatIsNotThere) {
  Modelled both;
  EXPECT_EQ(both.map.find(both.blocks, 512).index, no_block);
  both.insert(512);
  EXPECT_EQ(both.map.find(both.blocks, 1024).index, no_block);
  EXPECT_EQ(both.map.find(both.blocks, 513).index, no_block) << "inside a block is not its start";
  both.erase(512);
  EXPECT_EQ(both.map.find(both.blocks, 512).index, no_block);
}

}  // namespace
}  // namespace gpucheck::runtime::detail
