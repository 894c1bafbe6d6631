#include "base/text/utf8.hpp"

#include <gtest/gtest.h>

namespace gpucheck {
namespace {

using namespace std::string_literals;

TEST(Utf8, KeepsWhatIsValid) {
  EXPECT_EQ(to_valid_utf8(""), "");
  EXPECT_EQ(to_valid_utf8("plain\n\0text"s), "plain\n\0text"s);
  // One character of each length, at both ends of its range.
  const std::string characters = "\u0080\u07FF\u0800\uD7FF\uE000\uFFFF\U00010000\U0010FFFF";
  EXPECT_EQ(to_valid_utf8(characters), characters);
}

// The examples of the Unicode standard, tables 3-8 to 3-11: one replacement for each
// maximal part of a sequence.
TEST(Utf8, ReplacesEachBrokenCharacterOnce) {
  const std::string r = std::string(replacement_character);
  EXPECT_EQ(to_valid_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(to_valid_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(to_valid_utf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), r + r + r + r + r + "A" + r + r + "B");
  EXPECT_EQ(to_valid_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
}

TEST(Utf8, ReplacesACharacterThatTheEndCuts) { EXPECT_EQ(to_valid_utf8("a\xE2\x82"), "a\uFFFD"); }

TEST(Utf8, FindsTheBoundaryBeforeAPlace) {
  const std::string text = "a\u20ACb";  // 1, 3 and 1 bytes
  EXPECT_EQ(utf8_boundary_before(text, 0), 0U);
  EXPECT_EQ(utf8_boundary_before(text, 1), 1U);
  EXPECT_EQ(utf8_boundary_before(text, 2), 1U);
  EXPECT_EQ(utf8_boundary_before(text, 3), 1U);
  EXPECT_EQ(utf8_boundary_before(text, 4), 4U);
  EXPECT_EQ(utf8_boundary_before(text, 5), 5U);
  EXPECT_EQ(utf8_boundary_before("\x80\x80\x80\x80\x80\x80", 5), 5U) << "no boundary within a character's bytes";
}

TEST(Utf8, LooksForABoundaryAmongTheBytesOfOneCharacter) {
  EXPECT_EQ(utf8_boundary_before("\x80", 0), 0U);
  EXPECT_EQ(utf8_boundary_before("\x80\x80", 1), 1U);
  EXPECT_EQ(utf8_boundary_before("a\x80\x80\x80", 3), 0U);
  EXPECT_EQ(utf8_boundary_before("a\x80\x80\x80\x80", 4), 4U);
  EXPECT_EQ(utf8_boundary_before("", 0), 0U);
}

TEST(Utf8, TakesNoByteForAContinuationThatIsNone) {
  const std::string r = std::string(replacement_character);
  EXPECT_EQ(to_valid_utf8("\xC3\xBF\xC3\xC0"), "\xC3\xBF" + r + r);
  EXPECT_EQ(to_valid_utf8("\xE2\x82\x7F\xE2\x82\xC0"), r + "\x7F" + r + r);
  EXPECT_EQ(to_valid_utf8("\xF4\x8F\xBF\xBF\xF4\x90"), "\xF4\x8F\xBF\xBF" + r + r);
}

TEST(Utf8, CountsCharacters) { EXPECT_EQ(utf8_length("a\u20AC\U0001F600"), 3U); }

TEST(Utf8, ShortensToWholeCharacters) {
  EXPECT_EQ(shorten_utf8("\u20AC\u20AC\u20AC", 3), "\u20AC\u20AC\u20AC");
  EXPECT_EQ(shorten_utf8("\u20AC\u20AC\u20AC", 2), "\u20AC\u2026");
}

}  // namespace
}  // namespace gpucheck
