#include "runner/proof/proof.hpp"

#include <gtest/gtest.h>

#include "harness/case/case.hpp"

// The verdict of a proof, also of one that was interrupted.
namespace gpucheck::runner {
namespace {

using harness::CaseResult;
using harness::ExitCode;
using harness::Mismatch;
using harness::Outcome;
using Names = std::vector<std::string>;

/// A case with three faults: "a", "b" and "c".
const harness::Case& proven_case() {
  static const harness::Case one = [] {
    harness::Case made;
    made.name = "test.made_up";
    for (const char* name : {"a", "b", "c"}) made.faults.push_back({.name = name, .summary = "", .plan = {}});
    return made;
  }();
  return one;
}

CaseResult ended(Outcome outcome, const Names& keys = {}, const std::string& fault = {}) {
  CaseResult result;
  result.name = proven_case().name;
  result.outcome = outcome;
  result.fault = fault;
  for (const std::string& key : keys) result.mismatches.push_back({key, "expected", "seen", "basis"});
  return result;
}

FaultTrial trial(const std::string& fault, Outcome outcome, const Names& keys = {}) {
  return {ended(outcome, keys, fault)};
}

CaseProof proof_with(std::vector<FaultTrial> trials, Outcome clean = Outcome::pass) {
  CaseProof proof;
  proof.test_case = &proven_case();
  proof.clean = ended(clean);
  proof.trials = std::move(trials);
  proof.judged_keys = {"first", "second", "third"};
  return proof;
}

const std::vector<FaultTrial> all_noticed{trial("a", Outcome::fail, {"first"}), trial("b", Outcome::crash),
                                          trial("c", Outcome::fail, {"rule.leak", "second"})};

Proof whole(std::vector<CaseProof> cases, int signal = 0) {
  Proof proof;
  proof.cases = std::move(cases);
  proof.interrupted_by_signal = signal;
  return proof;
}

TEST(FaultTrial, IsCaughtByWhatTurnedTheCaseRed) {
  for (const auto& [outcome, keys, by] :
       std::vector<std::tuple<Outcome, Names, CaughtBy>>{{Outcome::pass, {}, CaughtBy::nothing},
                                                         {Outcome::skip, {}, CaughtBy::nothing},
                                                         {Outcome::fail, {"key"}, CaughtBy::key},
                                                         {Outcome::fail, {"rule.leak"}, CaughtBy::rule},
                                                         {Outcome::fail, {"rule.leak", "rule.race"}, CaughtBy::rule},
                                                         {Outcome::fail, {"rule.leak", "key"}, CaughtBy::key},
                                                         {Outcome::fail, {"key", "rule.leak"}, CaughtBy::key},
                                                         {Outcome::fail, {"ruler"}, CaughtBy::key},
                                                         {Outcome::error, {"key"}, CaughtBy::error},
                                                         {Outcome::crash, {}, CaughtBy::crash},
                                                         {Outcome::hang, {}, CaughtBy::hang}}) {
    EXPECT_EQ(trial("a", outcome, keys).caught_by(), by) << to_text(outcome) << " " << keys.size();
    EXPECT_EQ(trial("a", outcome, keys).noticed(), by != CaughtBy::nothing);
  }
}

TEST(FaultTrial, AWarningOfAPassIsOfItsKey) {
  FaultTrial warned = trial("a", Outcome::pass);
  warned.result.warnings.push_back({"first", "expected", "seen", "basis"});
  EXPECT_EQ(warned.caught_by(), CaughtBy::key);
  EXPECT_TRUE(warned.turned_red("first"));
  EXPECT_FALSE(warned.turned_red("second"));
}

TEST(CaseProof, IsOneWhereEachFaultWasTriedAndNoticed) {
  EXPECT_TRUE(proof_with(all_noticed).proven());
  EXPECT_EQ(whole({proof_with(all_noticed)}).exit_code(), ExitCode::passed);
  for (const Outcome unnoticed : {Outcome::pass, Outcome::skip}) {
    for (std::size_t i = 0; i < all_noticed.size(); ++i) {
      std::vector<FaultTrial> trials = all_noticed;
      trials[i] = trial(trials[i].result.fault, unnoticed);
      EXPECT_FALSE(proof_with(trials).proven()) << i;
      EXPECT_EQ(whole({proof_with(trials)}).exit_code(), ExitCode::failed);
      EXPECT_EQ(whole({proof_with(trials)}).noticed_count(), 2);
    }
  }
  EXPECT_FALSE(proof_with({}).proven());
}

TEST(CaseProof, IsNoneWhereTheCleanRunIsNoPass) {
  for (const Outcome clean : {Outcome::fail, Outcome::error, Outcome::crash, Outcome::hang, Outcome::skip}) {
    EXPECT_FALSE(proof_with(all_noticed, clean).proven()) << to_text(clean);
    EXPECT_NE(whole({proof_with(all_noticed, clean)}).exit_code(), ExitCode::passed) << to_text(clean);
  }
}

TEST(CaseProof, IsNoneWhereNoKeyOfItsOwnIsRed) {
  for (const Names& noticed_by : {Names{}, {"rule.leak"}, {"not_judged"}}) {
    std::vector<FaultTrial> trials;
    for (const char* fault : {"a", "b", "c"}) {
      trials.push_back(trial(fault, noticed_by.empty() ? Outcome::error : Outcome::fail, noticed_by));
    }
    EXPECT_FALSE(proof_with(trials).proven());
    EXPECT_EQ(whole({proof_with(trials)}).noticed_count(), 3);
    EXPECT_EQ(whole({proof_with(trials)}).exit_code(), ExitCode::failed);
    trials.back() = trial("c", Outcome::fail, {"third"});
    EXPECT_TRUE(proof_with(trials).proven());
  }
}

TEST(CaseProof, IsNoneWhereTrialsAreMissing) {
  for (std::size_t gone = 0; gone < all_noticed.size(); ++gone) {
    std::vector<FaultTrial> trials = all_noticed;
    trials.erase(trials.begin() + static_cast<std::ptrdiff_t>(gone));
    const CaseProof proof = proof_with(trials);
    EXPECT_FALSE(proof.proven()) << "all that ran were noticed, but " << gone << " was not run";
    EXPECT_EQ(proof.trial_of(proven_case().faults[gone]), nullptr);
    EXPECT_EQ(whole({proof}).exit_code(), ExitCode::failed);
    EXPECT_EQ(whole({proof}, 2).exit_code(), harness::interrupted_exit_code(2));
    EXPECT_EQ(whole({proof}).fault_count(), 3) << "as many as there are to be tried";
    EXPECT_EQ(whole({proof}).noticed_count(), 2);
  }
  EXPECT_EQ(whole({proof_with(all_noticed)}, 15).exit_code(), harness::interrupted_exit_code(15))
      << "others were not run";
}

TEST(CaseProof, TellsWhichFaultTurnedEachKeyRed) {
  CaseProof proof = proof_with(all_noticed);
  EXPECT_EQ(proof.faults_that_turn_red("first"), Names{"a"});
  EXPECT_EQ(proof.faults_that_turn_red("second"), Names{"c"});
  EXPECT_EQ(proof.faults_that_turn_red("third"), Names{});
  EXPECT_EQ(proof.keys_never_red(), Names{"third"});
  proof.trials[1] = trial("b", Outcome::fail, {"third", "first"});
  EXPECT_EQ(proof.faults_that_turn_red("first"), (Names{"a", "b"}));
  EXPECT_EQ(proof.keys_never_red(), Names{});
  EXPECT_EQ(whole({proof, proof_with(all_noticed)}).key_count(), 6U);
  EXPECT_EQ(whole({proof, proof_with(all_noticed)}).red_key_count(), 5U);
}

TEST(Proof, OfTwoReasonsTellsTheWorse) {
  const CaseProof good = proof_with(all_noticed);
  const CaseProof unjudged = proof_with({}, Outcome::skip);
  const CaseProof broken = proof_with({}, Outcome::error);
  const CaseProof red = proof_with({}, Outcome::fail);
  const CaseProof blind =
      proof_with({trial("a", Outcome::pass), trial("b", Outcome::crash), trial("c", Outcome::hang)});
  EXPECT_EQ(whole({}).exit_code(), ExitCode::not_judged);
  EXPECT_EQ(whole({good, good}).exit_code(), ExitCode::passed);
  EXPECT_EQ(whole({good, unjudged}).exit_code(), ExitCode::passed) << "a skip counts for nothing, as in a run";
  EXPECT_EQ(whole({good, unjudged}).fault_count(), 3);
  EXPECT_EQ(whole({good, broken}).exit_code(), ExitCode::not_judged);
  for (const CaseProof& not_judged : {unjudged, broken}) {
    EXPECT_EQ(whole({not_judged}).exit_code(), ExitCode::not_judged);
    for (const CaseProof& failed : {red, blind}) {
      EXPECT_EQ(whole({failed, not_judged}).exit_code(), ExitCode::failed);
      EXPECT_EQ(whole({not_judged, good, failed}).exit_code(), ExitCode::failed);
    }
  }
  EXPECT_EQ(whole({good, blind, unjudged}).count_of(CaughtBy::crash), 2);
  EXPECT_EQ(whole({good, blind, unjudged}).count_of(CaughtBy::nothing), 1);
  EXPECT_EQ(whole({good, blind, unjudged}).noticed_count(), 5);
  EXPECT_EQ(whole({good, blind, unjudged}).fault_count(), 6) << "of what was not skipped";
}

}  // namespace
}  // namespace gpucheck::runner
