#include "harness/values/value.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace gpucheck::harness {
namespace {

TEST(ValueText, KeepsKindsApart) {
  EXPECT_EQ(to_text(Value(true)), "true");
  EXPECT_EQ(to_text(Value(std::int64_t{1})), "1");
  EXPECT_EQ(to_text(Value(1.0)), "1.0");
  EXPECT_EQ(to_text(Value(std::string("1"))), "\"1\"");
}

TEST(ValueText, WritesRealsSoThatTheyReadBack) {
  EXPECT_EQ(to_text(Value(0.1)), "0.1");
  EXPECT_EQ(to_text(Value(-2.5)), "-2.5");
  EXPECT_EQ(to_text(Value(1e300)), "1e+300");
  EXPECT_EQ(to_text(Value(std::numeric_limits<double>::quiet_NaN())), "nan");
  EXPECT_EQ(to_text(Value(-std::numeric_limits<double>::infinity())), "-inf");
}

TEST(ValueText, WritesArraysOnOneLine) {
  EXPECT_EQ(to_text(Value(std::vector<std::int64_t>{})), "[]");
  EXPECT_EQ(to_text(Value(std::vector<std::int64_t>{1, -2})), "[1, -2]");
  EXPECT_EQ(to_text(Value(std::vector<bool>{true, false})), "[true, false]");
  EXPECT_EQ(to_text(Value(std::vector<double>{1, 0.5})), "[1.0, 0.5]");
  EXPECT_EQ(to_text(Value(std::vector<std::string>{"a", "b\n"})), "[\"a\", \"b\\n\"]");
}

TEST(ValueText, SurvivesBytesThatAreNoText) { EXPECT_EQ(to_text(Value(std::string("a\xff"))), "\"a\xEF\xBF\xBD\""); }

}  // namespace
}  // namespace gpucheck::harness
