// The page on one run, or on several.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pugixml.hpp>

#include "report/formats/formats.hpp"
#include "report/formats/tests/format_checks.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_parts.hpp"
#include "report/run_set.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

fleet::RunRecord run_of_two() {
  fleet::RunRecord run;
  run.start.version = "1.2";
  run.start.command_line = {"gpucheck", "run", "a b"};
  run.start.host_name = "n1";
  run.start.devices.emplace_back().uuid = "GPU-1";
  run.start.settings.seed = 7;
  harness::CaseResult good;
  good.name = "bandwidth.device_write";
  good.devices = {0};
  good.outcome = Outcome::pass;
  good.duration_ms = 1500;
  good.measurements = {{.key = "write_gbps", .value = 2500, .verdict = "pass", .fail_below = 2000, .source = "vendor"}};
  harness::CaseResult bad;
  bad.name = "memtest.modulo_20";
  bad.devices = {0};
  bad.outcome = Outcome::fail;
  bad.mismatches = {{"wrong_words", "0", "3", "math", "GC2001"}};
  bad.rerun_command = "gpucheck run memtest.modulo_20 --seed 7";
  run.results = {good, bad};
  for (const harness::CaseResult& one : run.results) {
    run.start.selected.push_back(selected_case(one));
    run.end.counts.add(one);
  }
  run.end.exit_code = 1;
  return run;
}

std::string page_of(RunSet set) { return find_format("html")->write(std::move(set)); }

TEST(HtmlReport, SaysVerdictThenDevicesThenWhatFailedThenAllResults) {
  const std::string page = page_of(only(run_of_two()));
  EXPECT_EQ(html_complaints(page), "");
  const auto place = [&page](const char* text) { return page.find(text); };
  ASSERT_NE(place("<h1>gpucheck: <span class=\"verdict failed\">FAILED</span></h1>"), std::string::npos);
  EXPECT_LT(place("<h1>"), place("<code>GPU-1</code>"));
  EXPECT_LT(place("<code>GPU-1</code>"), place("What did not simply pass"));
  EXPECT_LT(place("What did not simply pass"), place("Measured values and their limits"));
  EXPECT_LT(place("Measured values and their limits"), place("All results"));
}

TEST(HtmlReport, SaysOfAFailureWhatWasExpectedAndSeenWhatToDoAndHowToRunItAgain) {
  const std::string page = page_of(only(run_of_two()));
  EXPECT_THAT(page, AllOf(HasSubstr("<details open=\"\"><summary>fail <b>memtest.modulo_20</b> on device 0: "),
                          HasSubstr("wrong_words"), HasSubstr("GC2001"),
                          HasSubstr("rerun: gpucheck run memtest.modulo_20 --seed 7")));
}

TEST(HtmlReport, SaysHowTheRunWasStarted) {
  EXPECT_THAT(page_of(only(run_of_two())), AllOf(HasSubstr("<pre>gpucheck run &#39;a b&#39;</pre>"),
                                                 HasSubstr("seed 7"), HasSubstr("gpucheck 1.2"), HasSubstr("on n1")));
}

TEST(HtmlReport, HasAColumnForTheRunOnlyWhereThereAreSeveral) {
  const auto headings = [](const std::string& text) {
    pugi::xml_document page;
    EXPECT_TRUE(page.load_string(text.c_str()));
    std::vector<std::string> all;
    for (const pugi::xpath_node& one : page.select_nodes("(//table[thead])[last()]/thead/tr/th")) {
      all.emplace_back(one.node().text().get());
    }
    return all;
  };
  EXPECT_THAT(headings(page_of(only(run_of_two()))), ElementsAre("Case", "On", "Outcome", "Time", "Why"));
  RunSet two{.runs = {run_of_two(), run_of_two()}, .labels = {"n1", "n2"}, .exit_code = 1};
  const std::string page = page_of(two);
  EXPECT_EQ(html_complaints(page), "");
  EXPECT_THAT(headings(page), ElementsAre("Run", "Case", "On", "Outcome", "Time", "Why"));
  EXPECT_THAT(page,
              AllOf(HasSubstr("2 runs: "), HasSubstr("<h2>n2: <span class=\"verdict failed\">FAILED</span></h2>")));
}

TEST(HtmlText, IsNeitherMarkupNorTheEndOfAnAttribute) {
  EXPECT_EQ(html_escaped("<a href=\"x\">'&amp;"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;amp;");
  EXPECT_EQ(html_line("a\nb"), html_line("a b"));
  EXPECT_EQ(html_monospaced(""), "");
  EXPECT_EQ(html_monospaced("x<y"), "<code>x&lt;y</code>");
  EXPECT_LT(html_line(std::string(100'000, 'x')).size(), 3000U);
}

TEST(HtmlText, HasAWordForEachStanding) {
  EXPECT_EQ(html_standing(Standing::passed, "pass"), "<span class=\"verdict passed\">pass</span>");
  EXPECT_EQ(html_standing(Standing::warned, "pass"), "<span class=\"verdict passed\">pass, warned</span>");
  EXPECT_EQ(html_standing(Standing::waived, "fail"), "<span class=\"verdict faint\">fail, waived</span>");
  EXPECT_EQ(html_standing(Standing::skipped, "skip"), "<span class=\"verdict faint\">skip</span>");
  EXPECT_EQ(html_standing(Standing::failed, "hang"), "<span class=\"verdict failed\">hang</span>");
  EXPECT_EQ(html_standing(Standing::unjudged, "error"), "<span class=\"verdict not_judged\">error</span>");
}

TEST(HtmlText, SortsNumbersByTheirValue) {
  EXPECT_EQ(html_number(1234.5678), "<td class=\"number\" data-value=\"1234.5678\">1235</td>");
  EXPECT_THAT(html_number(HUGE_VAL), HasSubstr("data-value=\"0\""));
}

TEST(HtmlTables, AreNotThereWithoutRows) {
  HtmlTable table({"A", "B"});
  EXPECT_EQ(table.text(), "");
  EXPECT_EQ(html_section("a", "A", table.text()), "");
  table.add({"x", "<td class=\"number\">1</td>"});
  EXPECT_THAT(table.text(), HasSubstr("<tr><td>x</td><td class=\"number\">1</td></tr>"));
  EXPECT_EQ(html_section("a", "A & B", "<p/>"), "<h2 id=\"a\">A &amp; B</h2>\n<p/>");
}

}  // namespace
}  // namespace gpucheck::report
