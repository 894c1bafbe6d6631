#include "fleet/peer_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/result/failure_kinds.hpp"

/// The rules by which values of several GPUs are judged, at their limits.
namespace gpucheck::fleet {
namespace {

using harness::Comparison;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

PeerGroup group_of(PeerRule rule, const std::vector<std::vector<double>>& samples, double unit = 1) {
  PeerGroup group{.rule = rule, .by_subject = {}};
  for (const std::vector<double>& values : samples) {
    std::vector<PeerSample>& own = group.by_subject[group.by_subject.size()];
    for (const double value : values) own.push_back({.value = value, .unit = unit});
  }
  return group;
}

PeerGroup digests_by(const std::vector<std::vector<std::string>>& samples) {
  PeerGroup group{.rule = PeerRule::digest, .by_subject = {}};
  for (const std::vector<std::string>& digests : samples) {
    std::vector<PeerSample>& own = group.by_subject[group.by_subject.size()];
    for (const std::string& digest : digests) own.push_back({.value = digest});
  }
  return group;
}

Comparison judged_group(const PeerGroup& group, const std::set<std::size_t>& distrusted = {}) {
  Comparison comparison;
  comparison.case_name = "a.b";
  judge_peers(comparison, group, distrusted, [](std::size_t subject) { return "gpu" + std::to_string(subject); });
  return comparison;
}

std::vector<std::string> words_of(const Comparison& comparison) {
  std::vector<std::string> words;
  for (const harness::ComparedValue& one : comparison.values) words.push_back(one.verdict);
  return words;
}

TEST(PeerSpeeds, AreNamedWhereSeveralAreSlow) {
  const Comparison slow = judged_group(group_of(PeerRule::speed, {{850}, {1000}, {600}, {950}}));
  EXPECT_THAT(words_of(slow), ElementsAre("warn", "pass", "fail", "pass"));
  EXPECT_EQ(slow.verdict, "fail") << "the worst of them";
  EXPECT_EQ(slow.reason,
            "gpu0 with 850 is 15 % below the best; gpu2 with 600 is 40 % below the best, which is gpu1 with 1000");
  EXPECT_EQ(judged_group(group_of(PeerRule::speed, {{600}, {850}, {1000}})).verdict, "fail") << "in whatever order";
  EXPECT_EQ(judged_group(group_of(PeerRule::speed, {{1000}, {950}})).reason, "");
}

TEST(PeerSpeeds, AreTheMediansOfTheRepetitions) {
  const Comparison slow = judged_group(group_of(PeerRule::speed, {{1000, 1, 1002}, {500, 2000}, {700}}));
  EXPECT_EQ(slow.values[0].value, harness::Value(1000.0));
  EXPECT_EQ(slow.values[1].value, harness::Value(1250.0)) << "of two, the mean";
  EXPECT_THAT(words_of(slow), ElementsAre("fail", "pass", "fail"));
}

TEST(PeerSpeeds, AreComparedByTheirShareAndToldAsTheyAre) {
  PeerGroup group{.rule = PeerRule::host_speed, .by_subject = {}};
  group.by_subject[0] = {{.value = 50.0, .unit = 100}};
  group.by_subject[1] = {{.value = 60.0, .unit = 100}};
  group.by_subject[2] = {{.value = 30.0, .unit = 50}};
  const Comparison compared = judged_group(group);
  EXPECT_THAT(words_of(compared), ElementsAre("warn", "pass", "pass")) << "5 sixths of the best";
  EXPECT_EQ(compared.values[2].value, harness::Value(30.0));
  EXPECT_THAT(compared.reason, HasSubstr("gpu0 with 50 is 17 % below the best"));
}

/// Somebody is as slow where nine tenths of its speed are no more than that of the slow one.
TEST(PeerSpeeds, ByTheHostFailOnlyWhereNobodyElseIsAsSlow) {
  const auto words = [](const std::vector<std::vector<double>>& samples) {
    return words_of(judged_group(group_of(PeerRule::host_speed, samples)));
  };
  EXPECT_THAT(words({{100}, {45}, {50}}), ElementsAre("pass", "warn", "warn")) << "0.9 x 50 is 45";
  EXPECT_THAT(words({{100}, {45}, {51}}), ElementsAre("pass", "fail", "warn")) << "0.9 x 51 is more than 45";
  EXPECT_THAT(words({{100}, {45}}), ElementsAre("pass", "warn")) << "of two, nobody knows";
  EXPECT_THAT(words({{100}, {85}, {100}}), ElementsAre("pass", "warn", "pass"));
  EXPECT_THAT(words({{100}, {80}, {100}}), ElementsAre("pass", "fail", "pass"));
}

TEST(PeerSpeeds, ThatWereMeasuredAgainAreToldWithAllTheirValues) {
  PeerGroup group = group_of(PeerRule::speed, {{1000}, {990}, {700}});
  group.earlier[1] = {500.0};
  group.earlier[2] = {600.0, 650.0};
  group.unmeasured[2] = "crash: ouch";
  const Comparison again = judged_group(group);
  EXPECT_THAT(words_of(again), ElementsAre("pass", "warn", "fail"));
  EXPECT_EQ(again.reason,
            "flaky: gpu1 with 990 is 1 % below the best (measured again; before: 500); gpu2 with 700 is 30 % below the "
            "best (measured again; before: 600, then 650) (a.b was measured again, which ended as crash: ouch), which "
            "is gpu0 with 1000");
  EXPECT_TRUE(again.values[0].earlier.empty());
  EXPECT_EQ(again.values[1].earlier, std::vector<harness::Value>{500.0});
  EXPECT_EQ(again.values[2].earlier.size(), 2U);
}

TEST(PeerTemperatures, AreHeldAgainstTheMedianOfTheOthers) {
  const Comparison hot = judged_group(group_of(PeerRule::temperature, {{50}, {81}, {60}, {40}}));
  EXPECT_THAT(words_of(hot), ElementsAre("pass", "warn", "pass", "pass"));
  EXPECT_EQ(hot.reason, "gpu1 with 81 is 31 degrees above the median of the others, 50");
  EXPECT_EQ(hot.failure, "") << "it is doubtful, no failure";
  EXPECT_THAT(words_of(judged_group(group_of(PeerRule::temperature, {{60}, {80}}))), ElementsAre("pass", "pass"));
  EXPECT_THAT(words_of(judged_group(group_of(PeerRule::temperature, {{60}, {80.5}}))), ElementsAre("pass", "warn"));
  const Comparison two = judged_group(group_of(PeerRule::temperature, {{90}, {50}, {95}, {50}, {50}}));
  EXPECT_THAT(two.reason, HasSubstr("gpu0 with 90 is 40 degrees above the median of the others, 50; gpu2 with 95"));
}

TEST(PeerDigests, OfOneThatDoesNotAgreeWithItselfAreWrong) {
  const Comparison odd = judged_group(digests_by({{"aa", "aa"}, {"aa", "bb"}, {"aa"}}));
  EXPECT_THAT(words_of(odd), ElementsAre("pass", "fail", "pass"));
  EXPECT_EQ(odd.reason, "gpu1 has \"aa\" and \"bb\"; 2 of 3 have \"aa\"");
  EXPECT_EQ(odd.failure, harness::find_failure_kind("odd_digest")->code);
  const Comparison alone = judged_group(digests_by({{"aa", "bb"}, {"aa", "bb"}}));
  EXPECT_THAT(words_of(alone), ElementsAre("fail", "fail")) << "alike, and both wrong";
  EXPECT_EQ(alone.failure, harness::find_failure_kind("disputed_digest")->code);
}

TEST(PeerDigests, WithSeveralHoldersNameThemAll) {
  EXPECT_EQ(judged_group(digests_by({{"aa"}, {"bb"}, {"aa"}, {"bb"}, {"aa"}, {"cc"}})).reason,
            "gpu1, gpu3 have \"bb\"; gpu5 has \"cc\"; 3 of 6 have \"aa\"");
}

/// Two that agree are believed over more that gave wrong values elsewhere.
TEST(PeerDigests, OfTheTrustedOutweighThoseOfTheDistrusted) {
  EXPECT_THAT(words_of(judged_group(digests_by({{"aa"}, {"bb"}, {"bb"}, {"bb"}, {"aa"}}), {1, 2, 3})),
              ElementsAre("pass", "fail", "fail", "fail", "pass"));
  EXPECT_THAT(words_of(judged_group(digests_by({{"aa"}, {"bb"}, {"bb"}}), {1, 2})), ElementsAre("pass", "fail", "fail"))
      << "one alone, where all others gave wrong values elsewhere";
  EXPECT_THAT(words_of(judged_group(digests_by({{"aa"}, {"bb"}, {"bb"}}), {0, 1, 2})),
              ElementsAre("fail", "pass", "pass"))
      << "where none is trusted, two that agree do so by no accident";
}

}  // namespace
}  // namespace gpucheck::fleet
