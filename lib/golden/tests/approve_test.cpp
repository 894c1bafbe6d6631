#include "golden/approve.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "golden/tests/conditions.hpp"

namespace gpucheck::golden {
namespace {

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

std::string proposal_on_async(const std::string& old_text, harness::Observations observations) {
  return propose(old_text, "alloc/fuzz.json", result_with(std::move(observations)), on_async);
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

TEST(Propose, KeepsWhatAPersonSaidOfAKeyBesideItsValue) {
  EXPECT_EQ(proposal(R"({"case": "alloc.fuzz", "expect": {
    "size": {"range": [1, 2], "basis": "torch", "note": "n", "failure": "wrong_mode", "when": {"device": "sim"}}}})",
                     {{"size", std::int64_t{3}}}),
            R"({
  "case": "alloc.fuzz",
  "expect": {
    "size": {"equals": 3, "basis": "unapproved", "failure": "wrong_mode", "note": "n", "when": {"device": "sim"}}
  }
}
)");
}

/// What was warned of is not what should be expected from now on.
TEST(Propose, LeavesAWarningAsItIs) {
  const std::string text = proposal(R"({"case": "alloc.fuzz", "expect": {
    "mode": {"equals": true, "basis": "vendor", "warns": true}, "ok": {"equals": false, "basis": "seed"}}})",
                                    {{"mode", false}, {"ok", true}});
  EXPECT_NE(text.find(R"("mode": {"equals": true, "basis": "vendor", "warns": true})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("ok": {"equals": true, "basis": "unapproved"})"), std::string::npos) << text;
}

TEST(Propose, SaysTheAllocatorWhereTheOthersDo) {
  EXPECT_EQ(proposal_on_async(R"({"case": "alloc.fuzz", "expect": {
    "size": {"equals": 1, "basis": "torch", "when": {"allocator": "caching"}},
    "other": {"equals": 1, "basis": "torch", "when": {"device": "cuda"}}}})",
                              {{"size", std::int64_t{3}}, {"other", std::int64_t{4}}}),
            R"({
  "case": "alloc.fuzz",
  "expect": {
    "size": [
      {"equals": 1, "basis": "torch", "when": {"allocator": "caching"}},
      {"equals": 3, "basis": "unapproved", "when": {"device": "sim", "allocator": "async"}}
    ],
    "other": [
      {"equals": 1, "basis": "torch", "when": {"device": "cuda"}},
      {"equals": 4, "basis": "unapproved", "when": {"device": "sim"}}
    ]
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

std::string proposal_on(const Conditions& conditions, const std::string& old_text, harness::Observations observations) {
  return propose(old_text, "alloc/fuzz.json", result_with(std::move(observations)), conditions);
}

/// As if a person had said where each value comes from.
std::string approved(std::string text) {
  for (std::size_t at = 0; (at = text.find("unapproved", at)) != std::string::npos;) text.replace(at, 10, "math");
  return text;
}

TEST(Propose, TouchesOnlyTheAlternativeOfItsAllocator) {
  const std::string text = proposal_on(on_async, R"({"case": "alloc.fuzz", "expect": {
    "size": [{"equals": 1, "basis": "torch", "when": {"allocator": "caching"}},
             {"equals": 2, "basis": "math", "when": {"device": "sim", "allocator": "async"}},
             {"equals": 3, "basis": "math", "when": {"device": "cuda", "allocator": "async"}}]}})",
                                       {{"size", std::int64_t{7}}});
  EXPECT_EQ(text, R"({
  "case": "alloc.fuzz",
  "expect": {
    "size": [
      {"equals": 1, "basis": "torch", "when": {"allocator": "caching"}},
      {"equals": 7, "basis": "unapproved", "when": {"device": "sim", "allocator": "async"}},
      {"equals": 3, "basis": "math", "when": {"device": "cuda", "allocator": "async"}}
    ]
  }
}
)");
}

/// Every value that a case can observe and a file can hold.
harness::Observations everything() {
  constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  return {{"flag", true},
          {"greatest", greatest},
          {"least", least},
          {"odd", (std::int64_t{1} << 53) + 1},
          {"real", 0.1},
          {"whole_real", 3.0},
          {"large_real", 1e300},
          {"real_of_2_to_63", 0x1p63},
          {"tiny", tiny},
          {"minus_zero", -0.0},
          {"text", std::string("two\nlines \"quoted\" \\ / \t \x01 \xC3\xA9")},
          {"nothing", std::string()},
          {"a key \"with\" \\ everything: {}, [1]\n\xC3\xA9", std::int64_t{1}},
          {"flags", std::vector<bool>{true, false}},
          {"numbers", std::vector<std::int64_t>{least, 0, greatest}},
          {"reals", std::vector<double>{1, 0.5, -1e-300}},
          {"texts", std::vector<std::string>{"", "\"", "]"}},
          {"empty", std::vector<std::string>{}}};
}

/// The old files that a proposal may meet: nothing, all right, all wrong, of others only, half of it.
std::vector<std::string> old_files() {
  const std::string of_cuda = R"("size": {"equals": 1, "basis": "torch", "when": {"device": "cuda"}})";
  std::vector<std::string> files{"", approved(proposal("", everything()))};
  for (const std::string& expect :
       {std::string(
            R"("flag": {"equals": false, "basis": "seed", "note": "n"}, "gone": {"equals": 1, "basis": "seed"})"),
        of_cuda, of_cuda + R"(, "flag": {"equals": true, "basis": "seed", "when": {"device": "cuda"}})",
        std::string(R"("flag": [{"equals": true, "basis": "seed", "when": {"allocator": "library"}},
                                {"equals": false, "basis": "seed", "when": {"allocator": "async", "device": "cuda"}}],
                       "gone": [{"equals": 1, "basis": "seed", "when": {"device": "sim"}},
                                {"equals": 2, "basis": "seed", "when": {"device": "cuda"}}])")}) {
    files.push_back(R"({"case": "alloc.fuzz", "notes": "a \"note\"", "expect": {)" + expect + "}}");
  }
  return files;
}

TEST(Propose, WritesNothingThatItCannotReadBack) {
  for (const std::string& old_text : old_files()) {
    for (const Conditions& conditions : {on_sim, on_async, Conditions{"cuda"}}) {
      const std::string text = proposal_on(conditions, old_text, everything());
      EXPECT_EQ(proposal_on(conditions, text, everything()), text) << "it says what was seen";
      const Golden golden = Golden::parse(approved(text), "alloc/fuzz.json");
      EXPECT_TRUE(golden.compare(everything(), conditions).empty()) << text;
    }
  }
}

TEST(Propose, RefusesWhatNoFileCanHold) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  const std::string with_range =
      R"({"case": "alloc.fuzz", "expect": {"ok": {"equals": true, "basis": "seed"}, "loss": {"range": [0, 1], "basis": "math"}}})";
  for (const harness::Value& value : {harness::Value(infinity), harness::Value(-infinity), harness::Value(not_a_number),
                                      harness::Value(std::vector<double>{1, not_a_number})}) {
    for (const std::string& old_text : {std::string(), with_range}) {
      try {
        static_cast<void>(proposal(old_text, {{"ok", true}, {"loss", value}}));
        ADD_FAILURE() << harness::to_text(value) << " was written";
      } catch (const EnvironmentError& problem) {
        EXPECT_NE(std::string(problem.what()).find("alloc.fuzz observed \"loss\" as "), std::string::npos)
            << problem.what();
      }
    }
  }
  harness::Observations too_many;
  for (int i = 0; i <= 10'000; ++i) too_many.push_back({std::to_string(i), std::int64_t{1}});
  EXPECT_THROW(proposal("", too_many), EnvironmentError);
  too_many.pop_back();
  EXPECT_NO_THROW(proposal("", too_many));
}

TEST(Propose, LeavesWhatIsToldWhateverItIs) {
  const std::string text = proposal(R"({"case": "alloc.fuzz", "expect": {
    "time": {"informational": true, "basis": "vendor"}, "ok": {"equals": false, "basis": "seed"}}})",
                                    {{"time", std::numeric_limits<double>::infinity()}, {"ok", true}});
  EXPECT_NE(text.find(R"("time": {"informational": true, "basis": "vendor"})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("ok": {"equals": true, "basis": "unapproved"})"), std::string::npos) << text;
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
