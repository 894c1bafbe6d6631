#include "site/observation_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace gpucheck::site {
namespace {

using harness::Observations;
using harness::Value;
using ::testing::HasSubstr;

/// Keeps what is observed; a key twice is a mistake, as it is to a case's context.
struct Reader {
  Observations seen;
  ObservationLines lines{[this](const std::string& key, Value value) {
    for (const harness::Observation& one : seen) {
      if (one.key == key) throw Error("observed twice");
    }
    seen.push_back({key, std::move(value)});
  }};

  std::string rejection_of(const std::string& text) {
    try {
      lines.take(text);
      lines.finish();
    } catch (const Error& problem) {
      return problem.what();
    }
    return "";
  }
};

Observations read(const std::string& text) {
  Reader reader;
  EXPECT_EQ(reader.rejection_of(text), "");
  return reader.seen;
}

TEST(ObservationLines, HaveEachKindOfValue) {
  const Observations expected{{"flag", true},
                              {"whole", std::int64_t{-7}},
                              {"real", 1.0},
                              {"text", std::string("a b")},
                              {"list", std::vector<std::int64_t>{1, 2}},
                              {"words", std::vector<std::string>{"x"}}};
  EXPECT_EQ(read("{\"flag\": true}\n{\"whole\": -7}\n{\"real\": 1.0}\n{\"text\": \"a b\"}\n"
                 "{\"list\": [1, 2], \"words\": [\"x\"]}\n"),
            expected);
}

TEST(ObservationLines, MayEndAnywhereInAPiece) {
  const std::string text = "{\"first\": 1}\n\n  \r\n{\"second\": \"\xC3\xBC\"}\n{\"last\": 3}";  // without a newline
  const Observations whole = read(text);
  ASSERT_EQ(whole.size(), 3U);
  for (std::size_t size = 1; size < text.size(); ++size) {
    Reader reader;
    for (std::size_t at = 0; at < text.size(); at += size) reader.lines.take(text.substr(at, size));
    reader.lines.finish();
    EXPECT_EQ(reader.seen, whole) << size;
  }
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("\n").empty());
}

TEST(ObservationLines, ThatAreNoneAreNamed) {
  for (const char* line : {"hello", "{", "{\"a\": 1", "[1]", "7", "null", "{}", "{\"a\": null}", "{\"a\": {\"b\": 1}}",
                           "{\"a\": [[1]]}", "{\"a\": [1, \"x\"]}", "{\"a\": 1} {\"b\": 2}", "{\"a\": 1, \"a\": 2}",
                           "{\"a\": 99999999999999999999}", "{\"a\": NaN}", "{\"a\": \"\xFF\"}", "{'a': 1}"}) {
    Reader reader;
    const std::string rejection = reader.rejection_of("{\"before\": 1}\n" + std::string(line) + "\n");
    EXPECT_THAT(rejection, HasSubstr("line 2 of what the program observed: ")) << line;
    EXPECT_THAT(rejection, HasSubstr("write one JSON object a line, such as {\"free_bytes\": 1024}")) << line;
    EXPECT_EQ(reader.seen.size(), 1U) << line << ": what came before stays";
  }
}

TEST(ObservationLines, NameTheLineThatObservesAgain) {
  Reader reader;
  EXPECT_THAT(reader.rejection_of("{\"a\": 1}\n{\"b\": 1}\n{\"a\": 1}\n"),
              ::testing::StartsWith("line 3 of what the program observed: \"{\"a\": 1}\": observed twice"));
}

TEST(ObservationLines, HaveALimit) {
  const auto line_of = [](std::size_t size) {
    const std::string rest = "{\"a\": \"\"}";
    return "{\"a\": \"" + std::string(size - rest.size(), 'x') + "\"}";
  };
  EXPECT_EQ(read(line_of(ObservationLines::longest_line)).size(), 1U);
  Reader longer;
  EXPECT_THAT(longer.rejection_of(line_of(ObservationLines::longest_line + 1)), HasSubstr("is longer than 64.00 KiB"));
  // One that never ends is refused as soon as it is too long.
  Reader endless;
  EXPECT_THROW(endless.lines.take(std::string(ObservationLines::longest_line + 1, 'x')), Error);
}

TEST(ObservationLines, HaveALimitTogether) {
  Reader reader;
  const std::string line(1023, ' ');
  for (std::size_t bytes = 0; bytes < ObservationLines::most_bytes; bytes += 1024) reader.lines.take(line + "\n");
  EXPECT_THAT(reader.rejection_of("\n"), HasSubstr("observed more than 1024.00 KiB"));
}

}  // namespace
}  // namespace gpucheck::site
