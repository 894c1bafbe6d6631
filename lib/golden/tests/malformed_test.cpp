#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include "golden/golden.hpp"

namespace gpucheck::golden {
namespace {

/// The message for a file with this text; "accepted" when there is none.
std::string refusal(const std::string& text) {
  try {
    Golden::parse(text, "alloc/fuzz.json");
  } catch (const MalformedGolden& problem) {
    return problem.what();
  }
  return "accepted";
}

/// The message for a file whose only key has this expectation.
std::string refusal_of_expectation(const std::string& expectation) {
  return refusal(R"({"case": "alloc.fuzz", "expect": {"key": )" + expectation + "}}");
}

testing::AssertionResult starts_with(const std::string& text, const std::string& start) {
  if (text.starts_with(start)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << text << "\" does not start with \"" << start << "\"";
}

testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << text << "\" does not contain \"" << part << "\"";
}

TEST(WellFormed, IsAccepted) {
  EXPECT_EQ(refusal(R"({"case": "alloc.fuzz", "notes": "free text", "expect": {
    "a": {"equals": [1, 2.5], "basis": "seed", "note": "why", "when": {"device": "cuda"}},
    "b": [{"range": [-1, 1.5], "basis": "torch", "when": {"device": "cuda"}},
          {"approx": 0.5, "ulp": 0, "basis": "math", "when": {"device": "sim"}}],
    "c": {"matches": "x+", "basis": "vendor"},
    "d": {"one_of": [1, "one", [1]], "basis": "seed"},
    "e": {"informational": true, "basis": "seed"}}})"),
            "accepted");
}

TEST(MalformedSyntax, IsPlacedByLineAndColumn) {
  EXPECT_TRUE(starts_with(refusal("{\n  \"case\": oops"), "alloc/fuzz.json:2:11: not JSON: "));
  EXPECT_TRUE(starts_with(refusal(""), "alloc/fuzz.json:1:1: not JSON: "));
  EXPECT_TRUE(starts_with(refusal("{} x"), "alloc/fuzz.json:1:4: not JSON: "));
  EXPECT_TRUE(starts_with(refusal("{\"a\": NaN}"), "alloc/fuzz.json:1:"));
  EXPECT_TRUE(starts_with(refusal("{\"a\": \"\xff\"}"), "alloc/fuzz.json:1:8: not JSON: "));
  EXPECT_TRUE(starts_with(refusal("{\"a\": 1, // comment\n}"), "alloc/fuzz.json:1:10: not JSON: "));
}

TEST(MalformedSyntax, MessagesHoldNoRawControlCharacters) {
  const std::string message = refusal("{\"\x1b[31m\": 1}");
  EXPECT_EQ(message.find('\x1b'), std::string::npos) << message;
}

TEST(MalformedSyntax, RefusesWhatAJsonParserLetsPass) {
  EXPECT_TRUE(
      starts_with(refusal(R"({"case": "a.b", "case": "a.c"})"), "alloc/fuzz.json: at /case: the key appears twice"));
  EXPECT_TRUE(starts_with(refusal_of_expectation(R"({"equals": 1, "equals": 2, "basis": "seed"})"),
                          "alloc/fuzz.json: at /expect/key/equals: the key appears twice"));
  EXPECT_TRUE(starts_with(refusal_of_expectation(R"({"equals": 9223372036854775808, "basis": "seed"})"),
                          "alloc/fuzz.json: at /expect/key/equals: expected an integer that fits 64 bits"));
  EXPECT_TRUE(starts_with(refusal_of_expectation(R"({"equals": 123456789012345678901, "basis": "seed"})"),
                          "alloc/fuzz.json: at /expect/key/equals: expected an integer that fits 64 bits"));
  EXPECT_TRUE(contains(refusal_of_expectation(R"({"equals": 1e999, "basis": "seed"})"), "number overflow"));
  EXPECT_TRUE(contains(refusal(std::string(100'000, '[')), "nested more than 8 levels deep"));
}

TEST(MalformedFile, NamesThePlaceAndWhatWasExpectedThere) {
  EXPECT_EQ(refusal("[]"), "alloc/fuzz.json: at the top: expected an object, found an empty array");
  EXPECT_EQ(refusal("{}"), "alloc/fuzz.json: at the top: expected a field \"case\"");
  EXPECT_EQ(refusal(R"({"case": "a.b"})"), "alloc/fuzz.json: at the top: expected a field \"expect\"");
  EXPECT_EQ(refusal(R"({"case": 3, "expect": {}})"), "alloc/fuzz.json: at /case: expected a string, found 3");
  for (const char* name : {"fuzz", "a.", ".b", "a.b.c", "A.b", "a/b", "../a.b"}) {
    EXPECT_TRUE(contains(refusal(R"({"case": ")" + std::string(name) + R"(", "expect": {}})"),
                         "at /case: expected a case's name"))
        << name;
  }
  EXPECT_EQ(refusal(R"({"case": "a.b", "note": "", "expect": {}})"),
            "alloc/fuzz.json: at /note: unknown field; expected one of case, notes, expect");
  EXPECT_TRUE(contains(refusal(R"({"case": "a.b", "notes": 1, "expect": {}})"), "at /notes: expected a string"));
  EXPECT_TRUE(contains(refusal(R"({"case": "a.b", "expect": {}})"), "at /expect: expected at least one key"));
  EXPECT_TRUE(contains(refusal(R"({"case": "a.b", "expect": []})"), "at /expect: expected an object"));
  EXPECT_TRUE(contains(refusal(R"({"case": "a.b", "expect": {"": {"equals": 1, "basis": "seed"}}})"),
                       "expected a key that is not empty"));
}

struct Refusal {
  const char* expectation;
  const char* message;  ///< from the place on
};

class MalformedExpectation : public testing::TestWithParam<Refusal> {};

TEST_P(MalformedExpectation, IsRefused) {
  EXPECT_TRUE(starts_with(refusal_of_expectation(GetParam().expectation),
                          std::string("alloc/fuzz.json: at /expect/key") + GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Structure, MalformedExpectation,
    testing::Values(
        Refusal{"1", ": expected an object, found 1"}, Refusal{"[]", ": expected an array with at least one element"},
        Refusal{R"({"basis": "seed"})", ": expected exactly one of the fields equals, range"},
        Refusal{R"({"equals": 1, "range": [1, 2], "basis": "seed"})", ": expected exactly one of the fields equals"},
        Refusal{R"({"equals": 1, "basis": "seed", "extra": 1})", "/extra: unknown field"},
        Refusal{R"({"equals": 1})", ": expected a field \"basis\""},
        Refusal{R"({"equals": 1, "basis": "me"})", "/basis: expected one of seed, torch, math, vendor, found \"me\""},
        Refusal{R"({"equals": 1, "basis": "unapproved"})", "/basis: expected one of seed, torch, math, vendor"},
        Refusal{R"({"equals": 1, "basis": 1})", "/basis: expected one of seed, torch, math, vendor, found 1"},
        Refusal{R"({"equals": 1, "basis": "seed", "note": 1})", "/note: expected a string"},
        Refusal{R"({"equals": 1, "basis": "seed", "when": "cuda"})", "/when: expected an object"},
        Refusal{R"({"equals": 1, "basis": "seed", "when": {}})",
                "/when: expected a \"device\", an \"allocator\" or both"},
        Refusal{R"({"equals": 1, "basis": "seed", "when": {"device": "tpu"}})",
                "/when/device: expected one of cuda, sim"},
        Refusal{R"([{"equals": 1, "basis": "seed"}, {"equals": 2, "basis": "seed", "when": {"device": "sim"}}])",
                "/1: expected a condition (\"when\") that no earlier alternative meets"},
        Refusal{R"([{"equals": 1, "basis": "seed", "when": {"device": "sim"}},
                    {"equals": 2, "basis": "seed", "when": {"device": "sim"}}])",
                "/1: expected a condition"}));

INSTANTIATE_TEST_SUITE_P(
    Matchers, MalformedExpectation,
    testing::Values(
        Refusal{R"({"equals": null, "basis": "seed"})", "/equals: expected true, false, a number"},
        Refusal{R"({"equals": {}, "basis": "seed"})", "/equals: expected true, false, a number"},
        Refusal{R"({"equals": [1, "a"], "basis": "seed"})", "/equals: expected an array whose elements"},
        Refusal{R"({"equals": [[1]], "basis": "seed"})", "/equals: expected an array whose elements"},
        Refusal{R"({"equals": [true, 1], "basis": "seed"})", "/equals: expected an array whose elements"},
        Refusal{R"({"range": [1], "basis": "seed"})", "/range: expected an array of two numbers"},
        Refusal{R"({"range": [2, 1], "basis": "seed"})", "/range: expected the smaller number first"},
        Refusal{R"({"range": ["1", "2"], "basis": "seed"})", "/range/0: expected a number, found \"1\""},
        Refusal{R"({"range": 1, "basis": "seed"})", "/range: expected an array"},
        Refusal{R"({"approx": 1, "basis": "seed"})", "/approx: expected one of the fields \"rel\""},
        Refusal{R"({"approx": "1", "rel": 1, "basis": "seed"})", "/approx: expected a number"},
        Refusal{R"({"approx": [], "rel": 1, "basis": "seed"})", "/approx: expected an array with at least one element"},
        Refusal{R"({"approx": 1, "rel": -1, "basis": "seed"})", "/rel: expected a number that is not negative"},
        Refusal{R"({"approx": 1, "abs": true, "basis": "seed"})", "/abs: expected a number that is not negative"},
        Refusal{R"({"approx": 1, "ulp": 0.5, "basis": "seed"})", "/ulp: expected a whole number"},
        Refusal{R"({"equals": 1, "rel": 0.5, "basis": "seed"})", "/rel: expected a tolerance only beside \"approx\""},
        Refusal{R"({"matches": "(", "basis": "seed"})", "/matches: expected a regular expression"},
        Refusal{R"({"matches": "", "basis": "seed"})", "/matches: expected a string that is not empty"},
        Refusal{R"({"matches": 1, "basis": "seed"})", "/matches: expected a string that is not empty"},
        Refusal{R"({"one_of": [], "basis": "seed"})", "/one_of: expected an array with at least one element"},
        Refusal{R"({"one_of": [null], "basis": "seed"})", "/one_of/0: expected true, false, a number"},
        Refusal{R"({"informational": false, "basis": "seed"})", "/informational: expected true, found false"},
        Refusal{R"({"informational": 1, "basis": "seed"})", "/informational: expected true, found 1"}));

// The JSON Schema rejects these too (the test golden.schema).
TEST(MalformedFiles, AreRejected) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GPUCHECK_GOLDEN_TEST_DATA "/rejected")) {
    std::ifstream file(entry.path(), std::ios::binary);
    EXPECT_NE(refusal({std::istreambuf_iterator<char>(file), {}}), "accepted") << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace gpucheck::golden
