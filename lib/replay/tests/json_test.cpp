#include <gtest/gtest.h>

#include "replay/cursor.hpp"
#include "replay/file.hpp"
#include "replay/file_error.hpp"
#include "replay/readers.hpp"
#include "test_files.hpp"

namespace gpucheck::replay {
namespace {

std::uint64_t offset_of_error(const std::string& text, const ReadLimits& limits = {}) {
  Document document("test", text);
  try {
    read_json(document, limits);
  } catch (const FileError& error) {
    return error.offset();
  }
  ADD_FAILURE() << "nothing was refused in " << text;
  return 0;
}

TEST(Json, ReadsEveryKindOfValue) {
  Document document("test", R"( {"a": [1, -2, 18446744073709551615, 1.5e1, true, false, null, "x", {}, []]} )");
  read_json(document, {});
  Walk walk(document);
  std::vector<Kind> kinds;
  Cursor(walk).for_each_field([&](std::string_view key, const Cursor& list) {
    EXPECT_EQ(key, "a");
    list.for_each_item([&](const Cursor& item) { kinds.push_back(item.kind()); });
  });
  EXPECT_EQ(kinds, (std::vector{Kind::signed_integer, Kind::signed_integer, Kind::unsigned_integer, Kind::real,
                                Kind::boolean, Kind::boolean, Kind::null, Kind::text, Kind::dictionary, Kind::list}));
}

TEST(Json, DecodesEscapes) {
  Document document("test", R"(["plain", "a\"b\\\u00e9\ud83d\ude00\n", "", "plain again"])");
  read_json(document, {});
  Walk walk(document);
  std::vector<std::string> texts;
  Cursor(walk).for_each_item([&](const Cursor& item) { texts.emplace_back(item.as_text()); });
  EXPECT_EQ(texts, (std::vector<std::string>{"plain", "a\"b\\\xc3\xa9\xf0\x9f\x98\x80\n", "", "plain again"}));
}

TEST(Json, TellsWhereTheTextBreaks) {
  EXPECT_EQ(offset_of_error("[1, 2, ]"), 7U);
  EXPECT_EQ(offset_of_error("[1] 2"), 4U);
  EXPECT_EQ(offset_of_error("{\"a\" 1}"), 5U);
  EXPECT_EQ(offset_of_error("[NaN]"), 1U);
  EXPECT_EQ(offset_of_error("[1,"), 3U);
  EXPECT_EQ(offset_of_error("[\"\xff\"]"), 2U) << "not UTF-8";
}

TEST(Json, LimitsHowDeepContainersNest) {
  ReadLimits limits;
  limits.depth = 3;
  EXPECT_EQ(offset_of_error("[[[[1]]]]", limits), 3U);
  EXPECT_THROW(read_bytes("deep", std::string(1 << 20, '[')), FileError);
}

TEST(Json, CutShortAnywhereIsRefused) {
  for (const char* name : {"pytorch_snapshot.json", "pytorch_traces.json"}) {
    const std::string whole = bytes_of(name);
    for (std::size_t length = 0; length < whole.size(); length += 1 + length / 500) {
      EXPECT_THROW(read_bytes("cut", whole.substr(0, length)), FileError) << name << " " << length;
    }
  }
}

TEST(Json, TellsTheWayToAValueThatDoesNotFit) {
  const std::string text = R"({"segments": [], "device_traces": [[], [{"action": "alloc", "addr": 1, "size": "x"}]]})";
  try {
    read_bytes("trace.json", text);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(error.path(), "$.device_traces[1][0].size");
    EXPECT_EQ(error.offset(), text.find("x"));
    EXPECT_EQ(error.what(), "trace.json: byte " + std::to_string(text.find("x")) +
                                " ($.device_traces[1][0].size): expected a whole number, 0 or more");
  }
}

TEST(Json, RefusesAKeyThatStandsTwice) {
  EXPECT_THROW(read_bytes("twice", R"({"segments": [], "segments": []})"), FileError);
}

}  // namespace
}  // namespace gpucheck::replay
