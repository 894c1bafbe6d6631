#include "report/merged/merged_formats.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "fill_texts.hpp"
#include "report/formats/tests/format_checks.hpp"
#include "report/merged/tests/fleets.hpp"
#include "schema.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

using fleet::Fleet;
using fleet::NodeOfTests;
using harness::Outcome;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(MergedText, NamesEveryNodeThatDidNotPassAndWhy) {
  const std::string text = merged_text(odd_fleet(), false, {});
  EXPECT_THAT(text, AllOf(HasSubstr("FAILED      n2  device 0 GPU-n2 : failed memtest.modulo_20; next: "),
                          HasSubstr("GC2001"), HasSubstr("NOT JUDGED  n3"), HasSubstr("n3.journal: killed")));
  EXPECT_THAT(text, AllOf(HasSubstr("problem: folder/readme.journal: this is not a journal\n"),
                          HasSubstr("problem: 2 nodes did not report: n4, n5\n"),
                          HasSubstr("problem: 1 node reported that nobody expects: x\n"),
                          HasSubstr("nodes differ in their driver: 580.95 on 3 nodes; 570.1 on n3\n")));
  EXPECT_TRUE(text.ends_with("\nFAILED      2 of 6 nodes passed, 1 failed, 1 not judged, 2 did not report\n")) << text;
}

TEST(MergedText, ShowsNodesThatPassedOnlyWhereItIsAskedTo) {
  const Fleet fleet = fleet::judged({passing("n1"), passing("n2")}, "2");
  EXPECT_EQ(merged_text(fleet, false, {}),
            "gpucheck merge: 2 nodes, 2 GPUs, 2 results: 2 passed\n\nPASSED      2 of 2 nodes passed\n");
  EXPECT_THAT(merged_text(fleet, true, {}), AllOf(HasSubstr("PASSED      n1\n"), HasSubstr("PASSED      n2\n")));
}

TEST(MergedText, ColoursVerdictsWhereItIsAskedTo) {
  EXPECT_THAT(merged_text(odd_fleet(), false, {.enabled = true}), HasSubstr("\x1b[1;31mFAILED"));
  EXPECT_THAT(merged_text(odd_fleet(), false, {}), Not(HasSubstr("\x1b")));
}

TEST(MergedText, SaysHowARunEndedThatShowsNothingWrong) {
  NodeOfTests node = passing("n1");
  node.exit_code = 3;
  EXPECT_THAT(merged_text(fleet::judged({node}, "1"), false, {}),
              HasSubstr("NOT JUDGED  n1  n1.journal: exit code 3, 1 passed\n"));
}

TEST(MergedJson, FitsItsSchema) {
  EXPECT_EQ(json_schema_complaints(merged_as("json", odd_fleet())), "");
  EXPECT_EQ(json_schema_complaints(merged_as("json", fleet::judged({}, "any"))), "");
  EXPECT_EQ(json_schema_complaints(merged_as("json", fleet::judged({passing("n1")}, "1"))), "");
}

TEST(MergedJson, HasWhatIsKnownOfEachNode) {
  const json document = json::parse(merged_as("json", odd_fleet()));
  EXPECT_EQ(document["verdict"], "failed");
  EXPECT_EQ(document["expected_nodes"], 5);
  EXPECT_EQ(document["node_counts"], json::parse(R"({"passed": 2, "failed": 1, "not_judged": 1, "missing": 2})"));
  EXPECT_EQ(document["missing"], json::parse(R"(["n4", "n5"])"));
  EXPECT_EQ(document["problems"][0]["path"], "folder/readme.journal");
  EXPECT_EQ(document["differences"][0]["what"], "driver");
  EXPECT_EQ(document["differences"][0]["shares"][1]["nodes"], json::parse(R"(["n3"])"));
  EXPECT_EQ(document["counts"]["fail"], 1);
  const json& failed = document["nodes"][1];
  EXPECT_EQ(failed["name"], "n2");
  EXPECT_EQ(failed["verdict"], "failed");
  EXPECT_EQ(failed["runs"][0]["device_verdicts"][0]["verdict"], "failed");
  EXPECT_EQ(failed["runs"][0]["devices"][0]["uuid"], "GPU-n2");
  EXPECT_EQ(failed["runs"][0]["not_passed"][0]["name"], "memtest.modulo_20");
  EXPECT_EQ(document["nodes"][2]["runs"][0]["incomplete"], "killed");
  EXPECT_EQ(document["nodes"][3]["expected"], false);
}

/// "classname/name: element" of each test case that is not a pass.
std::vector<std::string> not_passed(const std::string& junit) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(junit.c_str()));
  std::vector<std::string> all;
  for (const pugi::xml_node suite : document.child("testsuites").children("testsuite")) {
    for (const pugi::xml_node testcase : suite.children("testcase")) {
      const std::string element = testcase.first_child().name();
      if (element.empty()) continue;
      all.push_back(std::string(testcase.attribute("classname").value()) + "/" + testcase.attribute("name").value() +
                    ": " + element);
    }
  }
  return all;
}

TEST(MergedJunit, HasACaseForEachCaseOfANodeAndForTheNode) {
  EXPECT_THAT(not_passed(merged_as("junit", odd_fleet())),
              ElementsAre("gpucheck.fleet.nodes/n4: error", "gpucheck.fleet.nodes/n5: error",
                          "gpucheck.fleet.files/all nodes and files: error", "gpucheck.n2.node/verdict: failure",
                          "gpucheck.n2.memtest/modulo_20: failure", "gpucheck.n3.node/verdict: error",
                          "gpucheck.n3.rng/late: error", "gpucheck.x.node/verdict: error"))
      << "x passed, and nobody expects it";
}

/// Readers of JUnit group by it.
TEST(MergedJunit, SaysOfEachFailureOfWhichTypeItIs) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(merged_as("junit", odd_fleet()).c_str()));
  std::vector<std::string> without;
  for (const pugi::xpath_node& found : document.select_nodes("//failure | //error")) {
    if (*found.node().attribute("type").value() == '\0' || *found.node().attribute("message").value() == '\0') {
      without.emplace_back(found.parent().attribute("name").value());
    }
  }
  EXPECT_THAT(without, IsEmpty());
}

TEST(MergedJunit, FitsTheSchemaThatJenkinsChecks) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("m.xml")) << merged_as("junit", odd_fleet());
  EXPECT_EQ(schema_complaints(folder.file("m.xml")), "");
}

TEST(MergedJunit, CountsWhatItsSuitesHold) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(merged_as("junit", odd_fleet()).c_str()));
  const pugi::xml_node root = document.child("testsuites");
  std::size_t tests = 0;
  for (const pugi::xml_node suite : root.children("testsuite")) {
    const auto cases = suite.children("testcase");
    const auto held = static_cast<std::size_t>(std::distance(cases.begin(), cases.end()));
    EXPECT_EQ(suite.attribute("tests").as_uint(), held) << suite.attribute("name").value();
    tests += held;
  }
  EXPECT_EQ(root.attribute("tests").as_uint(), tests);
  EXPECT_EQ(root.attribute("failures").as_uint(), 2U);
  EXPECT_EQ(root.attribute("errors").as_uint(), 6U);
}

TEST(MergedJunit, PutsACaseOfSeveralRunsOfANodeTogether) {
  NodeOfTests second = failing("n1");
  second.uuids = {"GPU-2"};
  second.file = "second.journal";
  const std::string text = merged_as("junit", fleet::judged({passing("n1"), second}, "1"));
  EXPECT_THAT(not_passed(text),
              ElementsAre("gpucheck.n1.node/verdict: failure", "gpucheck.n1.memtest/modulo_20: failure"));
  std::set<std::string> names;
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(text.c_str()));
  for (const pugi::xml_node testcase : document.child("testsuites").last_child().children("testcase")) {
    EXPECT_TRUE(
        names.insert(testcase.attribute("classname").value() + std::string(testcase.attribute("name").value())).second)
        << "readers keep the first of two";
  }
}

TEST(MergedJunit, ShowsWaivedAndSkippedCasesAsSkipped) {
  const auto texts = std::make_shared<fleet::SharedTexts>();
  NodeOfTests node = failing("n1");
  node.results.push_back(fleet::result_of("nccl.pairs", Outcome::skip));
  const fleet::Waivers waivers{
      {.case_glob = "memtest.*", .device = "any", .reason = "r", .owner = "o", .expires = "2099-12-31"}};
  fleet::FleetJudge judge(texts);
  judge.add(fleet::kept(node, *texts, waivers));
  EXPECT_THAT(not_passed(merged_as("junit", judge.judge({.expected = {.count = 1}, .waivers = waivers}))),
              ElementsAre("gpucheck.n1.memtest/modulo_20: skipped", "gpucheck.n1.nccl/pairs: skipped"));
}

TEST(MergedPrometheus, HasASeriesForEachVerdictOfEachNode) {
  const std::string text = merged_as("prometheus", odd_fleet());
  for (const char* line :
       {"gpucheck_fleet_verdict{verdict=\"failed\"} 1\n", "gpucheck_fleet_verdict{verdict=\"passed\"} 0\n",
        "gpucheck_fleet_nodes{state=\"missing\"} 2\n", "gpucheck_fleet_nodes{state=\"passed\"} 2\n",
        "gpucheck_fleet_problems 1\n", "gpucheck_node_missing{host=\"n4\"} 1\n",
        "gpucheck_node_verdict{host=\"n2\",verdict=\"failed\"} 1\n",
        "gpucheck_node_verdict{host=\"n2\",verdict=\"passed\"} 0\n",
        "gpucheck_device_not_passed{host=\"n2\",device=\"0\",uuid=\"GPU-n2\",verdict=\"failed\"} 1\n",
        "gpucheck_fleet_device_failure{host=\"n2\",device=\"0\",uuid=\"GPU-n2\",code=\"GC2001\""}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("gpucheck_device_not_passed{host=\"n1\"")));
}

TEST(MergedMarkdown, ListsNodesThatDidNotPassAndWhatIsWrongBesides) {
  const std::string text = merged_as("markdown", odd_fleet());
  EXPECT_THAT(text,
              AllOf(HasSubstr("## gpucheck merge: FAILED\n"), HasSubstr("2 of 6 nodes passed"),
                    HasSubstr("| <code>n2</code> | **FAILED** | "), HasSubstr("| <code>n3</code> | **NOT JUDGED**"),
                    HasSubstr("- **Problem:** "), HasSubstr("- Nodes differ in their ")));
  EXPECT_THAT(text, Not(HasSubstr("| <code>n1</code> | **PASSED")));
}

TEST(MergedMarkdown, StaysBelowWhatGithubTakes) {
  std::vector<NodeOfTests> nodes;
  for (int i = 0; i < 3000; ++i) nodes.push_back(failing("node" + std::to_string(i) + std::string(200, 'x')));
  const std::string text = merged_as("markdown", fleet::judged(nodes, "any"));
  EXPECT_LT(text.size(), 1024U * 1024U);
  EXPECT_THAT(text, HasSubstr("More nodes are left out here"));
}

TEST(MergedReports, NameSuspectsAndWhatASecondMeasurementSays) {
  const Fleet once = fleet_with_suspect(0);
  const Fleet confirmed = fleet_with_suspect(905);
  const Fleet refuted = fleet_with_suspect(1000);
  EXPECT_THAT(merged_text(once, false, {}),
              AllOf(HasSubstr("NOT JUDGED  n21  GPU-n21 of n21: 10.0 % worse"), HasSubstr("measure it again"),
                    HasSubstr("suspect: GPU-n21 of n21: "), HasSubstr("; not measured again\n")));
  EXPECT_THAT(merged_text(confirmed, false, {}), HasSubstr("FAILED      n21  GPU-n21 of n21"));
  EXPECT_THAT(merged_text(refuted, false, {}),
              AllOf(HasSubstr("does not confirm it\n"), HasSubstr("PASSED      12 of 12 nodes passed")));
  for (const auto& [fleet, look] : {std::pair(&once, "none"), {&confirmed, "confirmed"}, {&refuted, "refuted"}}) {
    const std::string text = merged_as("json", *fleet);
    EXPECT_EQ(json_schema_complaints(text), "");
    const json suspect = json::parse(text)["suspects"].at(0);
    EXPECT_EQ(suspect["scope"], "gpu");
    EXPECT_EQ(suspect["node"], "n21");
    EXPECT_EQ(suspect["uuid"], "GPU-n21");
    EXPECT_EQ(suspect["second_look"], look);
    EXPECT_EQ(suspect["evidence"][0]["metric"], "alloc.fuzz.gbps of NVIDIA H100");
    EXPECT_NEAR(suspect["evidence"][0]["loss_ratio"].get<double>(), 0.1, 1e-6);
    EXPECT_THAT(merged_as("markdown", *fleet), HasSubstr("- **Suspect:** "));
    EXPECT_THAT(merged_as("prometheus", *fleet), HasSubstr("second_look=\"" + std::string(look) + "\"} 0."));
  }
  EXPECT_THAT(not_passed(merged_as("junit", once)),
              ElementsAre("gpucheck.fleet.suspect/GPU-n21 of n21: error", "gpucheck.n21.node/verdict: error"));
  EXPECT_THAT(not_passed(merged_as("junit", confirmed)),
              ElementsAre("gpucheck.fleet.suspect/GPU-n21 of n21: failure", "gpucheck.n21.node/verdict: failure"));
  EXPECT_THAT(not_passed(merged_as("junit", refuted)), IsEmpty());
}

/// The run of a node on which every text is this one: names, devices, settings, job, what was seen and said.
fleet::KeptRun run_of_texts(const std::string& text, fleet::SharedTexts& texts) {
  NodeOfTests node = failing("n2");
  node.uuids = {"GPU-1", "GPU-2"};
  node.job = harness::Job{};
  harness::CaseResult& failed = node.results.back();
  failed.warnings = failed.mismatches;
  failed.earlier_attempts = {{Outcome::hang, "late", 1}};
  failed.waiver = harness::Waiver{};
  failed.observations = {{"bad_pairs", std::string("0-1")}};
  failed.parameters = {{"size", std::int64_t{1}}};
  node.results.push_back(failed);
  node.results.back().waiver.reset();
  node.results.push_back(fleet::result_of("a.measured", Outcome::pass));
  node.results.back().measurements = {{.key = "k", .value = 1, .verdict = "pass", .source = "s"}};
  node.results.push_back(fleet::result_of("a.pairs", Outcome::pass, {0, 1}));
  node.not_run = {{.name = "a.late", .devices = {0}}};
  harness::RunStarted start = fleet::start_of(node);
  start.command_line = {"gpucheck", "run"};
  start.configuration = harness::Configuration{.path = "p", .profile = "q", .settings = {{"k", "v", 1}}};
  fill_texts(start, text);
  for (harness::DeviceIdentity& device : start.devices) device.kind = "cuda";
  start.job->engine = "slurm";
  const fleet::Waivers none;
  fleet::RunKeeper keeper(text, none, texts);
  keeper.on(std::move(start));
  harness::RunFinished end;
  for (harness::CaseResult result : node.results) {
    fill_texts(result, text);
    for (harness::Mismatch& one : result.mismatches) one.failure = "GC2001";  // a reader rejects what is not a code
    if (result.waiver) {
      if (text.empty()) fill_texts(*result.waiver, "any");  // one without words is not taken
      result.waiver->device = "any";
      result.waiver->expires = "2099-12-31";
    }
    if (result.devices.size() == 2) {
      result.observations = {{text + "_of_pairs", std::vector<double>{0, 1, 2, 0}}, {"bad_pairs", std::vector{text}}};
    }
    end.counts.add(result);
    keeper.on(harness::CaseFinished{.result = std::move(result)});
  }
  end.not_run = node.not_run;
  end.running = node.not_run;
  end.counts.not_run = 1;
  end.incomplete = "killed";
  end.waivers = {{}};
  fill_texts(end, text);
  end.exit_code = 1;
  keeper.on(std::move(end));
  return keeper.take(false);
}

/// Names and texts come from other machines.
class HostileFleet : public testing::TestWithParam<std::string> {};

TEST_P(HostileFleet, IsReportedSoundly) {
  const std::string& text = GetParam();
  const auto texts = std::make_shared<fleet::SharedTexts>();
  fleet::FleetJudge judge(texts);
  judge.add(run_of_texts(text, *texts));
  judge.add(fleet::kept(passing("n1"), *texts));
  judge.add(fleet::FileProblem{text, text});
  const Fleet fleet = judge.judge({.expected = {.count = 2}});
  EXPECT_EQ(fleet.verdict, harness::Verdict::failed);
  for (const MergedFormat& format : merged_formats()) {
    const std::string document = format.write(fleet);
    const auto is_control = [](char c) { return c >= 0 && c < ' ' && c != '\n' && c != '\t'; };
    EXPECT_TRUE(std::ranges::none_of(document, is_control)) << format.name;
    EXPECT_EQ(format.write(fleet), document) << "the same every time";
  }
  EXPECT_EQ(json_schema_complaints(merged_as("json", fleet)), "");
  const TemporaryFolder folder;
  std::ofstream(folder.file("m.xml")) << merged_as("junit", fleet);
  EXPECT_EQ(schema_complaints(folder.file("m.xml")), "");
  EXPECT_EQ(html_complaints(merged_as("html", fleet)), "");
  EXPECT_EQ(markdown_complaints(std::regex_replace(merged_as("markdown", fleet), std::regex("<br>"), "")), "");
  EXPECT_EQ(prometheus_complaints(merged_as("prometheus", fleet)), "");
  EXPECT_THAT(merged_text(fleet, true, {}), Not(HasSubstr("\x1b")));
}

INSTANTIATE_TEST_SUITE_P(Texts, HostileFleet,
                         testing::Values("\x1b[31mred", "\x1b]0;title\x07", "\xff\xfe", "]]></testsuites>", "a|b\n|c|",
                                         "<script>x</script>", "'\" onload='x'", "&#60;b>&amp;", "../../etc/passwd",
                                         std::string("a\0b", 3), "\"} 1\n# TYPE x counter", "``` `` ` @someone [a](b)",
                                         "\xE2\x80\xAE", "", " ", "-", std::string(5000, 'x')));

}  // namespace
}  // namespace gpucheck::report
