#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/tests/runs_of_peers.hpp"
#include "harness/result/failure_kinds.hpp"

namespace gpucheck::fleet {
namespace {

using harness::CaseResult;
using harness::Comparison;
using harness::Outcome;
using harness::RunStarted;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> speeds(const std::vector<double>& values, const std::string& name = "bandwidth.device_read",
                                std::optional<double> best = {}) {
  std::vector<CaseResult> results;
  for (const double value : values) results.push_back(measured_on(static_cast<int>(results.size()), value, name, best));
  const std::vector<Comparison> found = compare_peers(run_of(static_cast<int>(values.size())), results);
  return found.size() == 1 ? verdicts_of(found[0]) : std::vector<std::string>{"no comparison"};
}

TEST(Peers, ASpeedWarnsFromATenthBelowTheBestOnAndFailsFromAFifth) {
  EXPECT_THAT(speeds({1000, 901}), ElementsAre("pass", "pass"));
  EXPECT_THAT(speeds({1000, 900}), ElementsAre("pass", "warn"));
  EXPECT_THAT(speeds({801, 1000}), ElementsAre("warn", "pass"));
  EXPECT_THAT(speeds({1000, 800}), ElementsAre("pass", "fail"));
  EXPECT_THAT(speeds({700, 1000, 850, 990}), ElementsAre("fail", "pass", "warn", "pass"));
  EXPECT_THAT(speeds({0.3, 0.27}), ElementsAre("pass", "warn")) << "what no double is exactly";
  EXPECT_THAT(speeds({1000, 0}), ElementsAre("pass", "fail"));
  EXPECT_THAT(speeds({std::nan(""), 1000}), ElementsAre("fail", "pass"));
  EXPECT_THAT(speeds({0, 0}), ElementsAre("pass", "pass")) << "its own limit fails it";
}

TEST(Peers, ASlowOneIsNamedWithItsPeersValues) {
  const std::vector<Comparison> found =
      compare_peers(run_of(3), {measured_on(0, 3000), measured_on(1, 2000), measured_on(2, 2950)});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(name_of(found[0]), "bandwidth.device_read.read_gbps");
  EXPECT_EQ(found[0].model, "NVIDIA H100");
  EXPECT_EQ(found[0].verdict, "fail");
  EXPECT_EQ(found[0].failure, harness::find_failure_kind("slower_than_peers")->code);
  EXPECT_EQ(found[0].reason, "device 1 with 2000 is 33 % below the best, which is device 0 with 3000");
  ASSERT_THAT(found[0].values, SizeIs(3));
  EXPECT_EQ(found[0].values[2].device, 2);
  EXPECT_EQ(found[0].values[2].value, harness::Value(2950.0));
  EXPECT_TRUE(is_failure(found[0]));
}

TEST(Peers, AWarningIsNoFailure) {
  const std::vector<Comparison> found = compare_peers(run_of(2), {measured_on(0, 3000), measured_on(1, 2600)});
  EXPECT_EQ(found.at(0).verdict, "warn");
  EXPECT_EQ(found.at(0).failure, "");
  EXPECT_FALSE(is_failure(found[0]));
}

/// The way to the host's memory differs by socket.
TEST(Peers, SlowByTheHostFailsOnlyWhereOneOfSeveralIsAlone) {
  const char* const by_host = "bandwidth.host_to_device";
  EXPECT_THAT(speeds({55, 30}, by_host), ElementsAre("pass", "warn"));
  EXPECT_THAT(speeds({55, 54, 30}, by_host), ElementsAre("pass", "pass", "fail"));
  EXPECT_THAT(speeds({55, 54, 40, 41}, by_host), ElementsAre("pass", "pass", "warn", "warn"));
  EXPECT_THAT(speeds({55, 54, 40, 41, 20}, by_host), ElementsAre("pass", "pass", "warn", "warn", "fail"));
  EXPECT_THAT(speeds({3000, 2000, 2000}), ElementsAre("pass", "fail", "fail")) << "what is a GPU's own, is";
}

TEST(Peers, ALinkIsComparedByWhatItCouldDo) {
  const auto linked = [](double value, double second_best) {
    return compare_peers(run_of(3), {measured_on(0, 55, "bandwidth.device_to_host", 63),
                                     measured_on(1, 55, "bandwidth.device_to_host", 63),
                                     measured_on(2, value, "bandwidth.device_to_host", second_best)});
  };
  EXPECT_EQ(linked(27, 31.5).at(0).verdict, "pass") << "in a slot of half the lanes";
  EXPECT_EQ(linked(27, 63).at(0).verdict, "fail");
}

TEST(Peers, OfAnotherModelHostOrParameterAreNone) {
  RunStarted mixed = run_of(2);
  mixed.devices[1].name = "NVIDIA H100 NVL";
  EXPECT_THAT(compare_peers(mixed, {measured_on(0, 3000), measured_on(1, 1000)}), IsEmpty());
  mixed = run_of(2);
  mixed.devices[1].multiprocessor_count = 114;
  EXPECT_THAT(compare_peers(mixed, {measured_on(0, 3000), measured_on(1, 1000)}), IsEmpty());
  CaseResult larger = measured_on(1, 1000);
  larger.parameters = {{"bytes", std::int64_t{512}}};
  EXPECT_THAT(compare_peers(run_of(2), {measured_on(0, 3000), larger}), IsEmpty());
  CaseResult of_both = measured_on(1, 1000);
  of_both.devices = {0, 1};
  EXPECT_THAT(compare_peers(run_of(2), {measured_on(0, 3000), of_both}), IsEmpty());
  EXPECT_THAT(compare_peers(run_of(2), {measured_on(0, 3000)}), IsEmpty());
  CaseResult of_machine = measured_on(1, 1000);
  of_machine.devices = {};
  EXPECT_THAT(compare_peers(run_of(2), {measured_on(0, 3000), of_machine}), IsEmpty());
}

TEST(Peers, AreOfOneModelInAllThatMakesThemMultiplyAlike) {
  const auto compared_with = [](const std::function<void(harness::DeviceIdentity&)>& change) {
    RunStarted start = run_of(2);
    for (harness::DeviceIdentity& device : start.devices) device.total_memory_bytes = std::uint64_t{80} << 30;
    change(start.devices[1]);
    return compare_peers(start, {measured_on(0, 3000), measured_on(1, 2900)}).size();
  };
  EXPECT_EQ(compared_with([](auto&) {}), 1U);
  EXPECT_EQ(compared_with([](auto& device) { device.kind = "sim"; }), 0U);
  EXPECT_EQ(compared_with([](auto& device) { device.compute_capability_major = 9; }), 0U);
  EXPECT_EQ(compared_with([](auto& device) { device.compute_capability_minor = 1; }), 0U);
  EXPECT_EQ(compared_with([](auto& device) { device.total_memory_bytes <<= 1; }), 0U);
  EXPECT_EQ(compared_with([](auto& device) { device.total_memory_bytes += 4096; }), 1U) << "GiB, not bytes";
}

TEST(Peers, TheWayToTheHostIsMeasuredByThreeCases) {
  for (const char* name : {"bandwidth.host_to_device", "bandwidth.device_to_host", "bandwidth.both_directions"}) {
    EXPECT_THAT(speeds({55, 30}, name), ElementsAre("pass", "warn")) << name;
  }
  for (const char* name : {"bandwidth.device_read", "bandwidth.peer_copy"}) {
    EXPECT_THAT(speeds({55, 30}, name), ElementsAre("pass", "fail")) << name;
    EXPECT_THAT(speeds({55, 30}, name, 63), ElementsAre("pass", "fail")) << name;
  }
  EXPECT_THAT(speeds({55, 30}, "bandwidth.host_to_device", 0), ElementsAre("pass", "warn")) << "no best is known";
}

TEST(Peers, AreComparedInEachOfSeveralValues) {
  CaseResult first = measured_on(0, 1000);
  CaseResult second = measured_on(1, 990);
  for (CaseResult* result : {&first, &second}) {
    harness::Measurement write = result->measurements[0];
    write.key = "write_gbps";
    write.value = result == &first ? 500 : 1000;
    harness::Measurement latency = result->measurements[0];
    latency.key = "latency_us";
    latency.fail_below.reset();
    latency.fail_above = 9;
    latency.value = result == &first ? 1 : 100;
    result->measurements.insert(result->measurements.begin(), {latency, write});
  }
  const std::vector<Comparison> found = compare_peers(run_of(2), {first, second});
  ASSERT_THAT(found, SizeIs(2)) << "what has no least value is not a speed";
  EXPECT_EQ(found[0].key, "read_gbps");
  EXPECT_THAT(verdicts_of(found[0]), ElementsAre("pass", "pass"));
  EXPECT_EQ(found[1].key, "write_gbps");
  EXPECT_THAT(verdicts_of(found[1]), ElementsAre("fail", "pass"));
}

TEST(Peers, WhatFailedBySpeedIsComparedAndNothingElseThatFailed) {
  CaseResult slow = measured_on(1, 1000);
  slow.outcome = Outcome::fail;
  slow.mismatches = {{"read_gbps", "at least 2000", "1000", "vendor", "GC2006"}};
  EXPECT_EQ(compare_peers(run_of(2), {measured_on(0, 3000), slow}).at(0).verdict, "fail");
  slow.mismatches.push_back({"wrong_words", "0", "1", "math", "GC2001"});
  EXPECT_THAT(compare_peers(run_of(2), {measured_on(0, 3000), slow}), IsEmpty());
  for (const Outcome outcome : {Outcome::error, Outcome::crash, Outcome::hang, Outcome::skip}) {
    slow.outcome = outcome;
    EXPECT_THAT(compare_peers(run_of(2), {measured_on(0, 3000), slow}), IsEmpty());
  }
}

TEST(Peers, OfSeveralRepetitionsTheMedianCounts) {
  std::vector<CaseResult> results;
  for (const double value : {1000.0, 1000.0, 1000.0}) results.push_back(measured_on(0, value));
  for (const double value : {500.0, 990.0, 1000.0}) results.push_back(measured_on(1, value));
  EXPECT_EQ(compare_peers(run_of(2), results).at(0).verdict, "pass");
  for (CaseResult& result : results) result.repetition = 0;
  results.push_back(measured_on(1, 400));
  results.push_back(measured_on(1, 400));
  EXPECT_EQ(compare_peers(run_of(2), results).at(0).verdict, "fail");
}

CaseResult burnt(int device, harness::Value clock_percent, harness::Value celsius) {
  CaseResult result = result_on(device, "stress.burn", Outcome::pass);
  result.observations = {{"mean_clock_percent", std::move(clock_percent)},
                         {"peak_temperature_celsius", std::move(celsius)}};
  return result;
}

TEST(Peers, ClocksUnderLoadAreComparedAsSpeeds) {
  const std::int64_t warm = 60;
  const std::vector<Comparison> found =
      compare_peers(run_of(3), {burnt(0, 90.0, warm), burnt(1, 70.0, warm), burnt(2, 80.0, warm)});
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].key, "mean_clock_percent");
  EXPECT_THAT(verdicts_of(found[0]), ElementsAre("pass", "fail", "warn"));
  EXPECT_EQ(found[1].verdict, "pass");
}

TEST(Peers, TemperaturesUnderLoadWarnFarAboveTheOthers) {
  const auto at = [](std::int64_t first, std::int64_t second, std::int64_t third) {
    const auto found = compare_peers(run_of(3), {burnt(0, 90.0, first), burnt(1, 90.0, second), burnt(2, 90.0, third)});
    return verdicts_of(found.at(1));
  };
  EXPECT_THAT(at(60, 81, 60), ElementsAre("pass", "warn", "pass"));
  EXPECT_THAT(at(60, 80, 60), ElementsAre("pass", "pass", "pass"));
  EXPECT_THAT(at(30, 60, 61), ElementsAre("pass", "pass", "pass")) << "a cool one is not the measure";
  EXPECT_THAT(compare_peers(run_of(2), {burnt(0, "unknown", "unknown"), burnt(1, 90.0, std::int64_t{50})}), IsEmpty());
}

TEST(Peers, OnlyUnderTheLoadOfBurnClocksAndHeatAreCompared) {
  const auto named = [](int device, double clock_percent, const char* name) {
    CaseResult result = burnt(device, clock_percent, std::int64_t{40 + 50 * device});
    result.name = name;
    return result;
  };
  EXPECT_THAT(compare_peers(run_of(2), {named(0, 90, "stress.load"), named(1, 10, "stress.load")}), IsEmpty());
  EXPECT_THAT(compare_peers(run_of(2), {named(0, 90, "stress.burn"), named(1, 10, "stress.burn")}), SizeIs(2));
  const std::vector<Comparison> whole =
      compare_peers(run_of(2), {burnt(0, std::int64_t{90}, 50.0), burnt(1, std::int64_t{60}, 50.0)});
  EXPECT_THAT(verdicts_of(whole.at(0)), ElementsAre("pass", "fail")) << "whole numbers are numbers too";
}

// -- digests -------------------------------------------------------------------------------------

Comparison digests(const std::vector<std::string>& of_devices, const std::vector<CaseResult>& more = {}) {
  std::vector<CaseResult> results;
  for (const std::string& digest : of_devices) results.push_back(digested(static_cast<int>(results.size()), digest));
  results.insert(results.end(), more.begin(), more.end());
  return compare_peers(run_of(static_cast<int>(of_devices.size())), results).at(0);
}

TEST(Digests, ThatAreEqualPass) {
  const Comparison all = digests({"aa", "aa", "aa"});
  EXPECT_EQ(all.verdict, "pass");
  EXPECT_EQ(all.reason, "");
  EXPECT_EQ(all.failure, "");
}

TEST(Digests, TheOddOneOutIsNamedAndFails) {
  const Comparison odd = digests({"aa", "bb", "aa"});
  EXPECT_THAT(verdicts_of(odd), ElementsAre("pass", "fail", "pass"));
  EXPECT_EQ(odd.failure, harness::find_failure_kind("odd_digest")->code);
  EXPECT_EQ(odd.reason, "device 1 has \"bb\"; 2 of 3 have \"aa\"");
  EXPECT_THAT(verdicts_of(digests({"cc", "aa", "bb", "aa"})), ElementsAre("fail", "pass", "fail", "pass"));
  EXPECT_THAT(verdicts_of(digests({"bb", "aa", "bb", "aa", "aa"})),
              ElementsAre("fail", "pass", "fail", "pass", "pass"));
}

TEST(Digests, WhereNobodyKnowsWhichIsRightAllAreSuspects) {
  for (const std::vector<std::string>& split : std::vector<std::vector<std::string>>{
           {"aa", "bb"}, {"aa", "bb", "cc"}, {"aa", "aa", "bb", "bb"}, {"aa", "aa", "bb", "bb", "cc"}}) {
    const Comparison disputed = digests(split);
    for (const std::string& verdict : verdicts_of(disputed)) EXPECT_EQ(verdict, "fail");
    EXPECT_EQ(disputed.failure, harness::find_failure_kind("disputed_digest")->code);
    EXPECT_THAT(disputed.reason, AllOf(HasSubstr("device 0"), HasSubstr("\"aa\""), HasSubstr("suspects")));
  }
}

CaseResult wrong_product(int device) {
  CaseResult result = result_on(device, "gemm.fp32", Outcome::fail);
  result.mismatches = {{"wrong_elements", "0", "1", "math", "GC3001"}};
  return result;
}

TEST(Digests, OfOneThatIsWrongElsewhereCountForNothing) {
  EXPECT_THAT(verdicts_of(digests({"aa", "bb"}, {wrong_product(1)})), ElementsAre("pass", "fail"));
  EXPECT_THAT(verdicts_of(digests({"aa", "bb"}, {wrong_product(0)})), ElementsAre("fail", "pass"));
  EXPECT_THAT(verdicts_of(digests({"aa", "bb"}, {wrong_product(0), wrong_product(1)})), ElementsAre("fail", "fail"));
  EXPECT_THAT(verdicts_of(digests({"aa", "bb", "cc"}, {wrong_product(1)})), ElementsAre("fail", "fail", "fail"));
  EXPECT_THAT(verdicts_of(digests({"aa", "aa"}, {wrong_product(1)})), ElementsAre("pass", "pass"));
}

TEST(Digests, OfOneThatFailedOtherwiseCountAsEver) {
  const auto with = [](const char* failure, Outcome outcome) {
    CaseResult other = wrong_product(1);
    other.mismatches[0].failure = failure;
    other.outcome = outcome;
    return verdicts_of(digests({"aa", "bb"}, {other}));
  };
  EXPECT_THAT(with("GC2001", Outcome::fail), ElementsAre("pass", "fail")) << "wrong memory";
  for (const char* other : {"GC2006", "GC4001", "GC6001", "GC5003"}) {
    EXPECT_THAT(with(other, Outcome::fail), ElementsAre("fail", "fail")) << other << " is not a wrong value";
  }
  EXPECT_THAT(with("GC3001", Outcome::error), ElementsAre("fail", "fail")) << "it was not judged";
  CaseResult of_both = wrong_product(1);
  of_both.devices = {0, 1};
  EXPECT_THAT(verdicts_of(digests({"aa", "bb"}, {of_both})), ElementsAre("fail", "fail")) << "whose is not known";
}

TEST(Digests, AreComparableOnlyUnderEqualConditions) {
  const auto compared_with = [](const std::function<void(CaseResult&)>& change) {
    CaseResult other = digested(1, "bb");
    change(other);
    return compare_peers(run_of(2), {digested(0, "aa"), other}).size();
  };
  EXPECT_EQ(compared_with([](CaseResult&) {}), 1U);
  EXPECT_EQ(compared_with([](CaseResult& one) { one.observations[0].value = "cuBLASLt 12.9"; }), 0U);
  EXPECT_EQ(compared_with([](CaseResult& one) { one.observations[1].value = "tile 21"; }), 0U);
  EXPECT_EQ(compared_with([](CaseResult& one) { one.observations[2].value = std::int64_t{4096}; }), 0U);
  EXPECT_EQ(compared_with([](CaseResult& one) { one.parameters["size"] = std::int64_t{16}; }), 0U);
  EXPECT_EQ(compared_with([](CaseResult& one) { one.seed = 9; }), 0U);
  EXPECT_EQ(compared_with([](CaseResult& one) { one.name = "gemm.fp16"; }), 0U);
}

}  // namespace
}  // namespace gpucheck::fleet
