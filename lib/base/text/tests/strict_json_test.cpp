#include "base/text/strict_json.hpp"

#include <chrono>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/error.hpp"

namespace gpucheck {
namespace {

std::string error_of(const std::string& text, int deepest) {
  try {
    parse_strict_json(text, deepest);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(StrictJson, IsTheDocumentInItsOwnOrder) {
  const std::string text = R"({"b":[1,-2,2.5,"x",true,null,{}],"a":{"c":{"a":1},"d":[[]]}})";
  EXPECT_EQ(parse_strict_json(text, 8).dump(), text);
  EXPECT_EQ(parse_strict_json(text, 8), nlohmann::ordered_json::parse(text));
  EXPECT_EQ(parse_strict_json("7", 0), 7);
}

TEST(StrictJson, HasEachKeyOnceInItsObject) {
  EXPECT_EQ(error_of(R"({"a": 1, "b": {"a": [{"a": 1}, {"a": 2}]}})", 8), "none");
  EXPECT_EQ(error_of(R"({"a": 1, "b": {"c": 1}, "a": 1})", 8), R"(the key "a" appears twice in its object)");
  EXPECT_EQ(error_of(R"([{"a": [{"b": 1, "c": [], "b": 1}]}])", 8), R"(the key "b" appears twice in its object)");
}

TEST(StrictJson, NestsNoDeeperThanAllowed) {
  EXPECT_EQ(error_of(R"([{"a": [1]}, {"a": [1]}])", 2), "none");
  EXPECT_EQ(error_of(R"([{"a": [[]]}])", 2), "it is nested more than 2 levels deep");
  EXPECT_EQ(error_of(R"([{"a": [{}]}])", 2), "it is nested more than 2 levels deep");
  EXPECT_EQ(error_of(std::string(1'000'000, '['), 32), "it is nested more than 32 levels deep");
}

TEST(StrictJson, IsJson) {
  for (const char* text : {"", "[1,", "{\"a\" 1}", "[1] 2", "nan"}) {
    EXPECT_THROW(parse_strict_json(text, 8), nlohmann::ordered_json::parse_error) << text;
  }
}

TEST(StrictJson, TakesTimeInProportionToItsItems) {
  const auto seconds = [](int items) {
    std::string text = "[";
    for (int item = 0; item < items; ++item) text += fmt::format("{{\"item\":{}}},", item);
    text.back() = ']';
    const auto start = std::chrono::steady_clock::now();
    parse_strict_json(text, 8);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // 16 times the items: 16 times the time, or 256 where each looks at all before it.
  EXPECT_LT(seconds(80'000), 80 * seconds(5'000));
}

}  // namespace
}  // namespace gpucheck
