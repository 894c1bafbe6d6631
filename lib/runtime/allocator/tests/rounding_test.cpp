#include "runtime/allocator/rounding.hpp"

#include <gtest/gtest.h>

namespace gpucheck::runtime {
namespace {

TEST(Rounding, ToMultiplesOf512) {
  const AllocatorSettings plain;
  EXPECT_EQ(round_size(1, plain), 512U);
  EXPECT_EQ(round_size(511, plain), 512U);
  EXPECT_EQ(round_size(512, plain), 512U);
  EXPECT_EQ(round_size(513, plain), 1024U);
  EXPECT_EQ(round_size(1000, plain), 1024U);
}

TEST(Rounding, ToPartsOfPowersOfTwo) {
  const AllocatorSettings four = parse_settings("roundup_power2_divisions:4");
  EXPECT_EQ(round_size(84_MiB, four), 96_MiB);
  EXPECT_EQ(round_size(64_MiB, four), 64_MiB);
  EXPECT_EQ(round_size(2048, four), 2048U);
  EXPECT_EQ(round_to_division(1200, 4), 1280U);
  const AllocatorSettings table = parse_settings("roundup_power2_divisions:[64:8,128:2,256:2,512:2,1024:1,>:1]");
  EXPECT_EQ(round_size(84_MiB, table), 88_MiB);
  EXPECT_EQ(round_size(400_MiB, table), 512_MiB);
  EXPECT_EQ(round_size(1025_MiB, table), 1025_MiB);  // one division is none
}

TEST(Rounding, SmallRequestsKeepTo512WhateverTheDivisions) {
  const AllocatorSettings eight = parse_settings("roundup_power2_divisions:8");
  EXPECT_EQ(round_size(4096, eight), 4096U);
  EXPECT_EQ(round_size(4000, eight), 4096U);
  EXPECT_EQ(round_size(4097, eight), 4608U);
}

TEST(Rounding, SegmentSizes) {
  const AllocatorSettings plain;
  EXPECT_EQ(segment_size_for(512, plain), 2_MiB);
  EXPECT_EQ(segment_size_for(1_MiB, plain), 2_MiB);
  EXPECT_EQ(segment_size_for(1_MiB + 512, plain), 20_MiB);
  EXPECT_EQ(segment_size_for(10_MiB - 512, plain), 20_MiB);
  EXPECT_EQ(segment_size_for(10_MiB, plain), 10_MiB);
  EXPECT_EQ(segment_size_for(10_MiB + 512, plain), 12_MiB);
  EXPECT_EQ(segment_size_for(2_MiB, parse_settings("large_segment_size_mb:40")), 40_MiB);
}

TEST(Rounding, WhatIsLeftOfABlockBecomesABlockWhenItIsLargeEnough) {
  const SplitPolicy policy;
  EXPECT_TRUE(should_split(PoolKind::small, 1024, 512, policy));
  EXPECT_FALSE(should_split(PoolKind::small, 1024, 1024, policy));
  EXPECT_FALSE(should_split(PoolKind::large, 12_MiB, 11_MiB, policy));
  EXPECT_TRUE(should_split(PoolKind::large, 12_MiB, 11_MiB - 512, policy));
  EXPECT_FALSE(should_split(PoolKind::large, 100_MiB, 64_MiB, {64_MiB, 20_MiB}));
}

TEST(Rounding, BigBlocksServeBigRequestsOnly) {
  const SplitPolicy policy{64_MiB, 20_MiB};
  EXPECT_TRUE(may_serve(63_MiB, 10_MiB, policy));
  EXPECT_FALSE(may_serve(64_MiB, 10_MiB, policy));
  EXPECT_TRUE(may_serve(84_MiB - 512, 64_MiB, policy));
  EXPECT_FALSE(may_serve(84_MiB, 64_MiB, policy));
}

}  // namespace
}  // namespace gpucheck::runtime
