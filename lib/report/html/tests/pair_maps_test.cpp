#include "report/html/pair_maps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <pugixml.hpp>
#include <string>
#include <utility>
#include <vector>

#include "report/formats/formats.hpp"
#include "report/formats/tests/format_checks.hpp"
#include "report/html/html_page.hpp"
#include "report/merged/tests/fleets.hpp"
#include "report/run_set.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string run_page(RunSet set) { return find_format("html")->write(std::move(set)); }

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr const char* mark = "\xE2\x96\xBC ";  // a triangle
constexpr const char* dash = "\xE2\x80\x93";

/// The texts of the cells of each row of each square.
std::vector<std::vector<std::string>> cells_of(const std::string& maps) {
  pugi::xml_document page;
  EXPECT_TRUE(page.load_string(html_page("t", maps).c_str()));
  std::vector<std::vector<std::string>> rows;
  for (const pugi::xpath_node& row : page.select_nodes("//table[@class='pairs']/tbody/tr[td]")) {
    std::vector<std::string>& cells = rows.emplace_back();
    for (const pugi::xml_node cell : row.node().children("td")) cells.emplace_back(cell.text().get());
  }
  return rows;
}

/// A run whose three devices are the driver's 4, 5 and 6.
fleet::RunRecord run_of_three(std::vector<double> speeds) {
  fleet::RunRecord run;
  for (int i = 0; i < 3; ++i) {
    harness::DeviceIdentity& device = run.start.devices.emplace_back();
    device.index = i;
    device.ordinal = 4 + i;
  }
  harness::CaseResult& result =
      run.results.emplace_back(fleet::result_of("bandwidth.peer_copy", Outcome::pass, {0, 1, 2}));
  result.observations = {{"copy_gbps_of_pairs", std::move(speeds)}};
  return run;
}

TEST(PairMaps, ShowEachPairFromRowToColumnByTheDriversNumbers) {
  const std::string maps = pair_maps_of(run_of_three({none, 10, 11, 12, none, 13, 14, 15, none}));
  EXPECT_THAT(cells_of(maps),
              ElementsAre(ElementsAre("", "10", "11"), ElementsAre("12", "", "13"), ElementsAre("14", "15", "")));
  EXPECT_THAT(maps, AllOf(HasSubstr("<caption>bandwidth.peer_copy: copy_gbps</caption>"),
                          HasSubstr("<th scope=\"col\">4</th><th scope=\"col\">5</th><th scope=\"col\">6</th>"),
                          HasSubstr("<th scope=\"row\">6</th>")));
  EXPECT_EQ(html_complaints(html_page("t", maps)), "");
}

TEST(PairMaps, ColourByTheShareOfTheGreatestAtEachSideOfItsBounds) {
  const std::string maps = pair_maps_of(run_of_three({none, 100, 95, 94.9, none, 85, 84.9, 75, none}));
  for (const char* cell :
       {"heat4\" bgcolor=\"#8fc1e3\">100<", "heat4\" bgcolor=\"#8fc1e3\">95<", "heat3\" bgcolor=\"#b5d6ec\">94.9<",
        "heat3\" bgcolor=\"#b5d6ec\">85<", "heat2\" bgcolor=\"#d9e9f5\">84.9<", "heat2\" bgcolor=\"#d9e9f5\">75<"}) {
    EXPECT_THAT(maps, HasSubstr(cell));
  }
  EXPECT_THAT(pair_maps_of(run_of_three({none, 0, 0, 0, none, 0, 0, 0, none})), HasSubstr("heat4"))
      << "nothing is divided by it";
}

/// The median of the six is 100.
TEST(PairMaps, MarkWhatIsSlowBesideTheMedianPair) {
  const std::string maps = pair_maps_of(run_of_three({none, 100, 100, 100, none, 100, 75, 74.9, none}));
  EXPECT_THAT(cells_of(maps).at(2), ElementsAre("75", mark + std::string("74.9"), ""));
  EXPECT_THAT(maps, HasSubstr("<td class=\"number failed\" bgcolor=\"#ffd9d6\">&#9660; 74.9</td>"));
}

TEST(PairMaps, MarkWhatTheCaseCallsBadAndWhatIsBelowTheLimit) {
  fleet::RunRecord run = run_of_three({none, 100, 99, 100, none, 97, 98, 96, none});
  run.results.front().observations.push_back({"bad_pairs", std::vector<std::string>{"4-5"}});
  run.results.front().measurements = {
      {.key = "copy_gbps", .value = 96, .verdict = "fail", .fail_below = 97, .source = "s"},
      {.key = "other_gbps", .value = 96, .verdict = "fail", .fail_below = 999, .source = "s"}};
  const std::string maps = pair_maps_of(run);
  EXPECT_THAT(cells_of(maps), ElementsAre(ElementsAre("", mark + std::string("100"), "99"),
                                          ElementsAre(mark + std::string("100"), "", "97"),
                                          ElementsAre("98", mark + std::string("96"), "")));
  EXPECT_THAT(maps, HasSubstr("bad: 4-5</p>"));
}

TEST(PairMaps, SayWhatWasNotMeasured) {
  fleet::RunRecord run = run_of_three({none, none, 99, none, none, 97, 98, 96, none});
  run.results.front().observations.push_back({"out_of_reach", std::vector<std::string>{"4-5"}});
  const std::string maps = pair_maps_of(run);
  EXPECT_THAT(cells_of(maps).at(0), ElementsAre("", dash, "99"));
  EXPECT_THAT(maps, HasSubstr("out of reach: 4-5</p>"));
}

TEST(PairMaps, AreNoneWithoutPairs) {
  EXPECT_EQ(pair_maps_of(fleet::RunRecord{}), "");
  fleet::RunRecord run = run_of_three({1, 2, 3});
  EXPECT_EQ(pair_maps_of(run), "") << "three values are of no square";
  EXPECT_EQ(pair_maps_of(fleet::judged({passing("n1")}, "1")), "");
  EXPECT_THAT(run_page(only(run)), Not(HasSubstr("Between each two")));
}

TEST(PairMaps, StandOnThePageOfARunAndOfSeveral) {
  const fleet::RunRecord run = run_of_three({none, 10, 11, 12, none, 13, 14, 15, none});
  EXPECT_THAT(run_page(only(run)),
              AllOf(HasSubstr("<h2 id=\"pairs\">Between each two devices</h2>"), Not(HasSubstr("<h3>"))));
  const std::string both = run_page({.runs = {run, run}, .labels = {"n1", "n2"}, .exit_code = 0});
  EXPECT_THAT(both, AllOf(HasSubstr("<h3>n1</h3>"), HasSubstr("<h3>n2</h3>")));
  EXPECT_EQ(html_complaints(both), "");
}

TEST(PairMaps, StayAsManyAndAsLargeAsAPageHasRoomFor) {
  fleet::RunRecord run;
  harness::CaseResult result = fleet::result_of("a.b", Outcome::pass, {});
  for (int i = 0; i < 17; ++i) {
    harness::DeviceIdentity& device = run.start.devices.emplace_back();
    device.index = device.ordinal = i;
    result.devices.push_back(i);
  }
  result.observations = {{"x_of_pairs", std::vector<double>(17UL * 17, 1)}};
  run.results = std::vector(25, result);
  const std::string maps = pair_maps_of(run);
  EXPECT_EQ(cells_of(maps).size(), 24U * 16);
  EXPECT_EQ(cells_of(maps).front().size(), 16U);
  EXPECT_THAT(maps, AllOf(HasSubstr("the first 16 of 17 places"), HasSubstr("1 more are in a JSON report")));
}

fleet::NodeOfTests node_with_pairs(const std::string& name, std::vector<double> speeds) {
  fleet::NodeOfTests node{.name = name, .uuids = {"GPU-a" + name, "GPU-b" + name}};
  node.results.push_back(fleet::result_of("bandwidth.peer_copy", Outcome::pass, {0, 1}));
  node.results.back().observations = {{"copy_gbps_of_pairs", std::move(speeds)}};
  return node;
}

TEST(PairMapsOfAFleet, ShowMediansAndTheNodeThatHasLeast) {
  const auto page_of = [](double odd) {
    std::vector<fleet::NodeOfTests> nodes;
    for (const char* name : {"n1", "n2", "n3"}) nodes.push_back(node_with_pairs(name, {none, 100, 90, none}));
    nodes.push_back(node_with_pairs("n4", {none, odd, 90, none}));
    nodes.push_back(passing("n5"));
    return merged_as("html", fleet::judged(nodes, "any"));
  };
  const std::string page = page_of(75);
  EXPECT_EQ(html_complaints(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("<caption>bandwidth.peer_copy: copy_gbps of NVIDIA H100</caption>"),
                          HasSubstr(">100<br/><small>75 n4</small></td>"), HasSubstr(">90</td>"),
                          Not(HasSubstr("&#9660; 100"))));
  EXPECT_THAT(page_of(74.9), HasSubstr("&#9660; 100<br/><small>74.9 n4</small></td>"));
  EXPECT_THAT(page_of(94.9), HasSubstr(">100<br/><small>94.9 n4</small></td>"));
  EXPECT_THAT(page_of(95), HasSubstr(">100</td>"));
}

}  // namespace
}  // namespace gpucheck::report
