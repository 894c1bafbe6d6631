#include "runner/supervision/library_blame.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/case/execute.hpp"
#include "harness/result/failure_kinds.hpp"

namespace gpucheck::runner {
namespace {

using harness::CaseResult;
using harness::Outcome;

CaseResult library_case(Outcome outcome, const std::string& error_tail = {}) {
  CaseResult result;
  result.name = "a.b";
  result.outcome = outcome;
  result.reason = "killed by signal 6 (SIGABRT)";
  result.error_tail = error_tail;
  return result;
}

CaseResult after_blame(CaseResult result, const std::string& allocator = "./mine.so") {
  harness::RunSettings settings;
  settings.allocator = runtime::parse_allocator_choice(allocator);
  blame_library(result, settings);
  return result;
}

TEST(LibraryBlame, TellsInOneLineHowTheProcessEndedAndItsLastWords) {
  const CaseResult died = after_blame(library_case(Outcome::crash, "first\nlast \n\n"));
  EXPECT_EQ(died.outcome, Outcome::fail);
  ASSERT_EQ(died.mismatches.size(), 1U);
  EXPECT_EQ(died.mismatches[0].key, "allocator_library");
  EXPECT_EQ(died.mismatches[0].basis, "rule");
  EXPECT_EQ(died.mismatches[0].seen, "killed by signal 6 (SIGABRT); last words: first last");
  EXPECT_EQ(died.reason,
            "the process ended while the allocator library ./mine.so was in use: killed by signal 6 (SIGABRT); last "
            "words: first last");
  const CaseResult silent = after_blame(library_case(Outcome::hang, "\n"));
  EXPECT_EQ(silent.outcome, Outcome::hang);
  EXPECT_EQ(silent.mismatches.at(0).seen, "killed by signal 6 (SIGABRT)");
  EXPECT_EQ(silent.reason, "a case with the allocator library ./mine.so did not end: killed by signal 6 (SIGABRT)");
}

TEST(LibraryBlame, RepeatsNoMoreThanTheEndOfTheLastWords) {
  const auto seen = [](std::size_t bytes) {
    return after_blame(library_case(Outcome::crash, "a" + std::string(bytes - 1, 'b'))).mismatches.at(0).seen;
  };
  const std::string before = "killed by signal 6 (SIGABRT); last words: ";
  EXPECT_EQ(seen(500), before + "a" + std::string(499, 'b'));
  EXPECT_EQ(seen(501), before + std::string(500, 'b'));
}

TEST(LibraryBlame, OfSeveralDifferencesLeavesTheDriversOwnAlone) {
  CaseResult result = library_case(Outcome::fail);
  for (const std::string& key :
       {std::string("first"), fmt::format("rule.{}", harness::hardware_rule), std::string("last")})
    result.mismatches.push_back({.key = key, .expected = "", .seen = "", .basis = "math"});
  const std::string differs(harness::find_failure_kind("allocator_library_differs")->code);
  const CaseResult after = after_blame(result);
  EXPECT_EQ(after.mismatches.at(0).failure, differs);
  EXPECT_EQ(after.mismatches.at(1).failure, "");
  EXPECT_EQ(after.mismatches.at(2).failure, differs);
  EXPECT_EQ(after.reason, result.reason);
  result.name = "health.ecc";
  for (const harness::Mismatch& mismatch : after_blame(result).mismatches)
    EXPECT_EQ(mismatch.failure, "") << mismatch.key;
  result.name = "healthy.ecc";
  EXPECT_EQ(after_blame(result).mismatches.at(0).failure, differs);
}

TEST(LibraryBlame, IsOfNothingElse) {
  for (const char* allocator : {"caching", "async"}) {
    for (const Outcome outcome : {Outcome::crash, Outcome::hang, Outcome::fail}) {
      const CaseResult result = after_blame(library_case(outcome), allocator);
      EXPECT_EQ(result.outcome, outcome);
      EXPECT_TRUE(result.mismatches.empty());
    }
  }
  for (const Outcome outcome : {Outcome::pass, Outcome::skip, Outcome::error}) {
    CaseResult result = library_case(outcome);
    result.mismatches.push_back({.key = "key", .expected = "", .seen = "", .basis = "math"});
    EXPECT_EQ(after_blame(result).outcome, outcome);
    EXPECT_EQ(after_blame(result).mismatches.at(0).failure, "");
  }
}

}  // namespace
}  // namespace gpucheck::runner
