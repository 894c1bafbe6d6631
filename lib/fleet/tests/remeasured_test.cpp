// Speeds that are measured again because they fail among peers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/peers.hpp"
#include "harness/result/failure_kinds.hpp"

namespace gpucheck::fleet {
namespace {

using harness::CaseResult;
using harness::Comparison;
using harness::Outcome;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

harness::RunStarted run_with(int devices) {
  harness::RunStarted start;
  for (int i = 0; i < devices; ++i) {
    harness::DeviceIdentity& device = start.devices.emplace_back();
    device.index = device.ordinal = i;
    device.name = "NVIDIA H100";
  }
  return start;
}

CaseResult read_at(int device, double value, Outcome outcome = Outcome::pass) {
  CaseResult result;
  result.name = "bandwidth.device_read";
  result.devices = {device};
  result.outcome = outcome;
  result.measurements = {{.key = "read_gbps", .value = value, .verdict = "pass", .fail_below = 1, .source = "s"}};
  return result;
}

CaseResult with_digest(int device, const std::string& digest) {
  CaseResult result;
  result.name = "gemm.bf16";
  result.devices = {device};
  result.observations = {{"digest", digest}};
  result.outcome = Outcome::pass;
  return result;
}

std::vector<std::string> verdict_words(const Comparison& comparison) {
  std::vector<std::string> verdicts;
  for (const harness::ComparedValue& one : comparison.values) verdicts.push_back(one.verdict);
  return verdicts;
}

Comparison measured_again(const std::vector<CaseResult>& again) {
  Peers peers;
  peers.begin(run_with(2));
  peers.add(read_at(0, 1000));
  peers.add(read_at(1, 700));
  for (const CaseResult& result : again) peers.remeasure(result);
  const std::vector<Comparison> found = peers.compare();
  EXPECT_THAT(found, SizeIs(1));
  return found.front();
}

TEST(Remeasured, ASpeedThatIsGoodWhenMeasuredAgainIsFlaky) {
  const Comparison flaky = measured_again({read_at(1, 750), read_at(1, 990)});
  EXPECT_THAT(verdict_words(flaky), ElementsAre("pass", "warn"));
  EXPECT_EQ(flaky.failure, "");
  EXPECT_THAT(flaky.values[1].earlier, ElementsAre(harness::Value(700.0), harness::Value(750.0)));
  EXPECT_THAT(flaky.values[0].earlier, IsEmpty());
  EXPECT_THAT(flaky.reason, AllOf(HasSubstr("flaky: device 1 with 990"), HasSubstr("before: 700, then 750")));
}

TEST(Remeasured, ASpeedThatStaysBadFailsWithAllItsValues) {
  const Comparison slow = measured_again({read_at(1, 710), read_at(1, 720)});
  EXPECT_THAT(verdict_words(slow), ElementsAre("pass", "fail"));
  EXPECT_EQ(slow.failure, harness::find_failure_kind("slower_than_peers")->code);
  EXPECT_THAT(slow.reason, AllOf(HasSubstr("device 1 with 720"), HasSubstr("before: 700, then 710")));
}

TEST(Remeasured, AMeasurementThatFailsOtherwiseTakesNothingBack) {
  for (const Outcome outcome : {Outcome::fail, Outcome::crash, Outcome::hang, Outcome::error, Outcome::skip}) {
    CaseResult bad = read_at(1, 990, outcome);
    bad.reason = "bits are wrong";
    const Comparison still = measured_again({bad});
    EXPECT_THAT(verdict_words(still), ElementsAre("pass", "fail"));
    EXPECT_THAT(still.reason, AllOf(HasSubstr("device 1 with 700"), HasSubstr("bits are wrong")));
  }
}

TEST(Remeasured, OfSeveralDevicesIsNone) {
  CaseResult pair = read_at(1, 990);
  pair.devices = {0, 1};
  EXPECT_THAT(verdict_words(measured_again({pair})), ElementsAre("pass", "fail"));
  pair.devices = {};
  EXPECT_THAT(verdict_words(measured_again({pair})), ElementsAre("pass", "fail"));
}

TEST(Remeasured, ConcernsTheCaseAndTheDeviceThatItIsOf) {
  CaseResult other_case = read_at(1, 990, Outcome::error);
  other_case.name = "bandwidth.device_write";
  other_case.reason = "no";
  EXPECT_EQ(measured_again({other_case}).reason.find("measured again"), std::string::npos);
  const Comparison best = measured_again({read_at(0, 1010)});
  EXPECT_THAT(verdict_words(best), ElementsAre("warn", "fail"));
  EXPECT_THAT(best.values[0].earlier, ElementsAre(harness::Value(1000.0)));
  EXPECT_THAT(best.values[1].earlier, IsEmpty());
}

/// What was too slow, and computes wrongly when it is measured again, is the one whose digest is wrong.
TEST(Remeasured, AWrongValueIsHeldAgainstTheDevice) {
  Peers peers;
  peers.begin(run_with(2));
  peers.add(with_digest(0, "a"));
  peers.add(with_digest(1, "b"));
  EXPECT_THAT(verdict_words(peers.compare().front()), ElementsAre("fail", "fail")) << "nobody knows";
  CaseResult wrong = read_at(1, 990, Outcome::fail);
  wrong.mismatches = {{"wrong_words", "0", "1", "math", "GC2001"}};
  peers.remeasure(wrong);
  EXPECT_THAT(verdict_words(peers.compare().front()), ElementsAre("pass", "fail"));
}

TEST(Remeasured, WhatIsMeasuredAgainAddsItsDigest) {
  Peers peers;
  peers.begin(run_with(3));
  for (int device = 0; device < 3; ++device) peers.add(with_digest(device, "a"));
  peers.remeasure(with_digest(2, "b"));
  EXPECT_THAT(verdict_words(peers.compare().front()), ElementsAre("pass", "pass", "fail"));
}

}  // namespace
}  // namespace gpucheck::fleet
