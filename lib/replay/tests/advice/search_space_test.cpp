#include "replay/advice/search/search_space.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/settings/settings.hpp"

namespace gpucheck::replay {
namespace {

TEST(SearchSpace, HoldsAFewHundredSettingsThatPyTorchTakes) {
  const std::vector<Candidate> candidates = search_space();
  EXPECT_GE(candidates.size(), 200U);
  EXPECT_LE(candidates.size(), 400U);
  std::set<std::string> texts;
  for (const Candidate& candidate : candidates) {
    EXPECT_NO_THROW(static_cast<void>(runtime::parse_settings(candidate.settings))) << candidate.settings;
    EXPECT_TRUE(texts.insert(candidate.settings).second) << candidate.settings << " is there twice";
  }
}

TEST(SearchSpace, BeginsWithWhatSetsLeast) {
  const std::vector<Candidate> candidates = search_space();
  EXPECT_TRUE(std::ranges::is_sorted(candidates, {}, &Candidate::keys));
  for (const Candidate& candidate : candidates) {
    const int colons = candidate.settings.find('[') == std::string::npos
                           ? static_cast<int>(std::ranges::count(candidate.settings, ':'))
                           : candidate.keys;
    EXPECT_EQ(candidate.keys, colons) << candidate.settings;
    EXPECT_GT(candidate.keys, 0) << "the defaults are not candidate";
  }
}

TEST(SearchSpace, HasEachKeyAloneAndWithOthers) {
  const std::vector<Candidate> candidates = search_space();
  for (const char* key : {"expandable_segments", "max_split_size_mb", "roundup_power2_divisions",
                          "garbage_collection_threshold", "large_segment_size_mb"}) {
    const auto has = [&](int keys) {
      return std::ranges::any_of(candidates, [&](const Candidate& candidate) {
        return candidate.keys == keys && candidate.settings.find(key) != std::string::npos;
      });
    };
    EXPECT_TRUE(has(1)) << key;
    EXPECT_TRUE(has(2)) << key;
  }
}

TEST(SearchSpace, KeepsWhatIsNotSearched) {
  EXPECT_EQ(other_settings("").text, "");
  EXPECT_EQ(other_settings("expandable_segments:True").text, "");
  EXPECT_EQ(other_settings("roundup_power2_divisions:[256:1,>:8],pinned_num_register_threads:4, max_split_size_mb:64,"
                           "release_lock_on_cudamalloc:True")
                .text,
            "pinned_num_register_threads:4,release_lock_on_cudamalloc:True");
  EXPECT_EQ(other_settings("expandable_segments_reserve_by_class:[1:2,>:3]").text,
            "expandable_segments_reserve_by_class:[1:2,>:3]")
      << "a key that only begins like one that is searched";
  EXPECT_EQ(other_settings("expandable_segments,True,pinned_num_register_threads,4").text,
            "pinned_num_register_threads:4")
      << "PyTorch does not check separators";
  EXPECT_EQ(other_settings("pinned_num_register_threads:4,pinned_num_register_threads:8").text,
            "pinned_num_register_threads:8");
}

TEST(SearchSpace, KeepsOnlyWhatIsClean) {
  for (const char* value : {"8'; touch x; '", "8$(id)", "8`id`", "8|sh",
                            "8\x1b"
                            "c",
                            "8\\", "8\"", "8&", "8#", "8\xff"}) {
    const std::string item = std::string("pinned_num_register_threads:") + value;
    const OtherSettings others = other_settings(item + ",release_lock_on_cudamalloc:True");
    EXPECT_EQ(others.text, "release_lock_on_cudamalloc:True") << value;
    EXPECT_EQ(others.not_clean.size(), 1U) << value;
  }
  EXPECT_EQ(other_settings("a'b:1").not_clean, std::vector<std::string>{"a'b:1"});
  EXPECT_EQ(other_settings("a:" + std::string(5000, '1')).text, "");
  std::string many;
  for (int i = 0; i < 50'000; ++i) many += (many.empty() ? "k" : ",k") + std::to_string(i) + ":1";
  EXPECT_LE(other_settings(many).text.size(), 2000U);
}

TEST(SearchSpace, KeepsEachLetterThatIsClean) {
  for (const char* clean : {"k:0", "k:9", "k:a", "k:z", "k:A", "k:Z", "k:_", "k:.", "k:-", "k:+", "k_K9:1", "k:[1]",
                            "k:[a:1,>:Z]", "k:[_.-+]"}) {
    EXPECT_EQ(other_settings(clean).text, clean);
    EXPECT_TRUE(other_settings(clean).not_clean.empty()) << clean;
  }
  // What stands beside the digits and the letters in ASCII; in a table alone; a table of nothing.
  for (const char* other : {"k:/", "k:@", "k:`", "k:{", "k:>", "k.:1", "k-:1", "k:[/]", "k:[;]", "k:[]"}) {
    EXPECT_EQ(other_settings(other).text, "") << other;
    EXPECT_EQ(other_settings(other).not_clean, std::vector<std::string>{other});
  }
}

TEST(SearchSpace, KeepsAnItemOfTwoHundredCharacters) {
  const std::string longest(199, '1');
  EXPECT_EQ(other_settings("k:" + longest).text, "k:" + longest);
  EXPECT_EQ(other_settings("k:" + longest + "1").not_clean, std::vector<std::string>{"k:" + longest + "1"});
  EXPECT_EQ(other_settings("k:[" + longest + "]").text, "k:[" + longest + "]") << "the brackets do not count";
  EXPECT_EQ(other_settings("k:[" + longest + "1]").text, "");
}

TEST(SearchSpace, KeepsAboutTwoThousandCharactersOfAll) {
  // Nine items of 200 characters, with commas between them, leave 191 of 1999.
  std::string all;
  for (int item = 0; item < 9; ++item) all = joined_settings(all, std::to_string(item) + ":" + std::string(198, 'x'));
  ASSERT_EQ(all.size(), 9U * 200 + 8);
  const std::string fitting = "last:" + std::string(186, 'x');
  EXPECT_EQ(other_settings(all + "," + fitting).text, all + "," + fitting);
  const OtherSettings beyond = other_settings(all + "," + fitting + "x,k:1");
  EXPECT_EQ(beyond.text, all + ",k:1") << "a shorter one still fits";
  EXPECT_EQ(beyond.not_clean, std::vector<std::string>{fitting + "x"});
}

TEST(SearchSpace, CutsSettingsIntoItems) {
  EXPECT_EQ(items_of_settings("a:1,b:[1:2,>:3], c:True"), (std::vector<std::string>{"a:1", "b:[1:2,>:3]", "c:True"}));
  EXPECT_EQ(items_of_settings("a:1,b"), std::vector<std::string>{"a:1"});
  EXPECT_TRUE(items_of_settings("").empty());
  EXPECT_EQ(other_settings("a:1,b:2,a:3").text, "b:2,a:3") << "of a key given twice the last counts";
}

TEST(SearchSpace, HasAllCombinationsOfWhatGoesTogether) {
  std::map<int, std::size_t> counts;
  for (const Candidate& candidate : search_space()) ++counts[candidate.keys];
  const std::size_t alone = 1 + 4 + 10 + 7 + 3;  // each value of each key by itself; thresholds are 3
  const std::size_t expandable_pairs = 4 + 10;   // with a segment size, or a rounding
  const std::size_t pairs = 4 * 10 + 7 * 10 + 3 * 4 + 5 * 3 + 4 * 3;
  EXPECT_EQ(counts[1], alone);
  EXPECT_EQ(counts[2], expandable_pairs + pairs);
  EXPECT_EQ(counts[3], 4U * 10);
  EXPECT_EQ(counts.size(), 3U);
}

TEST(SearchSpace, NamesKeys) {
  EXPECT_EQ(keys_of("a:1,b:[1:2,>:3], c:True"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(keys_of("a:1,b"), std::vector<std::string>{"a"});
  EXPECT_TRUE(keys_of("").empty());
}

TEST(SearchSpace, JoinsSettings) {
  EXPECT_EQ(joined_settings("", ""), "");
  EXPECT_EQ(joined_settings("a:1", ""), "a:1");
  EXPECT_EQ(joined_settings("", "b:2"), "b:2");
  EXPECT_EQ(joined_settings("a:1", "b:2"), "a:1,b:2");
}

}  // namespace
}  // namespace gpucheck::replay
