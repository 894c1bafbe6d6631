#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "replay/formats/bytes/file_error.hpp"
#include "replay/formats/file.hpp"
#include "replay/formats/json/json_cursor.hpp"
#include "replay/tests/test_files.hpp"

namespace gpucheck::replay {
namespace {

std::uint64_t offset_of_json_error(const std::string& text, const ReadLimits& limits = {}) {
  const FileBytes file("test", text);
  JsonText json(file, limits);
  try {
    json.expect_end(JsonCursor(json).end());
  } catch (const FileError& error) {
    return error.offset();
  }
  ADD_FAILURE() << "nothing was rejected in " << text;
  return 0;
}

/// Whether the whole text is passed over without a complaint.
bool is_json(const std::string& text) {
  const FileBytes file("test", text);
  JsonText json(file, {});
  try {
    json.expect_end(JsonCursor(json).end());
    return true;
  } catch (const FileError&) {
    return false;
  }
}

TEST(Json, ReadsEveryKindOfValue) {
  const FileBytes file("test", R"( {"a": [1, -2, 18446744073709551615, 1.5e1, true, false, null, "x", {}, []]} )");
  JsonText json(file, {});
  const JsonCursor root(json);
  std::vector<bool (*)(const JsonCursor&)> checks{
      [](const JsonCursor& item) { return item.as_unsigned() == 1; },
      [](const JsonCursor& item) { return item.as_signed() == -2 && item.as_handle() == 0xfffffffffffffffe; },
      [](const JsonCursor& item) { return item.as_unsigned() == UINT64_MAX; },
      [](const JsonCursor& item) { return item.as_double() == 15.0; },
      [](const JsonCursor& item) { return item.as_bool(); },
      [](const JsonCursor& item) { return !item.as_bool(); },
      [](const JsonCursor& item) { return item.is_null(); },
      [](const JsonCursor& item) { return item.as_string() == "x"; },
      [](const JsonCursor& item) { return item.is_dictionary() && !item.is_list(); },
      [](const JsonCursor& item) { return item.is_list() && !item.first_item(); }};
  std::size_t index = 0;
  root.for_each_field([&](std::string_view key, const JsonCursor& list) {
    EXPECT_EQ(key, "a");
    list.for_each_item([&](const JsonCursor& item) { EXPECT_TRUE(checks.at(index++)(item)) << index - 1; });
  });
  EXPECT_EQ(index, checks.size());
  json.expect_end(root.end());
}

TEST(Json, ReadsNumbersOfEveryLength) {
  const auto read = [](const std::string& digits) {
    const FileBytes file("test", "[" + digits + "]");
    JsonText json(file, {});
    return JsonCursor(json).first_item()->as_unsigned();
  };
  std::uint64_t number = 0;
  std::string digits;
  for (int length = 1; length <= 19; ++length) {
    number = 10 * number + static_cast<std::uint64_t>(length % 10);
    digits += static_cast<char>('0' + length % 10);
    EXPECT_EQ(read(digits), number);
  }
  EXPECT_EQ(read("9999999999999999999"), 9999999999999999999U);
  EXPECT_EQ(read("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(read("0"), 0U);
  EXPECT_EQ(read("-0"), 0U);
  for (const char* other :
       {"018446744073709551615", "00000000000000000001", "18446744073709551616", "99999999999999999999", "-1", "1.0",
        "1e3", "01", "00000000001", "+1", "x", "123456781234567812345678"}) {
    EXPECT_THROW(read(other), FileError) << other;
  }
}

TEST(Json, ReadsSignedNumbersToTheLast) {
  const auto read = [](const std::string& digits) {
    const FileBytes file("test", "[" + digits + "]");
    JsonText json(file, {});
    return JsonCursor(json).first_item()->as_signed();
  };
  EXPECT_EQ(read("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(read("9223372036854775807"), INT64_MAX);
  EXPECT_THROW(read("9223372036854775808"), FileError);
  EXPECT_THROW(read("-9223372036854775809"), FileError);
}

TEST(Json, DecodesEscapes) {
  const FileBytes file("test",
                       R"(["plain", "a\"b\\\u00e9\ud83d\ude00\n", "", "plain again, and longer than eight bytes",
                                   "\/\b\f\r\t\u0000\u20AC"])");
  JsonText json(file, {});
  std::vector<std::string> texts;
  JsonCursor(json).for_each_item([&](const JsonCursor& item) { texts.emplace_back(item.as_string()); });
  EXPECT_EQ(texts, (std::vector<std::string>{"plain", "a\"b\\\xc3\xa9\xf0\x9f\x98\x80\n", "",
                                             "plain again, and longer than eight bytes",
                                             std::string("/\b\f\r\t\0\xe2\x82\xac", 9)}));
}

// Python's json module writes them for what no number is written for.
TEST(Json, TakesWhatIsNoNumberForOne) {
  const FileBytes file("test", "[NaN, -Infinity,Infinity, -1.5]");
  JsonText json(file, {});
  std::vector<double> numbers;
  JsonCursor(json).for_each_item([&](const JsonCursor& item) { numbers.push_back(item.as_double()); });
  ASSERT_EQ(numbers.size(), 4U);
  EXPECT_TRUE(std::isnan(numbers[0]));
  EXPECT_EQ(numbers[1], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(numbers[2], std::numeric_limits<double>::infinity());
  EXPECT_EQ(numbers[3], -1.5);
  EXPECT_TRUE(is_json("[NaN,{\"a\":-Infinity}]")) << "what nobody asks for";
  for (const char* none : {"[nan]", "[-NaN]", "[Inf]", "[+Infinity]"}) EXPECT_FALSE(is_json(none)) << none;
  EXPECT_THROW(static_cast<void>(JsonCursor(json).first_item()->as_unsigned()), FileError);
}

TEST(Json, BeginsBehindAByteOrderMark) {
  EXPECT_TRUE(is_json("\xef\xbb\xbf [1]"));
  EXPECT_FALSE(is_json("[1]\xef\xbb\xbf"));
}

// Each kind of character at both ends of its range.
TEST(Json, DecodesTheEndsOfEachRange) {
  const auto decoded = [](const std::string& escaped) {
    const FileBytes file("test", "[\"" + escaped + "\"]");
    JsonText json(file, {});
    return std::string(JsonCursor(json).first_item()->as_string());
  };
  EXPECT_EQ(decoded("\\u007f\\u0080"), "\x7f\xc2\x80");
  EXPECT_EQ(decoded("\\u07ff\\u0800"), "\xdf\xbf\xe0\xa0\x80");
  EXPECT_EQ(decoded("\\ud7ff\\ue000\\uffff"), "\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf");
  EXPECT_EQ(decoded("\\ud800\\udc00\\udbff\\udfff"), "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
  // Halves of pairs, as Python writes them for file names that are not UTF-8, as pickles have them.
  EXPECT_EQ(decoded("\\ud800"), "\xed\xa0\x80");
  EXPECT_EQ(decoded("\\udfffx"), "\xed\xbf\xbfx");
  EXPECT_EQ(decoded("\\udbff\\ue000"), "\xed\xaf\xbf\xee\x80\x80");
  EXPECT_EQ(decoded("\\ud800\\ud800\\udc00"), "\xed\xa0\x80\xf0\x90\x80\x80");
  EXPECT_EQ(decoded("\xed\xa0\x80"), "\xed\xa0\x80");
  EXPECT_THROW(decoded("\\ud800\\u00"), FileError);
  for (char control = 1; control < 0x20; ++control) EXPECT_THROW(decoded(std::string(1, control)), FileError);
  EXPECT_EQ(decoded(" "), " ");
}

// The corner cases of RFC 8259 and of UTF-8.
TEST(Json, TakesWhatIsJson) {
  for (const char* text : {"[]", "{}", "[[],{}]", "[0]", "[-0.0e+00]", "[1E9]", R"({"a":{"b":[]}})", "\n[\t1\r, 2 ]\n",
                           R"(["\u0000"])", "[\"\x7f\"]", "[\"\xc3\xa9\"]", "[\"\xed\x9f\xbf\"]", "[\"\xee\x80\x80\"]",
                           "[\"\xf0\x90\x80\x80\"]", "[\"\xf4\x8f\xbf\xbf\"]", R"({"a":1,"a":2})"}) {
    EXPECT_TRUE(is_json(text)) << text;
  }
}

TEST(Json, RejectsWhatIsNot) {
  for (const char* text : {"[",
                           "]",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "[1]]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{a:1}",
                           "{\"a\":1,}",
                           "{,}",
                           "{1:1}",
                           "[01]",
                           "[1.]",
                           "[.5]",
                           "[+1]",
                           "[1e]",
                           "[1e+]",
                           "[-]",
                           "[--1]",
                           "[0x1]",
                           "[tru]",
                           "[truex]",
                           "[nulll]",
                           "[\"a]",
                           "[\"\\x\"]",
                           "[\"\\u12g4\"]",
                           "[\"\t\"]",
                           "[\"\n\"]",
                           "[\"\x1f\"]",
                           "['a']",
                           "[1]//",
                           "[/**/1]",
                           "[\"\x80\"]",
                           "[\"\xc0\x80\"]",
                           "[\"\xc3\"]",
                           "[\"\xe0\x80\x80\"]",
                           "[\"\xf0\x80\x80\x80\"]",
                           "[\"\xf4\x90\x80\x80\"]",
                           "[\"\xf5\x80\x80\x80\"]",
                           "[}",
                           "{]",
                           "{\"a\":[}]",
                           "[1}",
                           "{\"a\":1]"}) {
    EXPECT_FALSE(is_json(text)) << text;
  }
  EXPECT_FALSE(is_json(std::string("[1]\0", 4)));
  EXPECT_FALSE(is_json(std::string("[\"a\0b\"]", 7)));
}

TEST(Json, KnowsATextThatStandsAgain) {
  const std::string stack = R"([{"name": "a function", "filename": "and where it is, at some length", "line": 117}])";
  const std::string other = R"([{"name": "a function", "filename": "and where it is, at some length", "line": 118}])";
  const std::string longer = R"([{"name": "a function", "filename": "and where it is, at some length", "line": 1170}])";
  const FileBytes file("test",
                       "[" + stack + "," + stack + "," + other + "," + stack + "," + other + "," + longer + ",[],[]]");
  JsonText json(file, {});
  std::vector<std::uint64_t> identities;
  const JsonCursor root(json);
  root.for_each_item([&](const JsonCursor& item) { identities.push_back(item.identity()); });
  json.expect_end(root.end());
  const std::uint64_t second = 1 + 2 * (stack.size() + 1);
  EXPECT_EQ(identities[0], 1U);
  EXPECT_EQ(identities[1], 1U);
  EXPECT_EQ(identities[2], second);
  EXPECT_EQ(identities[3], 1U);
  EXPECT_EQ(identities[4], second);
  EXPECT_EQ(identities[5], 1 + 5 * (stack.size() + 1)) << "where it stands";
  EXPECT_NE(identities[6], identities[7]) << "too short to be worth it";
}

TEST(Json, TellsWhereTheTextBreaks) {
  EXPECT_EQ(offset_of_json_error("[1, 2, ]"), 7U);
  EXPECT_EQ(offset_of_json_error("[1] 2"), 4U);
  EXPECT_EQ(offset_of_json_error("{\"a\" 1}"), 5U);
  EXPECT_EQ(offset_of_json_error("[Nan]"), 1U);
  EXPECT_EQ(offset_of_json_error("[1,"), 3U);
  EXPECT_EQ(offset_of_json_error("[\"\xff\"]"), 2U) << "not UTF-8";
}

TEST(Json, LimitsHowDeepContainersNest) {
  ReadLimits limits;
  limits.depth = 3;
  EXPECT_EQ(offset_of_json_error("[[[[1]]]]", limits), 3U);
  for (const char* text : {"[[[1]]]", R"({"a": [{}]})"}) {
    const FileBytes file("test", text);
    JsonText json(file, limits);
    EXPECT_NO_THROW(json.expect_end(JsonCursor(json).end())) << "exactly as deep as may be: " << text;
  }
  EXPECT_THROW(read_bytes("deep", std::string(1 << 20, '[')), FileError);
}

TEST(Json, CutShortAnywhereIsRejected) {
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
    EXPECT_EQ(error.offset(), text.find("\"x\""));
    EXPECT_EQ(error.what(), "trace.json: byte " + std::to_string(text.find("\"x\"")) +
                                " ($.device_traces[1][0].size): expected a whole number, 0 or more");
  }
}

TEST(Json, RejectsAKeyThatStandsTwice) {
  EXPECT_THROW(read_bytes("twice", R"({"segments": [], "segments": []})"), FileError);
}

}  // namespace
}  // namespace gpucheck::replay
