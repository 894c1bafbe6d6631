#include "harness/run/json.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace gpucheck::harness {
namespace {

using nlohmann::ordered_json;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Value sent(const Value& value) {
  const std::string line = to_json(Observation{"key", value}).dump();
  return observation_from_json(ordered_json::parse(line)).value;
}

class RoundTrip : public testing::TestWithParam<Value> {};

TEST_P(RoundTrip, KeepsKindAndContent) { EXPECT_EQ(sent(GetParam()), GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Values, RoundTrip,
    testing::Values(Value(true), Value(false), Value(std::int64_t{0}), Value(std::numeric_limits<std::int64_t>::min()),
                    Value(std::numeric_limits<std::int64_t>::max()), Value(1.0), Value(0.1), Value(-1e-300),
                    Value(infinity), Value(-infinity), Value(std::string()), Value(std::string("nan")),
                    Value(std::string("two\nlines \"quoted\" \0 and more", 30)), Value(std::vector<bool>{}),
                    Value(std::vector<std::int64_t>{}), Value(std::vector<double>{}), Value(std::vector<std::string>{}),
                    Value(std::vector<bool>{true, false}), Value(std::vector<std::int64_t>{1, 2}),
                    Value(std::vector<double>{1, 0.5, infinity}), Value(std::vector<std::string>{"a", ""})));

TEST(ObservationJson, KeepsNotANumber) {
  const Value value = sent(Value(nan));
  ASSERT_TRUE(std::holds_alternative<double>(value));
  EXPECT_TRUE(std::isnan(std::get<double>(value)));
}

TEST(ObservationJson, MakesTextOfAnyBytes) {
  EXPECT_EQ(sent(Value(std::string("a\xff z\xc3"))), Value(std::string("a\xEF\xBF\xBD z\xEF\xBF\xBD")));
}

TEST(ObservationJson, RejectsWhatIsNone) {
  for (const char* text :
       {"null", "[]", "{}", R"({"key": 1, "kind": "bool", "value": true})", R"({"key": "k", "value": true})",
        R"({"key": "k", "kind": "bool"})", R"({"key": "k", "kind": "colour", "value": true})",
        R"({"key": "k", "kind": "integer", "value": 1.5})", R"({"key": "k", "kind": "integer", "value": true})",
        R"({"key": "k", "kind": "bool", "value": 1})", R"({"key": "k", "kind": "double", "value": "much"})",
        R"({"key": "k", "kind": "integers", "value": [1, "2"]})", R"({"key": "k", "kind": "strings", "value": "a"})"}) {
    EXPECT_THROW(static_cast<void>(observation_from_json(ordered_json::parse(text))), Error) << text;
  }
}

TEST(ObservationsJson, IsAnObjectInTheOrderObserved) {
  const Observations observations{{"z", Value(true)}, {"a", Value(std::int64_t{2})}, {"m", Value(1.0)}};
  EXPECT_EQ(to_json(observations).dump(), R"({"z":true,"a":2,"m":1.0})");
  EXPECT_EQ(to_json(Observations{}).dump(), "{}");
}

TEST(ValueJson, GuessesTheKind) {
  EXPECT_EQ(value_from_json(ordered_json::parse("1")), Value(std::int64_t{1}));
  EXPECT_EQ(value_from_json(ordered_json::parse("1.0")), Value(1.0));
  EXPECT_EQ(value_from_json(ordered_json::parse("[1, 0.5]")), Value(std::vector<double>{1, 0.5}));
  EXPECT_EQ(value_from_json(ordered_json::parse("[1, 2]")), Value(std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(value_from_json(ordered_json::parse("[true]")), Value(std::vector<bool>{true}));
  EXPECT_EQ(value_from_json(ordered_json::parse("[\"a\"]")), Value(std::vector<std::string>{"a"}));
  EXPECT_EQ(value_from_json(ordered_json::parse("[]")), Value(std::vector<std::int64_t>{}));
}

TEST(ValueJson, RejectsWhatNoCaseCanObserve) {
  for (const char* text : {"null", "{}", "[[1]]", "[1, true]", "[1, \"a\"]", "[null]", "18446744073709551615"}) {
    EXPECT_THROW(static_cast<void>(value_from_json(ordered_json::parse(text))), Error) << text;
  }
}

TEST(ParameterJson, KeepsKindAndContent) {
  const ParameterValues values{
      {"flag", true}, {"integer", std::int64_t{7}}, {"real", 2.0}, {"text", std::string("full")}};
  const std::string line = to_json(values).dump();
  EXPECT_EQ(line, R"({"flag":true,"integer":7,"real":2.0,"text":"full"})");
  EXPECT_EQ(parameter_values_from_json(ordered_json::parse(line)), values);
  EXPECT_THROW(static_cast<void>(parameter_values_from_json(ordered_json::parse("[1]"))), Error);
  EXPECT_THROW(static_cast<void>(parameter_values_from_json(ordered_json::parse("{\"a\": null}"))), Error);
}

TEST(MismatchJson, ReadsBack) {
  const Mismatch mismatch{.key = "count", .expected = "1 to 3", .seen = "4", .basis = "math"};
  const Mismatch read = mismatch_from_json(to_json(mismatch));
  EXPECT_EQ(read.key, "count");
  EXPECT_EQ(read.expected, "1 to 3");
  EXPECT_EQ(read.seen, "4");
  EXPECT_EQ(read.basis, "math");
  EXPECT_THROW(static_cast<void>(mismatch_from_json(ordered_json::parse(R"({"key": "count"})"))), Error);
}

TEST(DeviceJson, ReadsBack) {
  DeviceIdentity device;
  device.kind = "sim";
  device.ordinal = 1;
  device.name = "a\xff";
  device.total_memory_bytes = 18446744073709551615U;
  device.multiprocessor_count = 132;
  device.note = "no CUDA device";
  const DeviceIdentity read = device_identity_from_json(ordered_json::parse(to_json(device).dump()));
  EXPECT_EQ(read.kind, "sim");
  EXPECT_EQ(read.ordinal, 1);
  EXPECT_EQ(read.name, "a\xEF\xBF\xBD");
  EXPECT_EQ(read.total_memory_bytes, 18446744073709551615U);
  EXPECT_EQ(read.multiprocessor_count, 132);
  EXPECT_EQ(read.note, "no CUDA device");
}

TEST(DeviceJson, RejectsWrongKinds) {
  ordered_json json = to_json(DeviceIdentity{});
  json["total_memory_bytes"] = "much";
  EXPECT_THROW(static_cast<void>(device_identity_from_json(json)), Error);
  json["total_memory_bytes"] = -1;
  EXPECT_THROW(static_cast<void>(device_identity_from_json(json)), Error);
  json["total_memory_bytes"] = 1U;
  json["ordinal"] = 4294967296;
  EXPECT_THROW(static_cast<void>(device_identity_from_json(json)), Error);
}

TEST(SettingsJson, ReadBackWhole) {
  const RunSettings settings{.device = "sim:small",
                             .seed = 18446744073709551615U,
                             .allocator = runtime::parse_allocator_choice("./mine.so:give,take"),
                             .fault = "lost_event",
                             .parameters = {{"count", std::int64_t{3}}, {"mode", "a b"}},
                             .golden_directory = "my goldens"};
  const ordered_json json = to_json(settings);
  EXPECT_EQ(json.size(), std::tuple_size_v<std::remove_cv_t<decltype(fields_of<RunSettings>)>>);
  EXPECT_EQ(run_settings_from_json(ordered_json::parse(json.dump())), settings);
  for (const auto& [name, value] : json.items()) {
    ordered_json without = json;
    without.erase(name);
    EXPECT_THROW(static_cast<void>(run_settings_from_json(without)), Error) << name;
  }
}

TEST(SettingsOptions, SayWhatDiffersFromTheDefaults) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(to_options({}), (Words{"--device", "auto", "--seed", "0"}));
  const RunSettings settings{.device = "sim",
                             .seed = 7,
                             .allocator = runtime::parse_allocator_choice("async"),
                             .parameters = {{"a", std::int64_t{3}}, {"b", true}},
                             .golden_directory = "g"};
  EXPECT_EQ(to_options(settings), (Words{"--device", "sim", "--seed", "7", "--allocator", "async", "--parameter", "a=3",
                                         "--parameter", "b=true", "--golden", "g"}));
}

// What each field holds is nowhere else's value, so that two that are swapped are noticed.
TEST(CountsJson, SwapsNothing) {
  const Counts counts{
      .pass = 1, .fail = 2, .error = 3, .crash = 4, .hang = 5, .skip = 6, .flaky = 7, .waived = 8, .not_run = 9};
  EXPECT_EQ(to_json(counts).dump(),
            R"({"total":21,"pass":1,"fail":2,"error":3,"crash":4,"hang":5,"skip":6,"flaky":7,"waived":8,"not_run":9})");
}

TEST(WaiverJson, SwapsNothing) {
  const WaiverUse use{.waiver = {"alloc.*", "any", "because", "node team", "2026-12-31"}, .state = "used"};
  EXPECT_EQ(
      to_json(use).dump(),
      R"({"case":"alloc.*","device":"any","reason":"because","owner":"node team","expires":"2026-12-31","state":"used"})");
}

TEST(ValueJson, HoldsToTheEndsOf64Bits) {
  for (const std::int64_t number : {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                                    (std::int64_t{1} << 53) + 1}) {
    EXPECT_EQ(value_from_json(to_json(Value(number))), Value(number));
    EXPECT_EQ(value_from_json(to_json(Value(std::vector{number}))), Value(std::vector{number}));
    EXPECT_EQ(parameter_value_from_json(to_json(ParameterValue(number))), ParameterValue(number));
  }
  for (const char* text : {"9223372036854775808", "[9223372036854775808]", "18446744073709551615"}) {
    EXPECT_THROW(static_cast<void>(value_from_json(ordered_json::parse(text))), Error) << text;
  }
}

TEST(CountsJson, NamesEachOutcome) {
  const Counts counts{.pass = 2, .fail = 1, .flaky = 1, .waived = 1, .not_run = 3};
  EXPECT_EQ(to_json(counts).dump(),
            R"({"total":3,"pass":2,"fail":1,"error":0,"crash":0,"hang":0,"skip":0,"flaky":1,"waived":1,"not_run":3})");
}

}  // namespace
}  // namespace gpucheck::harness
