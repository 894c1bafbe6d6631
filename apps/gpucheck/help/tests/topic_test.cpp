#include "help/topic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "help/manual_page.hpp"
#include "help/topic_text.hpp"

namespace gpucheck::application {
namespace {

using ::testing::HasSubstr;

Topic topic_of(const std::string& text) { return parse_topic("demo.md", "# demo: a demonstration\n" + text); }

TEST(Topics, HaveParagraphsListsTablesAndCode) {
  const Topic topic = topic_of(
      "\nTwo lines\nof one paragraph.\n\n## Part\n\n- first\n  goes on\n- second\n\n| a | b |\n|---|---|\n| `x` | one "
      "|\n"
      "| y | two |\n\n```sh try\ngpucheck list\n```\n");
  ASSERT_EQ(topic.blocks.size(), 7U);
  EXPECT_EQ(topic.blocks[0].text, "Two lines of one paragraph.");
  EXPECT_EQ(topic.blocks[1].kind, BlockKind::heading);
  EXPECT_EQ(topic.blocks[2].text, "first goes on");
  EXPECT_EQ(topic.blocks[3].text, "second");
  EXPECT_EQ(topic.blocks[4].term, "`x`");
  EXPECT_EQ(topic.blocks[5].text, "two");
  EXPECT_EQ(topic.blocks[6].text, "gpucheck list\n");
  EXPECT_EQ(topic.blocks[6].mark, "sh try");
}

struct Malformed {
  const char* path;
  const char* text;
  const char* reason;
};

class MalformedTopic : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedTopic, IsRejectedWithItsLine) {
  try {
    static_cast<void>(parse_topic(GetParam().path, GetParam().text));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().reason));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, MalformedTopic,
    ::testing::Values(Malformed{"a.md", "a: b\n", "a.md:1:"}, Malformed{"a.md", "# a\n", "a.md:1:"},
                      Malformed{"a.md", "# b: c\n", "the name differs"},
                      Malformed{"a.md", "# a: b\n\n### c\n", "a.md:3:"},
                      Malformed{"a.md", "# a: b\n\n```\nx\n", "the code has no end"},
                      Malformed{"a.md", "# a: b\n| x | y | z |\n|---|---|---|\n", "two columns"},
                      Malformed{"a.md", "# a: b\n| x | y |\n|---|---|\n| p | q | r |\n", "a.md:4: a row has two cells"},
                      Malformed{"a.md", "# a: b\n| x | y |\n|---|---|\n| p |\n", "two cells"}));

TEST(Spans, AreCodeAndStrongWords) {
  const std::vector<Span> spans = spans_of("a `b c` **d** e`");
  ASSERT_EQ(spans.size(), 5U);
  EXPECT_EQ(spans[1].style, Style::code);
  EXPECT_EQ(spans[1].text, "b c");
  EXPECT_EQ(spans[3].style, Style::strong);
  EXPECT_EQ(spans[4].text, " e`") << "a mark without its twin is text";
}

TEST(TopicText, IsWrappedToTheColumns) {
  const Topic topic = topic_of("\nThe words of this paragraph are wrapped.\n\n- item that is wrapped as well\n");
  EXPECT_EQ(topic_text(topic, 30, false),
            "demo: a demonstration\n\n  The words of this paragraph\n  are wrapped.\n\n  - item that is wrapped as\n"
            "    well\n");
}

TEST(TopicText, PutsTheMeaningBesideTheTermWhereThereIsRoom) {
  const Topic topic = topic_of("| a | b |\n|---|---|\n| `x` | one |\n| a term that takes much room | two |\n");
  EXPECT_EQ(
      topic_text(topic, 60, false),
      "demo: a demonstration\n\n  `x`                 one\n  a term that takes much room\n                      two\n");
}

TEST(TopicText, HasNoControlSequencesUnlessAskedFor) {
  const Topic topic = topic_of("\nSome `code`, **strong**.\n\n```\nlines\n```\n");
  EXPECT_EQ(topic_text(topic, 60, false), "demo: a demonstration\n\n  Some `code`, strong.\n\n    lines\n");
  EXPECT_THAT(topic_text(topic, 60, true), HasSubstr("\x1b[4mcode\x1b[0m, \x1b[1mstrong\x1b[0m."));
}

TEST(ManualPages, EscapeWhatRoffWouldRead) {
  const std::string page = topic_page(topic_of("\n.start \\n `--option` it's\n\n```\n.x 'y'\n\n-z\n```\n"), "1.0");
  EXPECT_THAT(page, HasSubstr("\n\\&.start \\en \\fB\\-\\-option\\fR it\\(aqs\n"));
  EXPECT_THAT(page, HasSubstr(".nf\n\\&.x \\(aqy\\(aq\n\n\\-z\n.fi\n"));
  EXPECT_THAT(page, HasSubstr(".TH \"GPUCHECK\\-DEMO\" \"7\""));
}

}  // namespace
}  // namespace gpucheck::application
