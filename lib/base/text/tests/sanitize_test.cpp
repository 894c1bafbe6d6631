#include "base/text/sanitize.hpp"

#include <gtest/gtest.h>

namespace gpucheck {
namespace {

#define FFFD "\xEF\xBF\xBD"

using namespace std::string_literals;

TEST(CleanText, KeepsTextNewlinesAndTabs) {
  const std::string text = "plain ~ \t\n \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xEF\xBF\xBD \xF4\x8F\xBF\xBF";
  EXPECT_EQ(clean_text(text), text);
  EXPECT_EQ(clean_text(""), "");
}

TEST(CleanText, RemovesTerminalSequences) {
  EXPECT_EQ(clean_text("\x1b[31mred\x1b[0m"), "red");
  EXPECT_EQ(clean_text("\x1b[38;2;1;2;3mx\x1b[?25l\x1b[2Jy\x1b[1 q"), "xy");
  EXPECT_EQ(clean_text("a\x1b]0;title\x07"s + "b"), "ab");
  EXPECT_EQ(clean_text("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b"), "alinkb");
  EXPECT_EQ(clean_text("a\x1bPq#0\x1b\\b\x1b(Bc\x1b"
                       "7d\x1b=e"),
            "abcde");
}

// ECMA-48, 5.4: parameters are 0x30..0x3F, intermediates 0x20..0x2F, the final byte is 0x40..0x7E.
TEST(CleanText, RemovesAControlSequenceOfEveryByteThatItCanHave) {
  for (char parameter = 0x30; parameter <= 0x3F; ++parameter)
    EXPECT_EQ(clean_text("a\x1b["s + parameter + "mb"), "ab") << parameter;
  for (char intermediate = 0x20; intermediate <= 0x2F; ++intermediate)
    EXPECT_EQ(clean_text("a\x1b[1"s + intermediate + "mb"), "ab") << intermediate;
  for (char last = 0x40; last != 0x7F; ++last) EXPECT_EQ(clean_text("a\x1b["s + last + "mb"), "amb") << last;
  EXPECT_EQ(clean_text("\x1b[ 0m"), FFFD "[ 0m") << "a parameter after an intermediate";
  EXPECT_EQ(clean_text("\x1b[1\x7f"), FFFD "[1" FFFD);
}

// The same, 5.3: intermediates, then a final byte 0x30..0x7E.
TEST(CleanText, RemovesAnEscapeSequenceOfEveryByteThatItCanHave) {
  for (char last = 0x30; last != 0x7F; ++last) {
    const bool starts_more = "[]PX^_"s.find(last) != std::string::npos;
    EXPECT_EQ(clean_text("\x1b"s + last), starts_more ? FFFD + std::string(1, last) : "") << last;
  }
  for (char intermediate = 0x20; intermediate <= 0x2F; ++intermediate) {
    EXPECT_EQ(clean_text("\x1b"s + intermediate + "0b"), "b") << intermediate;
    EXPECT_EQ(clean_text("\x1b"s + intermediate), FFFD + std::string(1, intermediate)) << intermediate;
  }
  EXPECT_EQ(clean_text("\x1b\x7f"), FFFD FFFD);
}

TEST(CleanText, RemovesTextsThatAControlSequenceHolds) {
  for (const char* start : {"\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_"}) {
    EXPECT_EQ(clean_text(start + "a title~\x07|"s), "|") << start + 1;
    EXPECT_EQ(clean_text(start + "a title~\x1b\\|"s), "|") << start + 1;
    EXPECT_EQ(clean_text(start + "\x07"s), "") << start + 1;
    EXPECT_EQ(clean_text(start + "\x1b\\"s), "") << start + 1;
  }
  EXPECT_EQ(clean_text("\x1b]a\x1f\x07"), FFFD "]a" FFFD FFFD);
}

TEST(CleanText, AnUnfinishedSequenceSwallowsNothing) {
  EXPECT_EQ(clean_text("a\x1b"), "a" FFFD);
  EXPECT_EQ(clean_text("a\x1b[31"), "a" FFFD "[31");
  EXPECT_EQ(clean_text("a\x1b[31\nb"), "a" FFFD "[31\nb");
  EXPECT_EQ(clean_text("a\x1b]title\nimportant"), "a" FFFD "]title\nimportant");
  EXPECT_EQ(clean_text("a\x1b]title\nimportant\x07"), "a" FFFD "]title\nimportant" FFFD);
  EXPECT_EQ(clean_text("a\x1b]title\x1b[0mb"), "a" FFFD "]titleb");
}

TEST(CleanText, ReplacesWhatTurnsTheDirectionOfText) {
  for (const char* turn : {"\xE2\x80\xAA", "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x81\xA9"}) {
    EXPECT_EQ(clean_text("a"s + turn + "b"), "a" FFFD "b");
  }
  for (const char* other : {"\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\xA5", "\xE2\x81\xAA", "\xE2\x82\xAC"}) {
    EXPECT_EQ(clean_text(other), other);
  }
}

TEST(CleanText, ReplacesWhatXmlOrTerminalsMustNotSee) {
  EXPECT_EQ(clean_text("\0\x01\b\x7f"s), FFFD FFFD FFFD FFFD);
  EXPECT_EQ(clean_text("\xEF\xBF\xBF|\xEF\xBF\xBE"), FFFD "|" FFFD);  // U+FFFF, U+FFFE
  EXPECT_EQ(clean_text("\xC2\x9B"
                       "31m|\xC2\xA0"),
            FFFD "31m|\xC2\xA0");  // U+009B is CSI
}

TEST(CleanText, ReplacesEveryControlCharacter) {
  for (int code = 0; code < 0x20; ++code) {
    if (code == '\t' || code == '\n' || code == '\r') continue;
    EXPECT_EQ(clean_text(std::string(1, static_cast<char>(code)) + "\n"), FFFD "\n") << code;
  }
  EXPECT_EQ(clean_text(" ~\x7f"), " ~" FFFD);
  for (int code = 0x80; code < 0xA0; ++code) {
    EXPECT_EQ(clean_text(std::string("\xC2") + static_cast<char>(code)), FFFD) << code;
  }
  EXPECT_EQ(clean_text("\xC2\xA0\xC3\x80"), "\xC2\xA0\xC3\x80");
}

TEST(CleanText, ReplacesEachBrokenSequenceOnce) {
  EXPECT_EQ(clean_text("\xff|\x80|\xC0\xAF|\xC3|"), FFFD "|" FFFD "|" FFFD FFFD "|" FFFD "|");
  EXPECT_EQ(clean_text("\xE2\x82|\xF0\x9F\x98|"), FFFD "|" FFFD "|");       // cut short
  EXPECT_EQ(clean_text("\xE0\x80\x80"), FFFD FFFD FFFD);                    // overlong
  EXPECT_EQ(clean_text("\xED\xA0\x80"), FFFD FFFD FFFD);                    // a surrogate
  EXPECT_EQ(clean_text("\xF4\x90\x80\x80\xF5"), FFFD FFFD FFFD FFFD FFFD);  // beyond U+10FFFF
}

TEST(CleanText, MakesEveryLineEndANewline) { EXPECT_EQ(clean_text("a\r\nb\rc\n"), "a\nb\nc\n"); }

// Each byte looks as if it could start something long. A quadratic scan would take minutes.
TEST(CleanText, TakesLinearTimeOnHostileText) {
  constexpr std::size_t length = 1 << 20;
  for (const std::string_view unit : {"\x1b]", "\x1b[", "\x1b[1;", "\xF0\x9F", "\x1bP\x1b", "\r"}) {
    std::string text;
    while (text.size() < length) text += unit;
    EXPECT_FALSE(clean_text(text).empty());
  }
  EXPECT_EQ(clean_text("\x1b]" + std::string(length, 'x')).size(), length + 4);
}

TEST(OneLine, FoldsWhiteSpace) {
  EXPECT_EQ(one_line("  a\r\n\tb \x1b[1m c\n"), "a b c");
  EXPECT_EQ(one_line(" \n"), "");
}

TEST(OneLine, CutsAtItsLimitInCharacters) {
  EXPECT_EQ(one_line("abcd", 4), "abcd");
  EXPECT_EQ(one_line("abcde", 4), "abc\xE2\x80\xA6");
  EXPECT_EQ(one_line("\xC3\xA9\xC3\xA9\xC3\xA9", 3), "\xC3\xA9\xC3\xA9\xC3\xA9");
  EXPECT_EQ(one_line("\xC3\xA9\xC3\xA9\xC3\xA9", 2), "\xC3\xA9\xE2\x80\xA6");
  EXPECT_EQ(one_line("ab", 1), "\xE2\x80\xA6");
  EXPECT_EQ(one_line(std::string(1000, ' ') + "never seen", 4), "\xE2\x80\xA6");
}

TEST(OneLine, ReadsSixteenBytesForEachCharacterThatItMayShow) {
  const std::string spaces(63, ' ');
  EXPECT_EQ(one_line("a" + spaces, 4), "a");
  EXPECT_EQ(one_line("a" + spaces.substr(1) + "b", 4), "a b");
  EXPECT_EQ(one_line("a" + spaces + "b", 4), "a\xE2\x80\xA6");
}

TEST(OneLine, HasFourHundredCharactersUnlessTold) {
  EXPECT_EQ(one_line(std::string(400, 'x')), std::string(400, 'x'));
  EXPECT_EQ(one_line(std::string(401, 'x')), std::string(399, 'x') + "\xE2\x80\xA6");
}

TEST(CutMiddle, SaysHowMuchIsMissing) {
  EXPECT_EQ(cut_middle("0123456789", 5, 5), "0123456789");
  EXPECT_EQ(cut_middle("0123456789", 5, 4), "01234\n[... 1 bytes cut ...]\n6789");
  EXPECT_EQ(cut_middle("0123456789", 2, 3), "01\n[... 5 bytes cut ...]\n789");
}

TEST(CutMiddle, CutsBetweenCharacters) {
  // Three characters of three bytes; the limits fall inside the first and the last.
  EXPECT_EQ(cut_middle("\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC", 1, 1), "\n[... 6 bytes cut ...]\n\xE2\x82\xAC");
  EXPECT_EQ(cut_middle(std::string(100, '\x80'), 10, 10).size(),
            20U + std::string("\n[... 80 bytes cut ...]\n").size());
}

TEST(LastLines, GivesAtMostSoMany) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc");
  EXPECT_EQ(last_lines("a\nb\nc", 2), "b\nc");
  EXPECT_EQ(last_lines("a\nb", 2), "a\nb");
  EXPECT_EQ(last_lines("\na\n", 1), "a");
  EXPECT_EQ(last_lines("\na\n", 5), "\na");
  EXPECT_EQ(last_lines("a\n\n", 1), "");
  EXPECT_EQ(last_lines("", 3), "");
  EXPECT_EQ(last_lines("a", 0), "");
}

}  // namespace
}  // namespace gpucheck
