#include "replay/advice/search/alike.hpp"

#include <gtest/gtest.h>

#include "advice_traces.hpp"

namespace gpucheck::replay {
namespace {

bool alike(const Likeness& likeness, const char* a, const char* b) {
  const runtime::AllocatorSettings first = runtime::parse_settings(a);
  const runtime::AllocatorSettings second = runtime::parse_settings(b);
  const bool result = likeness.plays_alike(first, second);
  EXPECT_EQ(result, likeness.plays_alike(second, first)) << a << " and " << b;
  return result;
}

TEST(SizesAskedFor, AreEachDifferentOneOnceInOrder) {
  TraceMaker maker;
  maker.allocate(700);
  maker.free(maker.allocate(300));
  maker.allocate(0);
  maker.allocate(700);
  maker.try_allocate(5_MiB);
  EXPECT_EQ(sizes_asked_for(maker.trace()), (std::vector<std::uint64_t>{300, 700, 5_MiB}));
}

TEST(Likeness, OfRoundings) {
  const Likeness powers({1_MiB, 64_MiB});
  EXPECT_TRUE(alike(powers, "", "roundup_power2_divisions:2")) << "powers of two stay";
  // 65 MiB: steps of 32, 16, 8 MiB give 96, 80, 72 MiB; 96 MiB stays under all.
  const Likeness others({65_MiB, 96_MiB});
  EXPECT_FALSE(alike(others, "", "roundup_power2_divisions:2"));
  EXPECT_FALSE(alike(others, "roundup_power2_divisions:4", "roundup_power2_divisions:8"));
  EXPECT_TRUE(alike(Likeness({96_MiB}), "roundup_power2_divisions:2", "roundup_power2_divisions:8"));
  EXPECT_TRUE(alike(others, "roundup_power2_divisions:8", "roundup_power2_divisions:[32:2,64:8,128:4]"))
      << "tables that differ only in sizes that are not asked for";
  EXPECT_NE(others.rounding_hash(runtime::parse_settings("")),
            others.rounding_hash(runtime::parse_settings("roundup_power2_divisions:2")));
}

TEST(Likeness, OfSplitLimits) {
  // Segments of 20 MiB and of 62 MiB (61 MiB in steps of 2 MiB).
  const Likeness likeness({2_MiB, 61_MiB});
  EXPECT_TRUE(alike(likeness, "", "max_split_size_mb:63")) << "above every segment";
  EXPECT_FALSE(alike(likeness, "", "max_split_size_mb:62")) << "the segment of 62 MiB is not cut any more";
  EXPECT_FALSE(alike(likeness, "max_split_size_mb:62", "max_split_size_mb:61"))
      << "61 MiB asked for count as large, or do not";
  EXPECT_TRUE(alike(likeness, "max_split_size_mb:61", "max_split_size_mb:21"));
  EXPECT_FALSE(alike(likeness, "max_split_size_mb:21", "max_split_size_mb:20")) << "segments of 20 MiB";
  EXPECT_FALSE(alike(likeness, "expandable_segments:True", "expandable_segments:True,max_split_size_mb:512"))
      << "expandable blocks grow beyond any limit";
}

TEST(Likeness, OfLargeSegments) {
  EXPECT_TRUE(alike(Likeness({1_MiB, 10_MiB}), "", "large_segment_size_mb:64"));
  EXPECT_FALSE(alike(Likeness({1_MiB + 1}), "", "large_segment_size_mb:64"));
  EXPECT_TRUE(alike(Likeness({10_MiB - 512, 1_MiB}), "roundup_power2_divisions:2",
                    "roundup_power2_divisions:2,large_segment_size_mb:64"))
      << "10 MiB less 512 bytes are rounded up to 12 MiB";
  EXPECT_FALSE(
      alike(Likeness({10_MiB}), "expandable_segments:True", "expandable_segments:True,large_segment_size_mb:64"))
      << "the pages of expandable segments";
  EXPECT_TRUE(
      alike(Likeness({1_MiB}), "expandable_segments:True", "expandable_segments:True,large_segment_size_mb:64"));
}

TEST(Likeness, OfBlocksKeptWhole) {
  const char* const kept = "max_split_size_mb:32,max_non_split_rounding_mb:64";
  EXPECT_FALSE(alike(Likeness({32_MiB}), "max_split_size_mb:32", kept));
  EXPECT_TRUE(alike(Likeness({32_MiB - 512}), "max_split_size_mb:32", kept))
      << "a segment of 32 MiB, but nothing so large is asked for";
}

TEST(Likeness, OfCollection) {
  const Likeness likeness({60_MiB});
  EXPECT_FALSE(alike(likeness, "", "garbage_collection_threshold:0.8"));
  EXPECT_TRUE(alike(likeness, "expandable_segments:True", "expandable_segments:True,garbage_collection_threshold:0.8"))
      << "expandable blocks are not collected";
}

TEST(Likeness, OfKindsOfSegments) {
  EXPECT_FALSE(alike(Likeness({512}), "", "expandable_segments:True"));
  EXPECT_TRUE(alike(Likeness({512}), "", "pinned_num_register_threads:8"));
}

}  // namespace
}  // namespace gpucheck::replay
