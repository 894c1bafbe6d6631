#include "replay/formats/bytes/file_error.hpp"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace gpucheck::replay {
namespace {

TEST(FileError, NamesFilePlaceAndWay) {
  const FileError with_way("f.json", 12, "$.a", "must be a number");
  EXPECT_EQ(std::string(with_way.what()), "f.json: byte 12 ($.a): must be a number");
  EXPECT_EQ(with_way.file(), "f.json");
  EXPECT_EQ(with_way.offset(), 12U);
  EXPECT_EQ(with_way.path(), "$.a");
  EXPECT_EQ(std::string(FileError("f.json", 0, "", "is empty").what()), "f.json: byte 0: is empty");
}

TEST(PathText, GoesFromTheLastStepToTheFirst) {
  EXPECT_EQ(path_text({}), "$");
  const std::vector<PathStep> way{{"size", 0, false}, {"", 12, true}, {"", 0, true}, {"device_traces", 0, false}};
  EXPECT_EQ(path_text(way), "$.device_traces[0][12].size");
}

TEST(PathText, QuotesAKeyThatIsNotAWord) {
  for (const char* word : {"a", "z", "A", "Z", "_", "aZ_z"}) {
    const std::vector<PathStep> way{{word, 0, false}};
    EXPECT_EQ(path_text(way), "$." + std::string(word));
  }
  // What stands beside the letters and the underscore in ASCII, and inside of a word.
  for (const char* other : {"@", "[", "`", "{", "^", "0", "9", "a b", "a.", ".a", "\xc3\xa9"}) {
    const std::vector<PathStep> way{{other, 0, false}};
    EXPECT_EQ(path_text(way), "$[" + printable(other) + "]");
  }
}

TEST(Printable, IsAsciiInQuotes) {
  for (const auto& [text, shown] : std::vector<std::pair<std::string, std::string>>{{"", "\"\""},
                                                                                    {" ~", "\" ~\""},
                                                                                    {"\x1f", "\"\\x1f\""},
                                                                                    {"a\x1b[31m", "\"a\\x1b[31m\""},
                                                                                    {"\x7f", "\"\\x7f\""},
                                                                                    {"\xff", "\"\\xff\""},
                                                                                    {"\n", "\"\\x0a\""},
                                                                                    {"\"", "\"\\x22\""},
                                                                                    {"\\", "\"\\x5c\""},
                                                                                    {"'#", "\"'#\""}}) {
    EXPECT_EQ(printable(text), shown);
  }
}

TEST(Printable, IsCutBehindSixtyCharacters) {
  const std::string sixty(60, 'x');
  EXPECT_EQ(printable(sixty), "\"" + sixty + "\"");
  EXPECT_EQ(printable(sixty + "y"), "\"" + sixty + "\"...");
}

}  // namespace
}  // namespace gpucheck::replay
