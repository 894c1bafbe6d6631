#include "help/topic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "help/command_page.hpp"
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

/// A block of each kind, and two of those that go together.
Topic topic_of_every_block() {
  return topic_of(
      "\nFirst line\nof one paragraph.\n\n## Some part\n\n- first\n  goes on\n- second\n\n| a | b |\n|---|---|\n"
      "| `x` | one |\n|  y  |  two  |\n\n```sh try\ngpucheck list\n\nlast\n```\nAfter it.\n");
}

TEST(Topics, HaveTheseTextsTermsAndMarks) {
  const Topic topic = topic_of_every_block();
  EXPECT_EQ(topic.name, "demo");
  EXPECT_EQ(topic.summary, "a demonstration");
  std::vector<std::tuple<BlockKind, std::string, std::string, std::string>> blocks;
  for (const Block& block : topic.blocks) blocks.emplace_back(block.kind, block.text, block.term, block.mark);
  EXPECT_EQ(blocks, (decltype(blocks){{BlockKind::paragraph, "First line of one paragraph.", "", ""},
                                      {BlockKind::heading, "Some part", "", ""},
                                      {BlockKind::item, "first goes on", "", ""},
                                      {BlockKind::item, "second", "", ""},
                                      {BlockKind::row, "one", "`x`", ""},
                                      {BlockKind::row, "two", "y", ""},
                                      {BlockKind::code, "gpucheck list\n\nlast\n", "", "sh try"},
                                      {BlockKind::paragraph, "After it.", "", ""}}));
}

TEST(ManualPages, OfEveryBlockAreThisText) {
  EXPECT_EQ(topic_page(topic_of_every_block(), "1.0-2"),
            ".TH \"GPUCHECK\\-DEMO\" \"7\" \"\" \"gpucheck 1.0\\-2\" \"gpucheck\"\n.nh\n.ds AD l\n.ad l\n"
            ".SH \"NAME\"\ngpucheck\\-demo \\- a demonstration\n"
            ".SH \"DESCRIPTION\"\n"
            ".PP\nFirst line of one paragraph.\n"
            ".SH \"SOME PART\"\n"
            ".IP \\(bu 2\nfirst goes on\n.IP \\(bu 2\nsecond\n"
            ".TP\n\\fBx\\fR\none\n.TP\ny\ntwo\n"
            ".PP\n.RS 4\n.nf\ngpucheck list\n\nlast\n.fi\n.RE\n"
            ".PP\nAfter it.\n"
            ".SH \"SEE ALSO\"\n.PP\n\\fBgpucheck\\fR(1)\n");
}

TEST(ManualPages, OfACommandHaveSubsectionsAndEscapeEachMark) {
  ManualPage page("a", 1, "v", "s");
  page.subsection("part -x");
  page.paragraph("^ ~ \" ' \\ .");
  page.code("`");
  page.code("");
  EXPECT_EQ(page.take(),
            ".TH \"A\" \"1\" \"\" \"gpucheck v\" \"gpucheck\"\n.nh\n.ds AD l\n.ad l\n.SH \"NAME\"\na \\- s\n"
            ".SS \"part \\-x\"\n.PP\n\\(ha \\(ti \\(dq \\(aq \\e .\n.PP\n.RS 4\n.nf\n\\(ga\n.fi\n.RE\n"
            ".PP\n.RS 4\n.nf\n.fi\n.RE\n");
}

/// An option has its type and what it is by default, a flag neither; a word that may come several times has dots.
TEST(CommandPage, HasTheTermOfEachOption) {
  CLI::App application("Checks", "gpucheck");
  CLI::App* const command = application.add_subcommand("make", "Makes limits");
  std::vector<std::string> files;
  std::string one;
  std::string device = "auto";
  bool quietly = false;
  command->add_option("FILES", files, "to be read");
  command->add_option("ONE", one, "more")->type_name("");
  command->add_option("-d,--device", device, "which")->type_name("DEVICE")->capture_default_str();
  command->add_flag("--quiet", quietly, "say less");
  command->footer("Ends well.");
  const std::string page = command_page(application, "1", {});
  const std::size_t begin = page.find(".SS \"make\"");
  ASSERT_NE(begin, std::string::npos) << page;
  EXPECT_EQ(page.substr(begin, page.find(".SS", begin + 1) - begin),
            ".SS \"make\"\n.PP\nMakes limits.\n"
            ".TP\nFILES...\nto be read\n.TP\nONE\nmore\n"
            ".TP\n\\fB\\-d\\fR, \\fB\\-\\-device\\fR DEVICE\nwhich [default: auto]\n"
            ".TP\n\\fB\\-\\-quiet\\fR\nsay less\n"
            ".PP\nEnds well.\n");
}

TEST(TopicText, OfEveryBlockIsThisText) {
  EXPECT_EQ(topic_text(topic_of_every_block(), 80, false),
            "demo: a demonstration\n\n  First line of one paragraph.\n\nSome part\n\n  - first goes on\n  - second\n\n"
            "  `x`                 one\n  y                   two\n\n    gpucheck list\n\n    last\n\n  After it.\n");
  EXPECT_EQ(topic_text(topic_of("\n## A **b**\n\n`c d`e\n\n```\nf\n```\n"), 80, true),
            "\x1b[1mdemo: a demonstration\x1b[0m\n\n\x1b[1mA **b**\x1b[0m\n\n  \x1b[4mc\x1b[0m \x1b[4md\x1b[0me\n\n    "
            "\x1b[4mf\x1b[0m\n");
}

// A line of 22 columns, of which two are the margin, and none less than 20 behind it.
TEST(TopicText, FillsALineToItsLastColumn) {
  const std::string fitting = "1234567890 123456789";
  for (const std::size_t columns : {0U, 21U, 22U}) {
    EXPECT_EQ(topic_text(topic_of("\n" + fitting + " x\n"), columns, false),
              "demo: a demonstration\n\n  " + fitting + "\n  x\n");
  }
  EXPECT_EQ(topic_text(topic_of("\n" + fitting + " x\n"), 23, false),
            "demo: a demonstration\n\n  " + fitting + "\n  x\n");
  EXPECT_EQ(topic_text(topic_of("\n" + fitting + " x\n"), 24, false), "demo: a demonstration\n\n  " + fitting + " x\n");
}

TEST(TopicText, LeavesTwoColumnsBetweenATermAndItsMeaning) {
  const std::string head = "demo: a demonstration\n\n";
  const auto text_of = [](const std::string& term) {
    return topic_text(topic_of("| a | b |\n|---|---|\n| " + term + " | m |\n"), 80, false);
  };
  const std::string fitting(18, 't');
  EXPECT_EQ(text_of(fitting), head + "  " + fitting + "  m\n");
  EXPECT_EQ(text_of(fitting + "t"), head + "  " + fitting + "t\n                      m\n");
}

}  // namespace
}  // namespace gpucheck::application
