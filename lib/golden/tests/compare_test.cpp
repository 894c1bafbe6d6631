#include <gtest/gtest.h>
#include <thread>

#include "golden/golden.hpp"
#include "golden/tests/conditions.hpp"

namespace gpucheck::golden {
namespace {

using harness::Mismatch;
using harness::Observations;

Golden golden_with(const std::string& expect) {
  return Golden::parse(R"({"case": "alloc.fuzz", "expect": {)" + expect + "}}", "alloc/fuzz.json");
}

Golden two_keys() {
  return golden_with(R"("count": {"equals": 3, "basis": "math"}, "ok": {"equals": true, "basis": "seed"})");
}

std::string line(const Mismatch& mismatch) {
  return mismatch.key + " | " + mismatch.expected + " | " + mismatch.seen + " | " + mismatch.basis;
}

std::vector<std::string> lines(const std::vector<Mismatch>& mismatches) {
  std::vector<std::string> result;
  result.reserve(mismatches.size());
  for (const Mismatch& mismatch : mismatches) result.push_back(line(mismatch));
  return result;
}

using Lines = std::vector<std::string>;

TEST(Compare, IsContentWhenEveryKeyIsSeenAsExpected) {
  EXPECT_EQ(lines(two_keys().compare({{"ok", true}, {"count", std::int64_t{3}}}, on_sim)), Lines{});
}

TEST(Compare, ReportsAWrongValue) {
  EXPECT_EQ(lines(two_keys().compare({{"ok", true}, {"count", std::int64_t{4}}}, on_sim)),
            Lines{"count | 3 | 4 | math"});
}

TEST(Compare, ReportsAKeyThatWasNotObserved) {
  EXPECT_EQ(lines(two_keys().compare({{"count", std::int64_t{3}}}, on_sim)),
            Lines{"ok | true | nothing (key was not observed) | seed"});
}

TEST(Compare, ReportsAKeyThatWasNotExpected) {
  EXPECT_EQ(lines(two_keys().compare({{"ok", true}, {"more", 0.5}, {"count", std::int64_t{3}}}, on_sim)),
            Lines{"more | nothing (key not expected) | 0.5 | "});
}

TEST(Compare, ReportsAKeyObservedTwiceEvenWhenTheFirstIsRight) {
  EXPECT_EQ(lines(two_keys().compare({{"ok", true}, {"count", std::int64_t{3}}, {"ok", false}}, on_sim)),
            Lines{"ok | nothing (key was observed before) | false | "});
}

TEST(Compare, KeepsFileOrderThenObservationOrder) {
  EXPECT_EQ(lines(two_keys().compare({{"z", true}, {"a", true}, {"ok", false}}, on_sim)),
            (Lines{"count | 3 | nothing (key was not observed) | math", "ok | true | false | seed",
                   "z | nothing (key not expected) | true | ", "a | nothing (key not expected) | true | "}));
}

TEST(Compare, NothingObservedIsNeverAMatch) { EXPECT_EQ(two_keys().compare({}, on_sim).size(), 2U); }

TEST(Compare, AnInformationalKeyMustBePresent) {
  const Golden golden =
      golden_with(R"("clock": {"informational": true, "basis": "vendor"}, "ok": {"equals": true, "basis": "seed"})");
  EXPECT_EQ(lines(golden.compare({{"clock", 1.5}, {"ok", true}}, on_sim)), Lines{});
  EXPECT_EQ(lines(golden.compare({{"ok", true}}, on_sim)),
            Lines{"clock | any value | nothing (key was not observed) | vendor"});
}

Golden with_a_warning() {
  return golden_with(R"("persistent": {"equals": true, "basis": "vendor", "failure": "wrong_mode", "warns": true},
                        "ok": {"equals": true, "basis": "seed"})");
}

TEST(Warnings, AreNoMismatches) {
  const Observations seen{{"ok", true}, {"persistent", false}};
  EXPECT_EQ(lines(with_a_warning().compare(seen, on_sim)), Lines{});
  const std::vector<Mismatch> warnings = with_a_warning().warnings(seen, on_sim);
  EXPECT_EQ(lines(warnings), Lines{"persistent | true | false | vendor"});
  EXPECT_EQ(warnings.at(0).failure, "GC1003");
}

TEST(Warnings, AreOnlyOfKeysThatWarn) {
  EXPECT_EQ(lines(with_a_warning().compare({{"ok", false}, {"persistent", true}}, on_sim)),
            Lines{"ok | true | false | seed"});
  EXPECT_EQ(lines(with_a_warning().warnings({{"ok", false}, {"persistent", true}}, on_sim)), Lines{});
}

TEST(Warnings, AKeyThatWarnsAndWasNotObservedFails) {
  EXPECT_EQ(lines(with_a_warning().compare({{"ok", true}}, on_sim)),
            Lines{"persistent | true | nothing (key was not observed) | vendor"});
  EXPECT_EQ(lines(with_a_warning().warnings({{"ok", true}}, on_sim)), Lines{});
}

TEST(Warnings, OfSeveralEachIsTold) {
  const Golden golden = golden_with(R"("a": {"equals": 1, "basis": "vendor", "warns": true},
                                       "ok": {"equals": true, "basis": "seed"},
                                       "b": {"equals": 2, "basis": "math", "warns": true},
                                       "c": [{"equals": 3, "basis": "vendor", "warns": true, "when": {"device": "cuda"}},
                                             {"equals": 4, "basis": "vendor", "when": {"device": "sim"}}])");
  const Observations seen{{"c", std::int64_t{0}}, {"b", std::int64_t{0}}, {"a", std::int64_t{0}}, {"ok", true}};
  EXPECT_EQ(lines(golden.warnings(seen, on_cuda)),
            (Lines{"a | 1 | 0 | vendor", "b | 2 | 0 | math", "c | 3 | 0 | vendor"}));
  EXPECT_EQ(lines(golden.compare(seen, on_cuda)), Lines{});
  EXPECT_EQ(lines(golden.warnings(seen, on_sim)), (Lines{"a | 1 | 0 | vendor", "b | 2 | 0 | math"}));
  EXPECT_EQ(lines(golden.compare(seen, on_sim)), Lines{"c | 4 | 0 | vendor"});
}

TEST(Compare, OfSeveralKeysReportsEachThatIsWrong) {
  const Golden golden = golden_with(R"("a": {"equals": 1, "basis": "seed"}, "b": {"equals": 2, "basis": "torch"},
                                       "c": {"equals": 3, "basis": "math", "failure": "memory_mismatch"})");
  const std::vector<Mismatch> found =
      golden.compare({{"a", std::int64_t{9}}, {"b", std::int64_t{2}}, {"c", std::int64_t{8}}}, on_sim);
  EXPECT_EQ(lines(found), (Lines{"a | 1 | 9 | seed", "c | 3 | 8 | math"}));
  EXPECT_EQ(found.at(0).failure, "GC6001");
  EXPECT_EQ(found.at(1).failure, "GC2001");
  EXPECT_EQ(
      golden.compare({{"a", std::int64_t{1}}, {"b", std::int64_t{2}}, {"c", std::int64_t{3}}, {"d", true}}, on_sim)
          .at(0)
          .failure,
      "GC6001");
}

TEST(Warnings, AreJudgedAndDescribed) {
  EXPECT_EQ(with_a_warning().judged_keys(on_sim), (Lines{"persistent", "ok"}));
  EXPECT_TRUE(with_a_warning().rows().at(0).warns);
  EXPECT_FALSE(with_a_warning().rows().at(1).warns);
}

TEST(Conditions, ChooseTheAlternativeForTheDevice) {
  const Golden golden = golden_with(R"("size": [{"equals": 1, "basis": "torch", "when": {"device": "cuda"}},
                                                {"equals": 2, "basis": "math", "when": {"device": "sim"}}])");
  EXPECT_TRUE(golden.compare({{"size", std::int64_t{1}}}, on_cuda).empty());
  EXPECT_TRUE(golden.compare({{"size", std::int64_t{2}}}, on_sim).empty());
  EXPECT_EQ(lines(golden.compare({{"size", std::int64_t{1}}}, on_sim)), Lines{"size | 2 | 1 | math"});
}

TEST(Conditions, AKeyWithoutOneForTheDeviceMustBeAbsent) {
  const Golden golden = golden_with(R"("always": {"equals": 1, "basis": "seed"},
                                       "ecc": {"equals": 0, "basis": "vendor", "when": {"device": "cuda"}})");
  EXPECT_TRUE(golden.compare({{"always", std::int64_t{1}}}, on_sim).empty());
  EXPECT_EQ(lines(golden.compare({{"always", std::int64_t{1}}, {"ecc", std::int64_t{0}}}, on_sim)),
            Lines{"ecc | nothing on sim (key expected only on cuda) | 0 | vendor"});
  EXPECT_EQ(lines(golden.compare({{"always", std::int64_t{1}}}, on_cuda)),
            Lines{"ecc | 0 | nothing (key was not observed) | vendor"});
}

TEST(Conditions, ChooseTheAlternativeForTheAllocator) {
  const Golden golden = golden_with(R"("ooms": [{"equals": 1, "basis": "torch", "when": {"allocator": "caching"}},
                                                {"equals": 0, "basis": "torch", "when": {"allocator": "async"}}],
                                       "peak": {"equals": 5, "basis": "seed",
                                                "when": {"device": "sim", "allocator": "caching"}})");
  EXPECT_TRUE(golden.compare({{"ooms", std::int64_t{1}}, {"peak", std::int64_t{5}}}, on_sim).empty());
  EXPECT_TRUE(golden.compare({{"ooms", std::int64_t{0}}}, on_async).empty());
  EXPECT_EQ(lines(golden.compare({{"ooms", std::int64_t{0}}, {"peak", std::int64_t{5}}}, on_async)),
            Lines{"peak | nothing on sim with async (key expected only on sim with caching) | 5 | seed"});
}

TEST(Conditions, HoldForEachAllocatorAlone) {
  const Golden golden = golden_with(R"("always": {"equals": 1, "basis": "seed"},
                                       "ooms": {"equals": 1, "basis": "torch", "when": {"allocator": "async"}})");
  for (const char* allocator : {"caching", "async", "library"}) {
    const Conditions conditions{.device_kind = "sim", .allocator = allocator};
    const bool expected = allocator == std::string("async");
    EXPECT_EQ(golden.compare({{"always", std::int64_t{1}}, {"ooms", std::int64_t{1}}}, conditions).empty(), expected);
    EXPECT_EQ(golden.compare({{"always", std::int64_t{1}}}, conditions).empty(), !expected);
  }
}

TEST(Conditions, AFileThatExpectsNothingOnTheDeviceMatchesNothing) {
  const Golden golden = golden_with(R"("ecc": {"equals": 0, "basis": "vendor", "when": {"device": "cuda"}})");
  EXPECT_EQ(lines(golden.compare({}, on_sim)),
            Lines{"(golden file) | at least one key that is judged on sim | nothing to judge by | "});
}

TEST(Conditions, AFileInWhichEveryValuePassesMatchesNothing) {
  const Golden golden = golden_with(R"("time": {"informational": true, "basis": "vendor"},
                                       "ecc": {"equals": 0, "basis": "vendor", "when": {"device": "cuda"}})");
  EXPECT_EQ(lines(golden.compare({{"time", 1.5}}, on_sim)),
            Lines{"(golden file) | at least one key that is judged on sim | nothing to judge by | "});
  EXPECT_TRUE(golden.compare({{"time", 1.5}, {"ecc", std::int64_t{0}}}, on_cuda).empty());
}

TEST(JudgedKeys, AreThoseThatCanDifferHere) {
  const Golden golden = golden_with(R"("ok": {"equals": true, "basis": "seed"},
                                       "clock": {"informational": true, "basis": "vendor"},
                                       "ecc": {"equals": 0, "basis": "vendor", "when": {"device": "cuda"}},
                                       "size": [{"equals": 1, "basis": "torch", "when": {"device": "cuda"}},
                                                {"informational": true, "basis": "math", "when": {"device": "sim"}}])");
  EXPECT_EQ(golden.judged_keys(on_sim), Lines{"ok"});
  EXPECT_EQ(golden.judged_keys(on_cuda), (Lines{"ok", "ecc", "size"}));
}

TEST(Rows, ListEveryExpectationInFileOrder) {
  const Golden golden = golden_with(R"("b": {"matches": "x", "basis": "seed", "note": "why"},
                                       "a": [{"range": [1, 3], "basis": "torch", "when": {"device": "cuda"}},
                                             {"equals": 2, "basis": "math", "when": {"device": "sim"}}])");
  const std::vector<Golden::Row> rows = golden.rows();
  Lines seen;
  for (const Golden::Row& row : rows) {
    seen.push_back(row.key + " | " + row.expectation + " | " + row.basis + " | " + row.condition + " | " + row.note);
  }
  EXPECT_EQ(seen,
            (Lines{"b | matches /x/ | seed |  | why", "a | 1 to 3 | torch | on cuda | ", "a | 2 | math | on sim | "}));
}

TEST(Compare, MayBeCalledFromSeveralThreads) {
  const Golden golden = golden_with(R"("text": {"matches": "a+b", "basis": "seed"})");
  const auto compare_often = [&golden] {
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(golden.compare({{"text", std::string("xaab")}}, on_sim).empty());
  };
  std::thread other(compare_often);
  compare_often();
  other.join();
}

}  // namespace
}  // namespace gpucheck::golden
