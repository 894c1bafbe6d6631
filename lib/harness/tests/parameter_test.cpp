#include "harness/values/parameter.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "base/error.hpp"

namespace gpucheck::harness {
namespace {

const Parameter iterations{.name = "iterations",
                           .summary = "calls to make",
                           .default_value = std::int64_t{10'000},
                           .minimum = 1,
                           .maximum = 1'000'000};
const Parameter anything{.name = "anything", .summary = "", .default_value = std::int64_t{0}};
const Parameter live_bytes{
    .name = "live_bytes", .summary = "", .default_value = std::int64_t{1024}, .unit = "bytes", .minimum = 512};
const Parameter share{.name = "share", .summary = "", .default_value = 0.5, .minimum = 0, .maximum = 1};
const Parameter verify{.name = "verify", .summary = "", .default_value = true};
const Parameter mode{
    .name = "mode", .summary = "", .default_value = std::string("full"), .choices = {"full", "sample"}};

/// The text a person gets for a value that is rejected.
std::string parameter_error_of(const Parameter& parameter, std::string_view text) {
  try {
    const ParameterValue value = parameter.parse(text);
    return "accepted as " + to_text(value);
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(IntegerParameter, TakesTheWholeRange) {
  EXPECT_EQ(iterations.parse("1"), ParameterValue(std::int64_t{1}));
  EXPECT_EQ(iterations.parse("1000000"), ParameterValue(std::int64_t{1'000'000}));
  EXPECT_EQ(anything.parse("-9223372036854775808"), ParameterValue(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(anything.parse("9223372036854775807"), ParameterValue(std::numeric_limits<std::int64_t>::max()));
}

TEST(IntegerParameter, SaysWhatIsAllowed) {
  EXPECT_EQ(parameter_error_of(iterations, "12x"),
            "parameter \"iterations\": \"12x\" is not allowed: give integer from 1 to 1000000");
  EXPECT_EQ(parameter_error_of(iterations, "0"),
            "parameter \"iterations\": \"0\" is not allowed (too small): give integer from 1 to 1000000");
  EXPECT_EQ(parameter_error_of(iterations, "1000001"),
            "parameter \"iterations\": \"1000001\" is not allowed (too large): give integer from 1 to 1000000");
}

TEST(IntegerParameter, BelowItsSmallestValueTestsNothing) {
  const Parameter bytes{.name = "bytes",
                        .summary = "",
                        .default_value = std::int64_t{0},
                        .unit = "bytes",
                        .minimum = 0,
                        .smallest = 4096};
  EXPECT_EQ(bytes.parse("0"), ParameterValue(std::int64_t{0})) << "stands for a value of the case's own";
  EXPECT_EQ(bytes.parse("4096"), ParameterValue(std::int64_t{4096}));
  EXPECT_EQ(
      parameter_error_of(bytes, "3"),
      "parameter \"bytes\": \"3\" is not allowed (too small to test anything): give integer, 0 or at least 4096, in "
      "bytes or with KiB, MiB or GiB after it");
  EXPECT_NE(parameter_error_of(bytes, "4095").find("too small"), std::string::npos);
}

// 2^53 + 1 is the first integer that double cannot hold.
TEST(IntegerParameter, EndsExactlyAtItsLimits) {
  const Parameter even{
      .name = "even", .summary = "", .default_value = std::int64_t{0}, .minimum = -0x1p53, .maximum = 0x1p53};
  EXPECT_EQ(even.parse("9007199254740992"), ParameterValue(std::int64_t{9007199254740992}));
  EXPECT_EQ(even.parse("-9007199254740992"), ParameterValue(std::int64_t{-9007199254740992}));
  EXPECT_NE(parameter_error_of(even, "9007199254740993").find("too large"), std::string::npos);
  EXPECT_NE(parameter_error_of(even, "-9007199254740993").find("too small"), std::string::npos);
  const Parameter all{
      .name = "all", .summary = "", .default_value = std::int64_t{0}, .minimum = -0x1p63, .maximum = 0x1p63};
  EXPECT_EQ(all.parse("9223372036854775807"), ParameterValue(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(all.parse("-9223372036854775808"), ParameterValue(std::numeric_limits<std::int64_t>::min()));
}

class NotAnInteger : public testing::TestWithParam<const char*> {};

TEST_P(NotAnInteger, IsRejected) { EXPECT_THROW(static_cast<void>(anything.parse(GetParam())), UsageError); }

INSTANTIATE_TEST_SUITE_P(Texts, NotAnInteger,
                         testing::Values("", " ", "1 ", " 1", "+1", "1.0", "1e3", "0x10", "nan", "true", "64KiB",
                                         "9223372036854775808", "-9223372036854775809", "99999999999999999999999999"));

TEST(SizeParameter, TakesBinarySuffixes) {
  EXPECT_EQ(live_bytes.parse("4096"), ParameterValue(std::int64_t{4096}));
  EXPECT_EQ(live_bytes.parse("64MiB"), ParameterValue(std::int64_t{67'108'864}));
  EXPECT_EQ(live_bytes.parse("64MB"), ParameterValue(std::int64_t{64'000'000}));
  EXPECT_EQ(live_bytes.parse("2 GiB"), ParameterValue(std::int64_t{2'147'483'648}));
}

TEST(SizeParameter, EndsExactlyAtItsLimits) {
  EXPECT_EQ(live_bytes.parse("512"), ParameterValue(std::int64_t{512}));
  EXPECT_EQ(live_bytes.parse("9223372036854775807"), ParameterValue(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(live_bytes.parse("8589934591GiB"), ParameterValue(std::int64_t{9223372035781033984}));
  EXPECT_NE(parameter_error_of(live_bytes, "18446744073709551615").find("beyond 64 bits"), std::string::npos);
}

TEST(SizeParameter, RejectsWhatIsNoSizeInRange) {
  EXPECT_NE(parameter_error_of(live_bytes, "-1").find("too small"), std::string::npos);
  EXPECT_NE(parameter_error_of(live_bytes, "511").find("too small"), std::string::npos);
  EXPECT_NE(parameter_error_of(live_bytes, "64XB").find("integer of at least 512, in bytes or with KiB"),
            std::string::npos);
  EXPECT_NE(parameter_error_of(live_bytes, "9223372036854775808").find("beyond 64 bits"), std::string::npos);
  EXPECT_NE(parameter_error_of(live_bytes, "8589934592GiB").find("beyond 64 bits"), std::string::npos);
}

TEST(DoubleParameter, TakesNumbersInRange) {
  EXPECT_EQ(share.parse("0.25"), ParameterValue(0.25));
  EXPECT_EQ(share.parse("1"), ParameterValue(1.0));
  EXPECT_EQ(share.parse("5e-1"), ParameterValue(0.5));
}

TEST(DoubleParameter, RejectsWhatIsNotFinite) {
  for (const char* text : {"nan", "-nan", "inf", "-inf", "infinity"}) {
    EXPECT_NE(parameter_error_of(share, text).find("not finite"), std::string::npos) << text;
  }
  EXPECT_NE(parameter_error_of(share, "1e999").find("beyond 64 bits"), std::string::npos);
  EXPECT_EQ(share.parse("0"), ParameterValue(0.0));
  EXPECT_NE(parameter_error_of(share, "1.0000000000000002").find("too large"), std::string::npos);
  EXPECT_NE(parameter_error_of(share, "-5e-324").find("too small"), std::string::npos);
  EXPECT_NE(parameter_error_of(share, "1.0001").find("number from 0 to 1"), std::string::npos);
  EXPECT_NE(parameter_error_of(share, "half").find("number from 0 to 1"), std::string::npos);
}

TEST(BoolParameter, TakesTwoWords) {
  EXPECT_EQ(verify.parse("true"), ParameterValue(true));
  EXPECT_EQ(verify.parse("false"), ParameterValue(false));
  EXPECT_NE(parameter_error_of(verify, "1").find("give true or false"), std::string::npos);
}

TEST(StringParameter, TakesOnlyItsChoices) {
  EXPECT_EQ(mode.parse("sample"), ParameterValue(std::string("sample")));
  EXPECT_EQ(parameter_error_of(mode, "some"), "parameter \"mode\": \"some\" is not allowed: give one of full, sample");
  const Parameter any{.name = "any", .summary = "", .default_value = std::string()};
  EXPECT_EQ(any.parse("what you like"), ParameterValue(std::string("what you like")));
}

TEST(Parameter, DescribesWhatItAllows) {
  EXPECT_EQ(anything.allowed(), "integer");
  EXPECT_EQ(share.allowed(), "number from 0 to 1");
  const Parameter pause{.name = "pause", .summary = "", .default_value = std::int64_t{1}, .unit = "ms", .maximum = 1e9};
  EXPECT_EQ(pause.allowed(), "integer of at most 1000000000, in ms");
  const Parameter large{
      .name = "large", .summary = "", .default_value = std::int64_t{1}, .minimum = -1e18, .maximum = 1e18};
  EXPECT_EQ(large.allowed(), "integer from -1000000000000000000 to 1000000000000000000");
  const Parameter half{.name = "half", .summary = "", .default_value = 0.5, .maximum = 0.5};
  EXPECT_EQ(half.allowed(), "number of at most 0.5");
}

TEST(ParameterText, ReadsBackAsTheSameValue) {
  for (const double number : {0.1, 1.0, 1e-300, 123456789.125}) {
    const Parameter parameter{.name = "number", .summary = "", .default_value = 0.0};
    EXPECT_EQ(parameter.parse(to_text(ParameterValue(number))), ParameterValue(number));
  }
  EXPECT_EQ(to_text(ParameterValue(true)), "true");
  EXPECT_EQ(to_text(ParameterValue(std::string("full"))), "full");
}

}  // namespace
}  // namespace gpucheck::harness
