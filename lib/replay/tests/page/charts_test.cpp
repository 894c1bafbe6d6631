// The pictures of advice, with each coordinate worked out by hand.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text/units.hpp"
#include "replay/page/advice_charts.hpp"
#include "replay/page/html_text.hpp"
#include "replay/page/treemap.hpp"

namespace gpucheck::replay {
namespace {

RankedSettings bar_of(const std::string& settings, std::optional<std::uint64_t> smallest, std::uint64_t peak) {
  RankedSettings row;
  row.settings = settings;
  row.smallest_memory_bytes = smallest;
  row.unlimited.peak_reserved_bytes = peak;
  return row;
}

// -- memory over time: 352 high from 8 to 360, and 910 wide from 90 to 1000 -------------------------

Advice advice_with_curves() {
  Advice advice;
  advice.step_count = 4;
  advice.curves = {{.settings = "", .points = {{2, 2_MiB, 1_MiB}, {4, 4_MiB, 2_MiB}}},
                   {.settings = "a<b", .points = {{4, 3_MiB, 3_MiB}}}};
  return advice;
}

std::string grid_line(const char* y, const char* text_y, const char* label) {
  return fmt::format(
      "<line class=\"grid\" x1=\"90\" y1=\"{0}\" x2=\"1000\" y2=\"{0}\"/><text x=\"84\" y=\"{1}\" "
      "text-anchor=\"end\">{2}</text>\n",
      y, text_y, label);
}

std::string usage_svg(const std::string& more) {
  return "<svg class=\"usage\" viewBox=\"0 0 1000 384\" role=\"img\" aria-label=\"Memory over time\">\n" +
         grid_line("360.0", "364.0", "0 bytes") + grid_line("272.0", "276.0", "1024.00 KiB") +
         grid_line("184.0", "188.0", "2.00 MiB") + grid_line("96.0", "100.0", "3.00 MiB") +
         grid_line("8.0", "12.0", "4.00 MiB") +
         "<text x=\"90\" y=\"376\">first call</text><text x=\"1000\" y=\"376\" text-anchor=\"end\">call 4</text>\n"
         "<path class=\"allocated\" d=\"M90.0 360.0L90.0 272.0L545.0 272.0L545.0 184.0L1000.0 184.0L1000.0 360.0Z\">"
         "<title>allocated</title></path>\n"
         "<path class=\"reserved curve0\" d=\"M90.0 184.0L545.0 184.0L545.0 8.0L1000.0 8.0\"><title>reserved: "
         "(defaults)</title></path>\n"
         "<path class=\"reserved curve1\" d=\"M90.0 96.0L1000.0 96.0\"><title>reserved: a&lt;b</title></path>\n" +
         more + "</svg>\n";
}

TEST(UsageChart, IsThisPicture) {
  EXPECT_EQ(usage_chart(advice_with_curves()), usage_svg(""));
  EXPECT_EQ(usage_chart({}), "");
}

TEST(UsageChart, HasALineAtTheLimit) {
  Advice advice = advice_with_curves();
  advice.memory_limit_bytes = 4_MiB;
  advice.search.ranking = {bar_of("", 2_MiB, 1_MiB)};
  EXPECT_EQ(usage_chart(advice), usage_svg("<line class=\"limit\" x1=\"90.0\" y1=\"8.0\" x2=\"1000.0\" "
                                           "y2=\"8.0\"><title>memory limit: 4.00 MiB</title></line>\n"));
}

TEST(UsageChart, HasAHandfulOfLinesInItsGrid) {
  for (const auto& [highest, lines] : {std::pair(1_MiB, 2U), {7_MiB, 8U}, {8_MiB, 5U}, {15_MiB, 8U}, {16_MiB, 5U}}) {
    Advice advice = advice_with_curves();
    advice.curves = {{.settings = "", .points = {{4, highest, 1_MiB}}}};
    const std::string chart = usage_chart(advice);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = chart.find("class=\"grid\"", at)) != std::string::npos; ++at) ++count;
    EXPECT_EQ(count, lines) << highest;
  }
}

TEST(ShownLimit, IsAtMostTwiceWhatSettingsNeed) {
  Advice advice;
  EXPECT_EQ(shown_limit(advice), std::nullopt);
  advice.search.ranking = {bar_of("", 1000, 10), bar_of("", 10, 1200), bar_of("", std::nullopt, 1)};
  EXPECT_EQ(shown_limit(advice), std::nullopt);
  advice.memory_limit_bytes = 2401;
  EXPECT_EQ(shown_limit(advice), 2401U);
  advice.memory_limit_bytes = 2402;
  EXPECT_EQ(shown_limit(advice), std::nullopt);
  advice.search.ranking = {bar_of("", 1201, 10)};
  EXPECT_EQ(shown_limit(advice), 2402U);
}

// -- the ranking: rows of 46 ------------------------------------------------------------------------

/// @param limit what stands behind the row, if anything
std::string bar(int y, const std::string& label, const char* peak, const char* smallest, const std::string& limit) {
  return fmt::format(
             "<text class=\"label\" x=\"0\" y=\"{}\">{}</text>\n<rect class=\"peak\" x=\"0\" y=\"{}\" width=\"{}\" "
             "height=\"18\"/><rect class=\"smallest\" x=\"0\" y=\"{}\" width=\"{}\" height=\"18\"/>\n",
             y + 14, label, y + 20, peak, y + 20, smallest) +
         fmt::format(
             "<line class=\"least\" x1=\"250.0\" y1=\"{}\" x2=\"250.0\" y2=\"{}\"><title>allocated at once: 1024.00 "
             "KiB</title></line>\n",
             y + 17, y + 41) +
         limit;
}

TEST(RankingChart, IsThisPicture) {
  Advice advice;
  EXPECT_EQ(ranking_chart(advice), "");
  advice.recorded_settings = "r";
  advice.search.outcome = AdviceOutcome::advised;
  advice.search.advised = "a";
  advice.search.least_bytes = 1_MiB;
  advice.search.ranking = {bar_of("r", 2_MiB, 4_MiB), bar_of("a", 1_MiB, 3_MiB), bar_of("", std::nullopt, 2_MiB)};
  const auto picture = [](const std::vector<std::string>& limits) {
    return "<svg class=\"ranking\" viewBox=\"0 0 1000 138\" role=\"img\" aria-label=\"Settings by the memory they "
           "need\">\n" +
           bar(0, "r, as recorded: runs in 2.00 MiB; without a limit it reserves 4.00 MiB", "1000.0", "500.0",
               limits[0]) +
           bar(46, "a, advised: runs in 1024.00 KiB; without a limit it reserves 3.00 MiB", "750.0", "250.0",
               limits[1]) +
           bar(92, "(defaults): runs on no card; without a limit it reserves 2.00 MiB", "500.0", "0.0", limits[2]) +
           "</svg>\n";
  };
  EXPECT_EQ(ranking_chart(advice), picture({"", "", ""}));
  advice.memory_limit_bytes = 3_MiB;
  const auto limit = [](const char* from, const char* to) {
    return fmt::format(
        "<line class=\"limit\" x1=\"750.0\" y1=\"{}\" x2=\"750.0\" y2=\"{}\"><title>memory limit: 3.00 "
        "MiB</title></line>\n",
        from, to);
  };
  EXPECT_EQ(ranking_chart(advice), picture({limit("17.0", "41.0"), limit("63.0", "87.0"), limit("109.0", "133.0")}));
}

// -- what is live, on 1000 times 420 ---------------------------------------------------------------

LiveGroup group_of(std::uint64_t bytes, std::uint64_t count) {
  LiveGroup group;
  group.bytes = bytes;
  group.count = count;
  return group;
}

Advice advice_with_groups(const std::vector<LiveGroup>& groups) {
  Advice advice;
  advice.live.by_stack = groups;
  for (const LiveGroup& group : groups) advice.live.bytes += group.bytes;
  return advice;
}

/// The stack of no frames alone.
StackTable no_stacks() { return {}; }

TEST(LiveChart, IsThisPicture) {
  EXPECT_EQ(live_chart({}, no_stacks()), "");
  EXPECT_EQ(live_chart(advice_with_groups({group_of(3_MiB, 2), group_of(1_MiB, 1)}), no_stacks()),
            "<svg class=\"live\" viewBox=\"0 0 1000 420\" role=\"img\" aria-label=\"Live at the peak, by stack\">\n"
            "<g><rect class=\"group\" x=\"0.00\" y=\"0.00\" width=\"750.00\" height=\"420.00\" style=\"--hue:210\">"
            "<title>no stack recorded: 3.00 MiB in 2 allocations, 75.0%</title></rect>"
            "<text x=\"6.0\" y=\"15.0\">no stack recorded</text><text x=\"6.0\" y=\"29.0\">3.00 MiB</text></g>\n"
            "<g><rect class=\"group\" x=\"750.00\" y=\"0.00\" width=\"250.00\" height=\"420.00\" style=\"--hue:277\">"
            "<title>no stack recorded: 1024.00 KiB in 1 allocation, 25.0%</title></rect>"
            "<text x=\"756.0\" y=\"15.0\">no stack recorded</text><text x=\"756.0\" y=\"29.0\">1024.00 KiB</text></g>\n"
            "</svg>\n");
}

TEST(LiveChart, WritesIntoAGroupWhereEightLettersFit) {
  const auto texts_with = [](std::uint64_t narrow) {
    const std::string chart =
        live_chart(advice_with_groups({group_of(10'000 - narrow, 1), group_of(narrow, 1)}), no_stacks());
    std::size_t count = 0;
    for (std::size_t at = 0; (at = chart.find("<text", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(texts_with(681), 4U) << "68.1 wide, of which 12 are margins: 8 letters of 7";
  EXPECT_EQ(texts_with(679), 2U);
}

std::vector<std::string> titles_of(const std::string& chart) {
  const std::string open = "<title>";
  std::vector<std::string> titles;
  for (std::size_t at = 0; (at = chart.find(open, at)) != std::string::npos;) {
    at += open.size();
    titles.push_back(chart.substr(at, chart.find(": ", at) - at));
  }
  return titles;
}

TEST(LiveChart, SumsUpWhatComesBehindSixtyGroups) {
  for (const std::size_t count : {59U, 60U, 61U, 62U}) {
    std::vector<LiveGroup> groups(count, group_of(2_MiB, 3));
    const std::string chart = live_chart(advice_with_groups(groups), no_stacks());
    const std::vector<std::string> titles = titles_of(chart);
    ASSERT_EQ(titles.size(), std::min<std::size_t>(count, 61));
    const bool has_rest = count > 60;
    EXPECT_EQ(std::ranges::count(titles, "all others"), has_rest ? 1 : 0);
    if (count == 61) {
      EXPECT_EQ(titles.back(), "all others");
      EXPECT_NE(chart.find("all others: 2.00 MiB in 3 allocations, "), std::string::npos);
    }
    if (count == 62) {
      EXPECT_EQ(titles.front(), "all others") << "it is the largest";
      EXPECT_NE(chart.find("all others: 4.00 MiB in 6 allocations, "), std::string::npos);
    }
  }
  std::vector<LiveGroup> groups(62, group_of(1_MiB, 1));
  groups[0].bytes = groups[1].bytes = 2_MiB;
  EXPECT_EQ(titles_of(live_chart(advice_with_groups(groups), no_stacks()))[2], "all others") << "behind its equals";
}

TEST(Treemap, LaysTheExampleOfThePaperLikeThis) {
  const std::vector<Rectangle> places = treemap({6, 6, 4, 3, 2, 2, 1}, {10, 20, 6, 4});
  const double below = 20 + 7.0 / 3;
  const std::vector<Rectangle> expected{{10, 20, 3, 2},
                                        {10, 22, 3, 2},
                                        {13, 20, 12.0 / 7, 7.0 / 3},
                                        {13 + 12.0 / 7, 20, 9.0 / 7, 7.0 / 3},
                                        {13, below, 1.2, 5.0 / 3},
                                        {14.2, below, 1.2, 5.0 / 3},
                                        {15.4, below, 0.6, 5.0 / 3}};
  ASSERT_EQ(places.size(), expected.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_NEAR(places[i].x, expected[i].x, 1e-9) << i;
    EXPECT_NEAR(places[i].y, expected[i].y, 1e-9) << i;
    EXPECT_NEAR(places[i].width, expected[i].width, 1e-9) << i;
    EXPECT_NEAR(places[i].height, expected[i].height, 1e-9) << i;
  }
}

TEST(HtmlText, HasEntitiesForWhatWouldBeMarkup) {
  EXPECT_EQ(escaped("a & <b>\n\"c\" 'd'", 400), "a &amp; &lt;b&gt; &quot;c&quot; 'd'");
  EXPECT_EQ(escaped_lines("a &\n<b>"), "a &amp;\n&lt;b&gt;");
  EXPECT_EQ(escaped("abc", 3), "abc");
  EXPECT_EQ(escaped("abcd", 3), "ab\u2026");
}

TEST(HtmlText, FillsEachPlaceholderOnce) {
  EXPECT_EQ(filled("x{{a}}y{{b}}{{none}}z{{a}}", {{"a", "{{b}}"}, {"b", "2"}}), "x{{b}}y2z{{b}}");
  EXPECT_EQ(filled("{{a}}", {{"a", "1"}}), "1");
  EXPECT_EQ(filled("no place", {{"a", "1"}}), "no place");
  EXPECT_EQ(filled("", {{"a", "1"}}), "");
}

}  // namespace
}  // namespace gpucheck::replay
