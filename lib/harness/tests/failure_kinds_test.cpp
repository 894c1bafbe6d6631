#include "harness/result/failure_kinds.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>

#include "harness/result/result.hpp"

namespace gpucheck::harness {
namespace {

std::vector<std::string_view> codes_of(const CaseResult& result) {
  std::vector<std::string_view> codes;
  for (const FailureKind* kind : failures_of(result)) codes.push_back(kind->code);
  return codes;
}

TEST(FailureKinds, HaveCodesAndNamesOfTheirOwn) {
  std::set<std::string_view> codes;
  std::set<std::string_view> names;
  for (const FailureKind& kind : failure_kinds()) {
    EXPECT_TRUE(codes.insert(kind.code).second) << kind.code;
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.meaning.empty() || kind.advice.empty()) << kind.code;
  }
}

/// Operators and their scripts know failures by these: a code that was given stays, with its name.
TEST(FailureKinds, KeepEveryCodeThatWasEverGiven) {
  std::ifstream file(GPUCHECK_HARNESS_TEST_DATA "/failure_codes.txt");
  std::set<std::string_view> listed;
  for (std::string code, name; file >> code >> name;) {
    const FailureKind* const kind = find_failure_kind(code);
    ASSERT_NE(kind, nullptr) << code;
    EXPECT_EQ(kind->name, name);
    listed.insert(kind->code);
  }
  EXPECT_EQ(listed.size(), failure_kinds().size()) << "a new code has to be listed there too";
}

TEST(FailureKinds, AreFoundByCodeInAnyCaseAndByName) {
  ASSERT_NE(find_failure_kind("GC2001"), nullptr);
  EXPECT_EQ(find_failure_kind("gc2001"), find_failure_kind("GC2001"));
  EXPECT_EQ(find_failure_kind("memory_mismatch"), find_failure_kind("GC2001"));
  EXPECT_EQ(find_failure_kind("GC200"), nullptr);
  EXPECT_EQ(find_failure_kind(""), nullptr);
}

TEST(FailureKinds, OfAResultComeOnceTheMostSevereFirst) {
  CaseResult result;
  result.outcome = Outcome::fail;
  for (const char* code : {"GC5003", "GC4002", "GC2001", "GC4002", "GC1005"}) {
    result.mismatches.push_back({.key = "k", .expected = {}, .seen = {}, .basis = {}, .failure = code});
  }
  EXPECT_EQ(codes_of(result), (std::vector<std::string_view>{"GC2001", "GC4002", "GC5003", "GC1005"}));
}

/// NVML's recovery action: the driver knows what the GPU needs.
TEST(FailureKinds, WhatTheDriverAsksForComesFirst) {
  CaseResult result;
  result.outcome = Outcome::fail;
  result.devices = {1};
  result.mismatches.push_back({.key = "k", .expected = {}, .seen = {}, .basis = {}, .failure = "GC2001"});
  const auto codes_after = [&result](std::optional<std::int64_t> action) {
    result.telemetry = {{.device = 1, .recovery_action = action}};
    return codes_of(result);
  };
  EXPECT_EQ(codes_after({}), (std::vector<std::string_view>{"GC2001"}));
  EXPECT_EQ(codes_after(0), (std::vector<std::string_view>{"GC2001"}));
  EXPECT_EQ(codes_after(1), (std::vector<std::string_view>{"GC7004", "GC2001"}));
  EXPECT_EQ(codes_after(2), (std::vector<std::string_view>{"GC7006", "GC2001"}));
  EXPECT_EQ(codes_after(3), (std::vector<std::string_view>{"GC7007", "GC2001"})) << "less severe, and first";
  EXPECT_EQ(codes_after(4), (std::vector<std::string_view>{"GC7007", "GC2001"}));
  EXPECT_EQ(codes_after(5), (std::vector<std::string_view>{"GC1011", "GC2001"}));
  EXPECT_EQ(codes_after(6), (std::vector<std::string_view>{"GC7001", "GC2001"})) << "an action of a later driver";
  result.mismatches.front().failure = "GC7006";
  EXPECT_EQ(codes_after(2), (std::vector<std::string_view>{"GC7006"})) << "once";
  result.devices = {0, 1};
  EXPECT_EQ(codes_after(1), (std::vector<std::string_view>{"GC7006"})) << "the failure may be the other device's";
  result.devices = {1};
  result.outcome = Outcome::pass;
  EXPECT_EQ(codes_after(2), std::vector<std::string_view>{});
}

TEST(FailureKinds, OfAnOutcomeNeedNoMismatch) {
  CaseResult result;
  result.outcome = Outcome::hang;
  EXPECT_EQ(codes_of(result), std::vector<std::string_view>{"GC7003"});
  result.outcome = Outcome::crash;
  EXPECT_EQ(codes_of(result), std::vector<std::string_view>{"GC7002"});
  result.outcome = Outcome::error;
  EXPECT_EQ(codes_of(result), std::vector<std::string_view>{"GC9001"});
}

TEST(FailureKinds, APassAndASkipHaveNone) {
  CaseResult result;
  result.mismatches.push_back({.key = "k", .expected = {}, .seen = {}, .basis = {}, .failure = "GC2001"});
  result.outcome = Outcome::pass;
  EXPECT_TRUE(codes_of(result).empty());
  result.outcome = Outcome::skip;
  EXPECT_TRUE(codes_of(result).empty());
}

TEST(FailureKinds, TellWhetherSpeedAloneIsTheReason) {
  const auto failed_with = [](const std::vector<std::string>& codes, Outcome outcome = Outcome::fail) {
    CaseResult result;
    result.outcome = outcome;
    for (const std::string& code : codes) {
      result.mismatches.push_back({.key = "k", .expected = {}, .seen = {}, .basis = {}, .failure = code});
    }
    return result;
  };
  EXPECT_TRUE(failed_by_speed_alone(failed_with({"GC4006", "GC8002"})));
  EXPECT_FALSE(failed_by_speed_alone(failed_with({"GC4006", "GC4008"}))) << "what arrived was wrong too";
  EXPECT_FALSE(failed_by_speed_alone(failed_with({"GC4006", "no code"})));
  EXPECT_FALSE(failed_by_speed_alone(failed_with({})));
  EXPECT_FALSE(failed_by_speed_alone(failed_with({"GC4006"}, Outcome::error)));
}

TEST(FailureKinds, SayTheirPlaceInWords) {
  const FailureKind* const kind = find_failure_kind("GC2003");
  ASSERT_NE(kind, nullptr);
  EXPECT_EQ(to_text(kind->severity), "serious");
  EXPECT_EQ(to_text(kind->category), "memory");
  EXPECT_EQ(to_text(kind->action), "reset");
}

}  // namespace
}  // namespace gpucheck::harness
