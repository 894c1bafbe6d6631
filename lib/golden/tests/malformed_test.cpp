#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <string_view>

#include "golden/document/syntax.hpp"
#include "golden/golden.hpp"

namespace gpucheck::golden {
namespace {

/// The message for a file with this text; "accepted" when there is none.
std::string error_of(const std::string& text) {
  try {
    Golden::parse(text, "alloc/fuzz.json");
  } catch (const MalformedGolden& problem) {
    return problem.what();
  }
  return "accepted";
}

/// The message for a file whose only key has this expectation.
std::string error_of_expectation(const std::string& expectation) {
  return error_of(R"({"case": "alloc.fuzz", "expect": {"key": )" + expectation + "}}");
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
  EXPECT_EQ(error_of(R"({"case": "alloc.fuzz", "notes": "free text", "expect": {
    "a": {"equals": [1, 2.5], "basis": "seed", "note": "why", "when": {"device": "cuda"}},
    "b": [{"range": [-1, 1.5], "basis": "torch", "when": {"device": "cuda"}},
          {"approx": 0.5, "ulp": 0, "basis": "math", "when": {"device": "sim"}}],
    "c": {"matches": "x+", "basis": "vendor"},
    "d": {"one_of": [1, "one", [1]], "basis": "seed"},
    "e": {"informational": true, "basis": "seed"}}})"),
            "accepted");
}

TEST(MalformedSyntax, IsPlacedByLineAndColumn) {
  EXPECT_TRUE(starts_with(error_of("{\n  \"case\": oops"), "alloc/fuzz.json:2:11: not JSON: "));
  EXPECT_TRUE(starts_with(error_of(""), "alloc/fuzz.json:1:1: not JSON: "));
  EXPECT_TRUE(starts_with(error_of("{} x"), "alloc/fuzz.json:1:4: not JSON: "));
  EXPECT_TRUE(starts_with(error_of("{\"a\": NaN}"), "alloc/fuzz.json:1:"));
  EXPECT_TRUE(starts_with(error_of("{\"a\": \"\xff\"}"), "alloc/fuzz.json:1:8: not JSON: "));
  EXPECT_TRUE(starts_with(error_of("{\"a\": 1, // comment\n}"), "alloc/fuzz.json:1:10: not JSON: "));
}

TEST(MalformedSyntax, MessagesHoldNoRawControlCharacters) {
  const std::string message = error_of("{\"\x1b[31m\": 1}");
  EXPECT_EQ(message.find('\x1b'), std::string::npos) << message;
}

TEST(MalformedSyntax, RejectsWhatAJsonParserLetsPass) {
  EXPECT_TRUE(
      starts_with(error_of(R"({"case": "a.b", "case": "a.c"})"), "alloc/fuzz.json: at /case: the key appears twice"));
  EXPECT_TRUE(starts_with(error_of_expectation(R"({"equals": 1, "equals": 2, "basis": "seed"})"),
                          "alloc/fuzz.json: at /expect/key/equals: the key appears twice"));
  EXPECT_TRUE(starts_with(error_of_expectation(R"({"equals": 9223372036854775808, "basis": "seed"})"),
                          "alloc/fuzz.json: at /expect/key/equals: expected an integer that fits 64 bits"));
  EXPECT_TRUE(starts_with(error_of_expectation(R"({"equals": 123456789012345678901, "basis": "seed"})"),
                          "alloc/fuzz.json: at /expect/key/equals: expected an integer that fits 64 bits"));
  EXPECT_TRUE(contains(error_of_expectation(R"({"equals": 1e999, "basis": "seed"})"), "number overflow"));
  EXPECT_TRUE(contains(error_of(std::string(100'000, '[')), "nested more than 8 levels deep"));
}

/// The message of the syntax alone.
std::string error_of_syntax(const std::string& text) {
  try {
    check_syntax(text, "alloc/fuzz.json");
  } catch (const MalformedGolden& problem) {
    return problem.what();
  }
  return "accepted";
}

std::string object_of(std::size_t keys) {
  std::string text = "{";
  for (std::size_t i = 0; i < keys; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
  return text + "}";
}

TEST(MalformedSyntax, BeginsExactlyBeyondItsLimits) {
  EXPECT_EQ(error_of_syntax("[-9223372036854775808, 9223372036854775807]"), "accepted");
  EXPECT_TRUE(contains(error_of_syntax("9223372036854775808"), "an integer that fits 64 bits"));
  EXPECT_TRUE(contains(error_of_syntax("-9223372036854775809"), "an integer that fits 64 bits"));
  EXPECT_TRUE(contains(error_of_syntax("18446744073709551616"), "an integer that fits 64 bits"));
  EXPECT_EQ(error_of_syntax(std::string(8, '[') + std::string(8, ']')), "accepted");
  EXPECT_TRUE(contains(error_of_syntax(std::string(9, '[') + std::string(9, ']')), "nested more than 8 levels deep"));
  EXPECT_EQ(error_of_syntax(object_of(10'000)), "accepted");
  EXPECT_TRUE(contains(error_of_syntax(object_of(10'001)), "an object of at most 10000 keys"));
}

TEST(MalformedExpectations, BeginExactlyBeyondTheirLimits) {
  const auto error_with = [](const std::string& matcher) {
    return error_of_expectation("{" + matcher + R"(, "basis": "seed"})");
  };
  for (const char* accepted :
       {R"("range": [1, 1])", R"("range": [9007199254740992, 9007199254740993])", R"("range": [1.0, 1])",
        R"("approx": 9007199254740992, "abs": 0)", R"("approx": -9223372036854775808, "rel": 0)",
        R"("approx": 9007199254740994, "ulp": 0)", R"("approx": [1], "ulp": 9223372036854775807)"}) {
    EXPECT_EQ(error_with(accepted), "accepted");
  }
  EXPECT_TRUE(contains(error_with(R"("range": [9007199254740993, 9007199254740992])"), "the smaller number first"));
  EXPECT_TRUE(
      contains(error_with(R"("range": [9223372036854775807, 9223372036854775806])"), "the smaller number first"));
  EXPECT_TRUE(
      contains(error_with(R"("approx": 9007199254740993, "abs": 1)"), "that a floating-point number is exactly"));
  EXPECT_TRUE(
      contains(error_with(R"("approx": [1, 9223372036854775807], "abs": 1)"), "/approx/1: expected a whole number"));
}

TEST(MalformedFile, NamesThePlaceAndWhatWasExpectedThere) {
  EXPECT_EQ(error_of("[]"), "alloc/fuzz.json: at the top: expected an object, found an empty array");
  EXPECT_EQ(error_of("{}"), "alloc/fuzz.json: at the top: expected a field \"case\"");
  EXPECT_EQ(error_of(R"({"case": "a.b"})"), "alloc/fuzz.json: at the top: expected a field \"expect\"");
  EXPECT_EQ(error_of(R"({"case": 3, "expect": {}})"), "alloc/fuzz.json: at /case: expected a string, found 3");
  for (const char* name : {"fuzz", "a.", ".b", "a.b.c", "A.b", "a/b", "../a.b"}) {
    EXPECT_TRUE(contains(error_of(R"({"case": ")" + std::string(name) + R"(", "expect": {}})"),
                         "at /case: expected a case's name"))
        << name;
  }
  EXPECT_EQ(error_of(R"({"case": "a.b", "note": "", "expect": {}})"),
            "alloc/fuzz.json: at /note: unknown field; expected one of case, notes, expect");
  EXPECT_TRUE(contains(error_of(R"({"case": "a.b", "notes": 1, "expect": {}})"), "at /notes: expected a string"));
  EXPECT_TRUE(contains(error_of(R"({"case": "a.b", "expect": {}})"), "at /expect: expected at least one key"));
  EXPECT_TRUE(contains(error_of(R"({"case": "a.b", "expect": []})"), "at /expect: expected an object"));
  EXPECT_TRUE(contains(error_of(R"({"case": "a.b", "expect": {"": {"equals": 1, "basis": "seed"}}})"),
                       "expected a key that is not empty"));
}

struct Rejection {
  const char* expectation;
  const char* message;  ///< from the place on
};

class MalformedExpectation : public testing::TestWithParam<Rejection> {};

TEST_P(MalformedExpectation, IsRejected) {
  EXPECT_TRUE(starts_with(error_of_expectation(GetParam().expectation),
                          std::string("alloc/fuzz.json: at /expect/key") + GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Structure, MalformedExpectation,
    testing::Values(
        Rejection{"1", ": expected an object, found 1"},
        Rejection{"[]", ": expected an array with at least one element"},
        Rejection{R"({"basis": "seed"})", ": expected exactly one of the fields equals, range"},
        Rejection{R"({"equals": 1, "range": [1, 2], "basis": "seed"})", ": expected exactly one of the fields equals"},
        Rejection{R"({"equals": 1, "basis": "seed", "extra": 1})", "/extra: unknown field"},
        Rejection{R"({"equals": 1})", ": expected a field \"basis\""},
        Rejection{R"({"equals": 1, "basis": "me"})",
                  "/basis: expected one of seed, torch, spec, math, vendor, site, own, found \"me\""},
        Rejection{R"({"equals": 1, "basis": "unapproved"})", "/basis: expected one of seed, torch, spec, math, vendor"},
        Rejection{R"({"equals": 1, "basis": 1})",
                  "/basis: expected one of seed, torch, spec, math, vendor, site, own, found 1"},
        Rejection{R"({"equals": 1, "basis": "own"})",
                  "/basis: expected another basis: \"own\" is for gpucheck's own texts"},
        Rejection{R"({"equals": true, "basis": "own"})", "/basis: expected another basis"},
        Rejection{R"({"range": [1, 2], "basis": "own"})", "/basis: expected another basis"},
        Rejection{R"({"equals": 1, "basis": "seed", "note": 1})", "/note: expected a string"},
        Rejection{R"({"equals": 1, "basis": "seed", "when": "cuda"})", "/when: expected an object"},
        Rejection{R"({"equals": 1, "basis": "seed", "when": {}})",
                  "/when: expected a \"device\", an \"allocator\" or both"},
        Rejection{R"({"equals": 1, "basis": "seed", "when": {"device": "tpu"}})",
                  "/when/device: expected one of cuda, sim"},
        Rejection{R"([{"equals": 1, "basis": "seed"}, {"equals": 2, "basis": "seed", "when": {"device": "sim"}}])",
                  "/1: expected a condition (\"when\") that no earlier alternative meets"},
        Rejection{R"([{"equals": 1, "basis": "seed", "when": {"device": "sim"}},
                    {"equals": 2, "basis": "seed", "when": {"device": "sim"}}])",
                  "/1: expected a condition"}));

/// An alternative under the condition of these two, "" being none.
std::string alternative(std::string_view device, std::string_view allocator) {
  if (device.empty() && allocator.empty()) return R"({"equals": 1, "basis": "seed"})";
  const std::string on = device.empty() ? "" : fmt::format(R"("device": "{}")", device);
  const std::string with = allocator.empty() ? "" : fmt::format(R"("allocator": "{}")", allocator);
  return fmt::format(R"({{"equals": 1, "basis": "seed", "when": {{{}{}{}}}}})", on,
                     on.empty() || with.empty() ? "" : ", ", with);
}

TEST(Alternatives, AreRejectedWhenOneDeviceAndAllocatorMeetsTwo) {
  constexpr std::array devices{"", "cuda", "sim"};
  constexpr std::array allocators{"", "caching", "async", "library"};
  const auto meets = [](std::string_view condition, std::string_view what) {
    return condition.empty() || condition == what;
  };
  const auto overlap = [&](const auto& first, const auto& second, const auto& values) {
    return std::any_of(values.begin() + 1, values.end(),
                       [&](std::string_view what) { return meets(first, what) && meets(second, what); });
  };
  for (const std::string_view device : devices) {
    for (const std::string_view allocator : allocators) {
      for (const std::string_view other_device : devices) {
        for (const std::string_view other_allocator : allocators) {
          const bool overlaps =
              overlap(device, other_device, devices) && overlap(allocator, other_allocator, allocators);
          const std::string both =
              fmt::format("[{}, {}]", alternative(device, allocator), alternative(other_device, other_allocator));
          EXPECT_TRUE(starts_with(error_of_expectation(both),
                                  overlaps
                                      ? "alloc/fuzz.json: at /expect/key/1: expected a condition (\"when\") that no "
                                        "earlier alternative meets"
                                      : "accepted"))
              << both;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Matchers, MalformedExpectation,
    testing::Values(
        Rejection{R"({"equals": null, "basis": "seed"})", "/equals: expected true, false, a number"},
        Rejection{R"({"equals": {}, "basis": "seed"})", "/equals: expected true, false, a number"},
        Rejection{R"({"equals": [1, "a"], "basis": "seed"})", "/equals: expected an array whose elements"},
        Rejection{R"({"equals": [[1]], "basis": "seed"})", "/equals: expected an array whose elements"},
        Rejection{R"({"equals": [true, 1], "basis": "seed"})", "/equals: expected an array whose elements"},
        Rejection{R"({"range": [1], "basis": "seed"})", "/range: expected an array of two numbers"},
        Rejection{R"({"range": [2, 1], "basis": "seed"})", "/range: expected the smaller number first"},
        Rejection{R"({"range": ["1", "2"], "basis": "seed"})", "/range/0: expected a number, found \"1\""},
        Rejection{R"({"range": 1, "basis": "seed"})", "/range: expected an array"},
        Rejection{R"({"approx": 1, "basis": "seed"})", "/approx: expected one of the fields \"rel\""},
        Rejection{R"({"approx": "1", "rel": 1, "basis": "seed"})", "/approx: expected a number"},
        Rejection{R"({"approx": [], "rel": 1, "basis": "seed"})",
                  "/approx: expected an array with at least one element"},
        Rejection{R"({"approx": 1, "rel": -1, "basis": "seed"})", "/rel: expected a number that is not negative"},
        Rejection{R"({"approx": 1, "abs": true, "basis": "seed"})", "/abs: expected a number that is not negative"},
        Rejection{R"({"approx": 1, "ulp": 0.5, "basis": "seed"})", "/ulp: expected a whole number"},
        Rejection{R"({"equals": 1, "rel": 0.5, "basis": "seed"})", "/rel: expected a tolerance only beside \"approx\""},
        Rejection{R"({"matches": "(", "basis": "seed"})", "/matches: expected a regular expression"},
        Rejection{R"({"matches": "", "basis": "seed"})", "/matches: expected a string that is not empty"},
        Rejection{R"({"matches": 1, "basis": "seed"})", "/matches: expected a string that is not empty"},
        Rejection{R"({"one_of": [], "basis": "seed"})", "/one_of: expected an array with at least one element"},
        Rejection{R"({"one_of": [null], "basis": "seed"})", "/one_of/0: expected true, false, a number"},
        Rejection{R"({"informational": false, "basis": "seed"})", "/informational: expected true, found false"},
        Rejection{R"({"informational": 1, "basis": "seed"})", "/informational: expected true, found 1"}));

// The JSON Schema rejects these too (the test golden.schema).
TEST(MalformedFiles, AreRejected) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GPUCHECK_GOLDEN_TEST_DATA "/rejected")) {
    std::ifstream file(entry.path(), std::ios::binary);
    EXPECT_NE(error_of({std::istreambuf_iterator<char>(file), {}}), "accepted") << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace gpucheck::golden
