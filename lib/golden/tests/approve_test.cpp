#include "golden/approve.hpp"

#include <gtest/gtest.h>

namespace gpucheck::golden {
namespace {

const Conditions on_sim{"sim"};

harness::CaseResult result_with(harness::Observations observations) {
  harness::CaseResult result;
  result.name = "alloc.fuzz";
  result.outcome = harness::Outcome::fail;
  result.observations = std::move(observations);
  return result;
}

std::string proposal(const std::string& old_text, harness::Observations observations) {
  return propose(old_text, "alloc/fuzz.json", result_with(std::move(observations)), on_sim);
}

TEST(Propose, WritesAFirstFileThatNoRunAccepts) {
  const std::string text =
      proposal("", {{"count", std::int64_t{3}}, {"ok", true}, {"sizes", std::vector<std::int64_t>{1, 2}}});
  EXPECT_EQ(text, R"({
  "case": "alloc.fuzz",
  "expect": {
    "count": {"equals": 3, "basis": "unapproved"},
    "ok": {"equals": true, "basis": "unapproved"},
    "sizes": {"equals": [1, 2], "basis": "unapproved"}
  }
}
)");
  EXPECT_THROW(Golden::parse(text, "alloc/fuzz.json"), MalformedGolden);
}

TEST(Propose, BecomesAGoldenOnceAPersonNamesTheBasis) {
  const harness::Observations seen = {{"count", std::int64_t{3}}, {"text", std::string("a \"b\"\n")}, {"real", 0.1}};
  std::string text = proposal("", seen);
  for (std::size_t at = 0; (at = text.find("unapproved", at)) != std::string::npos;) text.replace(at, 10, "math");
  EXPECT_TRUE(Golden::parse(text, "alloc/fuzz.json").compare(seen, on_sim).empty());
}

constexpr const char* old_file = R"({
  "case": "alloc.fuzz",
  "notes": "kept",
  "expect": {
    "kept": {"range": [1, 3], "basis": "seed"},
    "wrong": {"equals": 1, "basis": "torch", "note": "kept too"},
    "gone": {"equals": 1, "basis": "seed"}
  }
}
)";

TEST(Propose, ReplacesWrongAddsNewAndDropsUnseenKeys) {
  EXPECT_EQ(proposal(old_file, {{"new", 0.5}, {"kept", std::int64_t{2}}, {"wrong", std::int64_t{7}}}), R"({
  "case": "alloc.fuzz",
  "notes": "kept",
  "expect": {
    "kept": {"range": [1, 3], "basis": "seed"},
    "wrong": {"equals": 7, "basis": "unapproved", "note": "kept too"},
    "new": {"equals": 0.5, "basis": "unapproved"}
  }
}
)");
}

TEST(Propose, LeavesAFileThatMatchesAsItIs) {
  const std::string text = R"({ "case":"alloc.fuzz","expect":{"ok":{"equals":true,"basis":"seed"}}})";
  EXPECT_EQ(proposal(text, {{"ok", true}}), text);
}

TEST(Propose, TouchesOnlyTheAlternativeOfItsDevice) {
  EXPECT_EQ(proposal(R"({"case": "alloc.fuzz", "expect": {
    "size": [{"equals": 1, "basis": "torch", "when": {"device": "cuda"}},
             {"equals": 2, "basis": "math", "when": {"device": "sim"}}]}})",
                     {{"size", std::int64_t{3}}}),
            R"({
  "case": "alloc.fuzz",
  "expect": {
    "size": [
      {"equals": 1, "basis": "torch", "when": {"device": "cuda"}},
      {"equals": 3, "basis": "unapproved", "when": {"device": "sim"}}
    ]
  }
}
)");
}

TEST(Propose, AddsAnAlternativeWhereNoneWasForTheDevice) {
  EXPECT_EQ(proposal(R"({"case": "alloc.fuzz", "expect": {
    "size": {"equals": 1, "basis": "torch", "when": {"device": "cuda"}}}})",
                     {{"size", std::int64_t{3}}}),
            R"({
  "case": "alloc.fuzz",
  "expect": {
    "size": [
      {"equals": 1, "basis": "torch", "when": {"device": "cuda"}},
      {"equals": 3, "basis": "unapproved", "when": {"device": "sim"}}
    ]
  }
}
)");
}

TEST(Propose, DropsOnlyTheUnseenAlternativeOfItsDevice) {
  EXPECT_EQ(proposal(R"({"case": "alloc.fuzz", "expect": {
    "ok": {"equals": true, "basis": "seed"},
    "size": [{"equals": 1, "basis": "torch", "when": {"device": "cuda"}},
             {"equals": 2, "basis": "math", "when": {"device": "sim"}}]}})",
                     {{"ok", true}}),
            R"({
  "case": "alloc.fuzz",
  "expect": {
    "ok": {"equals": true, "basis": "seed"},
    "size": {"equals": 1, "basis": "torch", "when": {"device": "cuda"}}
  }
}
)");
}

TEST(Propose, CanBeRepeatedBeforeAPersonHasApproved) {
  const std::string first = proposal("", {{"count", std::int64_t{3}}});
  EXPECT_EQ(proposal(first, {{"count", std::int64_t{3}}}), first);
  EXPECT_EQ(proposal(first, {{"count", std::int64_t{4}}}), proposal("", {{"count", std::int64_t{4}}}));
}

TEST(Propose, RejectsARunThatDidNotReachItsEnd) {
  for (const harness::Outcome outcome :
       {harness::Outcome::crash, harness::Outcome::hang, harness::Outcome::error, harness::Outcome::skip}) {
    harness::CaseResult result = result_with({{"ok", true}});
    result.outcome = outcome;
    EXPECT_THROW(propose("", "alloc/fuzz.json", result, on_sim), EnvironmentError);
  }
  EXPECT_THROW(proposal("", {}), EnvironmentError);
}

TEST(Propose, RejectsAFileOfAnotherCaseOrABrokenOne) {
  EXPECT_THROW(proposal(R"({"case": "a.b", "expect": {"ok": {"equals": true, "basis": "seed"}}})", {{"ok", true}}),
               MalformedGolden);
  EXPECT_THROW(proposal("{", {{"ok", true}}), MalformedGolden);
}

}  // namespace
}  // namespace gpucheck::golden
