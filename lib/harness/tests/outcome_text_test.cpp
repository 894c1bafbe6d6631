#include "harness/result/outcome_text.hpp"

#include <gtest/gtest.h>

namespace gpucheck::harness {
namespace {

TEST(Outcome, IsJudgedWhenTheCaseRanToItsEnd) {
  for (const Outcome outcome : {Outcome::pass, Outcome::fail}) EXPECT_TRUE(is_judged(outcome));
  for (const Outcome outcome : {Outcome::error, Outcome::crash, Outcome::hang, Outcome::skip}) {
    EXPECT_FALSE(is_judged(outcome)) << to_text(outcome);
  }
}

TEST(Outcome, IsRedWhenSomethingIsWrong) {
  for (const Outcome outcome : {Outcome::pass, Outcome::skip}) EXPECT_FALSE(is_red(outcome)) << to_text(outcome);
  for (const Outcome outcome : {Outcome::fail, Outcome::error, Outcome::crash, Outcome::hang}) {
    EXPECT_TRUE(is_red(outcome)) << to_text(outcome);
  }
}

TEST(Mismatch, IsARulesWhereItsKeySaysSo) {
  const auto is_rule_with = [](const char* key) {
    return is_rule({.key = key, .expected = "1", .seen = "2", .basis = "rule"});
  };
  for (const char* key : {"rule.no_hazard", "rule."}) EXPECT_TRUE(is_rule_with(key)) << key;
  for (const char* key : {"", "rule", "ruler", "rules.broken", "my.rule.x", "key"})
    EXPECT_FALSE(is_rule_with(key)) << key;
}

TEST(MismatchText, TellsTheFirstAndCountsTheOthers) {
  EXPECT_EQ(mismatch_text({}), "");
  const Mismatch mismatch{.key = "key", .expected = "1", .seen = "2", .basis = "seed"};
  EXPECT_EQ(mismatch_text({mismatch}), "key: expected 1, seen 2");
  EXPECT_EQ(mismatch_text({mismatch, mismatch}), "key: expected 1, seen 2 (and 1 more)");
  EXPECT_EQ(mismatch_text({mismatch, mismatch, mismatch}), "key: expected 1, seen 2 (and 2 more)");
}

TEST(ProcessEndText, NamesSignalOrCode) {
  EXPECT_EQ(process_end_text({}, 11), "killed by signal 11 (SIGSEGV)");
  EXPECT_EQ(process_end_text({}, 4242), "killed by signal 4242");
  EXPECT_EQ(process_end_text(3, {}), "the process exited with code 3 before the case had finished");
  EXPECT_EQ(process_end_text({}, {}), "the process ended in a way that could not be determined");
}

}  // namespace
}  // namespace gpucheck::harness
