#include "replay/settings/settings_items.hpp"

#include <gtest/gtest.h>

#include "runtime/settings/settings.hpp"

namespace gpucheck::replay {
namespace {

TEST(SettingsItems, AreCutAtCommasOutsideOfBrackets) {
  EXPECT_TRUE(settings_items("").empty());
  EXPECT_TRUE(settings_items(" , ,").empty());
  EXPECT_EQ(settings_items(" a : 1 ,b:[256:1,>:8], c"),
            (std::vector<SettingsItem>{{"a", "1", "a : 1"}, {"b", "[256:1,>:8]", "b:[256:1,>:8]"}, {"c", "", "c"}}));
  EXPECT_EQ(settings_text(settings_items(" a : 1 ,b:[256:1,>:8], c")), "a : 1,b:[256:1,>:8],c");
}

TEST(SettingsItems, AreJoined) {
  EXPECT_EQ(joined_settings("", ""), "");
  EXPECT_EQ(joined_settings("a:1", ""), "a:1");
  EXPECT_EQ(joined_settings("", "b:2"), "b:2");
  EXPECT_EQ(joined_settings("a:1", "b:2"), "a:1,b:2");
}

TEST(SettingsItems, KnownOnesArePlayedAsTheyStand) {
  const std::string text = "max_split_size_mb:64 , roundup_power2_divisions:[256:1,>:8],backend:native";
  const PlayableSettings settings = playable(text);
  EXPECT_EQ(settings.played, text);
  EXPECT_TRUE(settings.skipped.empty());
  EXPECT_EQ(settings.carried_over(), "");
}

// Keys of PyTorch after 2.11, each with a value that has to go with it.
TEST(SettingsItems, UnknownOnesAreSkippedWithTheirValue) {
  for (const char* unknown :
       {"throw_on_cudamalloc_oom:True", "pinned_max_round_threshold_mb:1024", "pinned_max_cached_size_mb:64",
        "pinned_free_catch_all:True", "expandable_segments_reserve:0.5",
        "expandable_segments_reserve_by_class:[small:1,large:8]", "backend:hipMallocAsync", "of_a_later_release:a:b"}) {
    const PlayableSettings settings =
        playable("expandable_segments:True," + std::string(unknown) + ",max_split_size_mb:64");
    EXPECT_EQ(settings.played, "expandable_segments:True,max_split_size_mb:64") << unknown;
    EXPECT_EQ(settings.carried_over(), unknown);
    EXPECT_EQ(runtime::parse_settings(settings.played).max_split_size, 64U << 20U);
  }
  EXPECT_EQ(playable("backend:hipMallocAsync").played, "");
}

TEST(SettingsItems, KeysOfNewerReleasesAreKnownFromMistypedOnes) {
  EXPECT_TRUE(is_key_of_newer_releases("throw_on_cudamalloc_oom"));
  EXPECT_TRUE(is_key_of_newer_releases("expandable_segments_reserve_by_class"));
  EXPECT_FALSE(is_key_of_newer_releases("max_splt_size_mb"));
  EXPECT_FALSE(is_key_of_newer_releases("max_split_size_mb"));
}

}  // namespace
}  // namespace gpucheck::replay
