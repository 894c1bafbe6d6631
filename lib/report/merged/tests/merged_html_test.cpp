#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pugixml.hpp>

#include "report/formats/tests/format_checks.hpp"
#include "report/merged/tests/fleets.hpp"

/// Pages on fleets.
namespace gpucheck::report {
namespace {

using fleet::Fleet;
using fleet::NodeOfTests;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(MergedHtml, IsAPageThatStandsAlone) {
  for (const Fleet& fleet : {odd_fleet(), fleet::judged({}, "any"), fleet_with_suspect(0), fleet_with_suspect(905)}) {
    EXPECT_EQ(html_complaints(merged_as("html", fleet)), "");
  }
}

TEST(MergedHtml, SaysTheVerdictFirstThenWhatDidNotPassAndWhy) {
  const std::string page = merged_as("html", odd_fleet());
  const auto place = [&page](const char* text) { return page.find(text); };
  ASSERT_NE(place("<h1>gpucheck merge: <span class=\"verdict failed\">FAILED</span></h1>"), std::string::npos);
  EXPECT_LT(place("<h1>"), place("<b>Problem:</b> 2 nodes did not report: n4, n5"));
  EXPECT_LT(place("Problem"), place("Nodes that did not pass"));
  EXPECT_LT(place("<td><a href=\"#node=n2\">n2</a></td>"), place("<td>n3</td>")) << "failures first";
  EXPECT_LT(place("What did not pass, in full"), place("Nodes and GPUs"));
  EXPECT_THAT(page, AllOf(HasSubstr("<b>memtest.modulo_20</b> on device 0: wrong bits"), HasSubstr("GC2001")));
}

TEST(MergedHtml, ShowsEachGpuByALetterAndAColour) {
  const std::string page = merged_as("html", odd_fleet());
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">n1</th><td class=\"passed\" bgcolor=\"#d2f5d8\">P</td>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">n2</th><td class=\"failed\" bgcolor=\"#ffd9d6\">F</td>"));
  EXPECT_THAT(
      page,
      HasSubstr("<th scope=\"row\">n4</th><td class=\"not_judged\" bgcolor=\"#fff1c2\" colspan=\"8\">did not report"));
}

TEST(MergedHtml, ShowsHowEachMetricIsSpreadAndWhereASuspectIs) {
  pugi::xml_document page;
  ASSERT_TRUE(page.load_string(merged_as("html", fleet_with_suspect(0)).c_str()));
  const auto bars = page.select_nodes("//svg/rect");
  ASSERT_EQ(bars.size(), 2U) << "eleven GPUs at 1000, one at 900";
  EXPECT_NEAR(bars[0].node().attribute("height").as_double(), 60.0 / 11, 0.1);
  EXPECT_EQ(bars[0].node().attribute("x").as_double(), 6) << "so that a mark below it has room";
  EXPECT_EQ(bars[1].node().attribute("height").as_double(), 60);
  const auto marks = page.select_nodes("//svg/path");
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_TRUE(std::string(marks[0].node().attribute("d").value()).starts_with("M6.0 "));
}

TEST(MergedHtml, OfAThousandNodesIsBelowFiveMegabytes) {
  std::vector<NodeOfTests> nodes;
  for (int i = 0; i < 1000; ++i) {
    NodeOfTests& node = nodes.emplace_back(failing("node" + std::to_string(i)));
    for (int gpu = 1; gpu < 8; ++gpu) node.uuids.push_back("GPU-" + node.name + "-" + std::to_string(gpu));
    for (std::size_t n = 0; n < fleet::RunKeeper::most_troubles; ++n) node.results.push_back(node.results.back());
  }
  const std::string page = merged_as("html", fleet::judged(nodes, "1000"));
  EXPECT_LT(page.size(), 5U << 20U);
  EXPECT_THAT(page, HasSubstr("More nodes are left out here"));
  EXPECT_EQ(html_complaints(page), "") << "no link leads to a node that is left out";
}

}  // namespace
}  // namespace gpucheck::report
