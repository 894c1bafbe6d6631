#include "replay/advice/search/setting_facts.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "replay/advice/search/search_space.hpp"
#include "runtime/settings/settings.hpp"

namespace gpucheck::replay {
namespace {

TEST(TorchVersion, IsReadAsPeopleWriteIt) {
  const TorchVersion expected{2, 6};
  for (const char* text : {"2.6", "2.6.0", "v2.6.1", "2.6.0+cu124", "2.6.0a0+git1234", "2.6a0"}) {
    EXPECT_EQ(parse_torch_version(text), expected) << text;
  }
  EXPECT_LT(parse_torch_version("2.9"), parse_torch_version("2.11"));
  for (const char* text : {"", "2", "2.", "two", "2,6", "2.6x", "-2.6", "2.-6", "2.99999999999"}) {
    EXPECT_THROW(static_cast<void>(parse_torch_version(text)), UsageError) << text;
  }
}

bool knows(const char* version, const std::string& settings) {
  return are_allowed(settings, {.excluded = {}, .torch = parse_torch_version(version)});
}

TEST(KeyRules, AReleaseKnowsItsKeys) {
  EXPECT_FALSE(knows("2.0", "expandable_segments:True"));
  EXPECT_TRUE(knows("2.1", "expandable_segments:True"));
  EXPECT_FALSE(knows("2.5", "max_split_size_mb:64,max_non_split_rounding_mb:64"));
  EXPECT_TRUE(knows("2.6", "max_split_size_mb:64,max_non_split_rounding_mb:64"));
  EXPECT_FALSE(knows("2.10", "large_segment_size_mb:32"));
  EXPECT_TRUE(knows("2.11", "large_segment_size_mb:32"));
  EXPECT_TRUE(knows("1.13", "roundup_power2_divisions:8"));
  EXPECT_FALSE(knows("1.13", "roundup_power2_divisions:[256:1,>:8]"));
  EXPECT_TRUE(knows("1.13", ""));
}

TEST(KeyRules, AnExcludedKeyIsThatKeyOnly) {
  const KeyRules rules{.excluded = {"expandable_segments"}};
  EXPECT_FALSE(are_allowed("max_split_size_mb:64,expandable_segments:True", rules));
  EXPECT_TRUE(are_allowed("max_split_size_mb:64,expandable_segments_reserve:True", rules));
}

TEST(SettingFacts, ThePairIsNoneOfTheSearchSpace) {
  EXPECT_TRUE(combines_expandable_with_split_limit("max_split_size_mb:64,expandable_segments:True"));
  EXPECT_TRUE(combines_expandable_with_split_limit("expandable_segments,True,max_split_size_mb,64"));
  EXPECT_FALSE(combines_expandable_with_split_limit("max_split_size_mb:64,expandable_segments:False"));
  EXPECT_FALSE(combines_expandable_with_split_limit("expandable_segments:True"));
  for (const Candidate& candidate : search_space()) {
    EXPECT_FALSE(combines_expandable_with_split_limit(candidate.settings)) << candidate.settings;
  }
}

TEST(SettingFacts, WhatBreaksDependsOnTheRelease) {
  const auto says = [](const std::string& settings, const char* version, std::string_view words) {
    const std::optional<TorchVersion> torch =
        version == nullptr ? std::nullopt : std::optional(parse_torch_version(version));
    return std::ranges::any_of(known_to_break(settings, torch), [words](const KnownBreakage& known) {
      EXPECT_FALSE(known.source.empty());
      return known.what.find(words) != std::string_view::npos;
    });
  };
  EXPECT_TRUE(says("expandable_segments:True", "2.4", "cannot be shared with other processes"));
  EXPECT_FALSE(says("expandable_segments:True", "2.5", "cannot be shared with other processes"));
  EXPECT_TRUE(says("expandable_segments:True", "2.5", "pidfd_getfd"));
  EXPECT_FALSE(says("expandable_segments:True", "2.4", "pidfd_getfd"));
  EXPECT_TRUE(says("expandable_segments:True", nullptr, "CuMemAllocator"));
  EXPECT_FALSE(says("expandable_segments:False", nullptr, "CuMemAllocator"));
  EXPECT_TRUE(says("backend:cudaMallocAsync", nullptr, "no memory history"));
  EXPECT_TRUE(says("expandable_segments:True,max_split_size_mb:64", nullptr, "grow without end"));
  EXPECT_FALSE(says("max_split_size_mb:64", nullptr, "grow without end"));
  EXPECT_TRUE(known_to_break("roundup_power2_divisions:8").empty());
  EXPECT_TRUE(known_to_break("no_such_key:1").empty());
}

TEST(SettingFacts, EverySearchedKeyIsInTheSearchSpaceAndHasARelease) {
  for (const std::string_view key : searched_keys()) {
    const std::vector<Candidate> candidates = search_space();
    EXPECT_TRUE(std::ranges::any_of(candidates, [key](const Candidate& candidate) {
      const std::vector<std::string> keys = keys_of(candidate.settings);
      return std::ranges::find(keys, key) != keys.end();
    })) << key;
    EXPECT_GT(first_release_of(std::string(key) + ":1"), TorchVersion{}) << key;
  }
}

}  // namespace
}  // namespace gpucheck::replay
