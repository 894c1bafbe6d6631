#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

CommandResult prove(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "prove");
  arguments.insert(arguments.end(), {"--device", "sim"});
  return fixture(arguments);
}

TEST(Prove, EveryFaultNoticedIsCodeZero) {
  const CommandResult result = prove({"proof"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.error_output;
  EXPECT_THAT(result.output, ContainsRegex("proof.watchful +\\(clean\\) +pass"));
  EXPECT_THAT(result.output, ContainsRegex("allocation_fails +caught \\(fail: allocated\\)"));
  EXPECT_THAT(result.output, ContainsRegex("allocation_hangs +caught \\(hang"));
  EXPECT_THAT(result.output, ContainsRegex("allocation_kills +caught \\(crash"));
  EXPECT_THAT(result.output, HasSubstr("2 of 2 cases proven, 4 of 4 faults caught: 2 by a key of the case's own, "
                                       "1 by a crash, 1 by a hang\n2 of 2 judged keys turned red by a fault\n"));
  EXPECT_THAT(result.output, Not(HasSubstr("no fault turned red")));
}

TEST(Prove, UnnoticedFaultIsCodeOne) {
  const CommandResult result = prove({"blind.eyes", "proof.exclusive"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, ContainsRegex("allocation_fails +NOT NOTICED"));
  EXPECT_THAT(result.output, HasSubstr("1 of 2 cases proven, 1 of 2 faults caught"));
}

// The exclusive case is planned first and ends last.
TEST(Prove, ATrialIsItsOwnCasesWhoeverHasAFaultOfThatName) {
  const json document = json::parse(prove({"proof.exclusive", "unwatched.throw", "--timeout", "20s", "--json"}).output);
  ASSERT_EQ(document["cases"].size(), 2U);
  EXPECT_EQ(document["cases"].at(0)["faults"].at(0)["name"], document["cases"].at(1)["faults"].at(0)["name"]);
  EXPECT_EQ(document["cases"].at(0)["name"], "proof.exclusive");
  EXPECT_EQ(document["cases"].at(0)["faults"].at(0)["caught_by"], "key");
  EXPECT_EQ(document["cases"].at(1)["name"], "unwatched.throw");
  EXPECT_EQ(document["cases"].at(1)["faults"].at(0)["caught_by"], "error");
}

TEST(Prove, AnErrorOrARuleProvesNoKeyAndNoCase) {
  const CommandResult result = prove({"unwatched", "--timeout", "20s"});
  EXPECT_EQ(result.exit_code, 1) << result.output << result.error_output;
  EXPECT_THAT(result.output, ContainsRegex("\\(no key\\) +NOT PROVEN: no fault turned a key of the case's own red"));
  EXPECT_THAT(result.output, HasSubstr("judged keys that no fault turned red:\n"
                                       "  unwatched.leak (1 of 1): answer\n"
                                       "  unwatched.throw (2 of 2): answer, question\n"));
  EXPECT_THAT(result.output, HasSubstr("0 of 2 cases proven, 2 of 2 faults caught: 1 by a class-wide rule alone, "
                                       "1 by an error\n"
                                       "0 of 3 judged keys turned red by a fault\n"));
  const json document = json::parse(prove({"unwatched", "--json"}).output);
  EXPECT_EQ(document["key_count"], 3);
  EXPECT_EQ(document["red_key_count"], 0);
  EXPECT_EQ(document["cases"].at(0)["faults"].at(0)["caught_by"], "rule");
  EXPECT_EQ(document["cases"].at(1)["faults"].at(0)["caught_by"], "error");
  EXPECT_EQ(document["cases"].at(0)["keys"], json::parse(R"([{"key": "answer", "red_under": []}])"));
}

TEST(Prove, SkipUnderAFaultIsNotNoticed) {
  const CommandResult result = prove({"blind.skipper"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, ContainsRegex("allocation_fails +NOT NOTICED \\(skip: no memory today\\)"));
}

TEST(Prove, RedCleanRunIsCodeOne) {
  const CommandResult result = prove({"demo.wrong"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, ContainsRegex("\\(clean\\) +NOT A PASS \\(fail: answer\\)"));
}

TEST(Prove, CaseWithoutFaultsIsNotProven) {
  const CommandResult result = prove({"demo.parameters"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("NOT PROVEN: the case declares no fault"));
}

TEST(Prove, SkippedCleanRunIsNotJudged) {
  const CommandResult result = prove({"skipped.crowd"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.output, HasSubstr("(skipped)"));
}

TEST(Prove, SaysWhichCasesWereSkippedAndWhy) {
  const CommandResult result = prove({"skipped.crowd", "proof.watchful"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, ContainsRegex("skipped, and so neither proven nor not:\n  .*devices.*: skipped.crowd\n"));
  EXPECT_THAT(result.output, HasSubstr("1 of 2 cases proven (1 skipped)"));
}

/// One device is used: what needs two cannot be proven there, and that is no more a success than it is for `run`.
TEST(Prove, SaysWhichCasesNeedTwoDevices) {
  const CommandResult result = gpucheck({"prove", "nccl.pairs", "--device", "sim"});
  EXPECT_THAT(result.output, HasSubstr("needs 2 devices, 1 is there: nccl.pairs"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(gpucheck({"run", "nccl.pairs", "--device", "sim"}).exit_code, 3);
}

TEST(Prove, FailureOutweighsASkip) { EXPECT_EQ(prove({"skipped.crowd", "blind"}).exit_code, 1); }

TEST(Prove, JsonHasTheMatrix) {
  const CommandResult result = prove({"blind.eyes", "proof.watchful", "--json", "--timeout", "1s"});
  const json document = json::parse(result.output);
  EXPECT_EQ(document["schema"], "gpucheck.proof/1");
  EXPECT_EQ(document["exit_code"], 1);
  EXPECT_EQ(document["device"]["kind"], "sim");
  EXPECT_EQ(document["cases"].at(0)["name"], "blind.eyes");
  EXPECT_EQ(document["cases"].at(0)["faults"].at(0)["noticed"], false);
  EXPECT_EQ(document["cases"].at(0)["faults"].at(0)["outcome"], "pass");
  EXPECT_EQ(document["cases"].at(1)["faults"].size(), 3U);
  EXPECT_EQ(document["cases"].at(1)["faults"].at(1)["outcome"], "hang");
  EXPECT_EQ(document["cases"].at(1)["faults"].at(1)["caught_by"], "hang");
  EXPECT_EQ(document["cases"].at(0)["keys"].at(0), json::parse(R"({"key": "allocated", "red_under": []})"));
  EXPECT_EQ(document["cases"].at(1)["keys"].at(0)["red_under"], json::array({"allocation_fails"}));
  EXPECT_EQ(document["red_key_count"], 1);
}

TEST(Prove, UsesTheFirstOfSeveralDevices) {
  const CommandResult result = fixture({"prove", "proof.exclusive", "--device", "sim:devices=3,only=2+0", "--json"});
  const json document = json::parse(result.output);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(document["device"]["ordinal"], 2);
  EXPECT_EQ(document["cases"].at(0)["faults"].size(), 1U);
}

TEST(Prove, HangingFaultTakesLessThanTheDeadline) {
  const json document = json::parse(prove({"proof.watchful", "--json"}).output);
  const json& hang = document["cases"].at(0)["faults"].at(1);
  EXPECT_EQ(hang["name"], "allocation_hangs");
  EXPECT_LT(hang["duration_ms"], 9'000) << "the case's deadline is 10 s";
}

}  // namespace
}  // namespace gpucheck::application
