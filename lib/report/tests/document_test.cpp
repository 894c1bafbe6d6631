// The whole output of each reporter on one run that holds every outcome, against files
// written by hand.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/sinks.hpp"
#include "sample_run.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

std::string console_text(ConsoleOptions options) {
  const MemoryStream stream;
  options.stream = stream.get();
  play_sample_run(*make_console(options));
  return stream.text();
}

TEST(ApprovedOutput, OfTheConsole) { EXPECT_EQ(console_text({}), approved("console.approved.txt")); }

TEST(ApprovedOutput, OfTheVerboseConsole) {
  EXPECT_EQ(console_text({.verbose = true}), approved("console_verbose.approved.txt"));
}

TEST(ApprovedOutput, OfTheQuietConsole) {
  EXPECT_EQ(console_text({.quiet = true}), approved("console_quiet.approved.txt"));
}

TEST(ApprovedOutput, OfTheJsonReport) {
  const TemporaryFolder folder;
  play_sample_run(*make_json(folder.file("result.json")));
  EXPECT_EQ(read_file(folder.file("result.json")), approved("result.approved.json"));
}

TEST(ApprovedOutput, OfTheJunitReport) {
  const TemporaryFolder folder;
  play_sample_run(*make_junit(folder.file("junit.xml")));
  EXPECT_EQ(read_file(folder.file("junit.xml")), approved("junit.approved.xml"));
  EXPECT_EQ(schema_complaints(folder.file("junit.xml")), "");
}

harness::CaseFinished finished_case(const std::string& name, int repetition = 0) {
  harness::CaseFinished event;
  event.result.name = name;
  event.result.outcome = harness::Outcome::pass;
  event.result.repetition = repetition;
  return event;
}

TEST(JunitReport, NamesEveryRepetitionAndFaultOnce) {
  const TemporaryFolder folder;
  {
    const auto sink = make_junit(folder.file("junit.xml"));
    sink->on(sample_start());
    sink->on(finished_case("a.b", 2));
    sink->on(finished_case("a.b", 0));
    harness::CaseFinished under_fault = finished_case("a.b");
    under_fault.result.fault = "drop_event";
    sink->on(under_fault);
    harness::RunFinished end;
    end.not_run = {{.name = "a.b", .repetition = 1},
                   {.name = "a.b", .repetition = 3}};  // the second repetition, and a fourth
    sink->on(end);
  }
  const std::string text = read_file(folder.file("junit.xml"));
  for (const char* name : {"\"b\"", "\"b#2\"", "\"b#3\"", "\"b#4\"", "\"b[drop_event]\""}) {
    const std::size_t found = text.find(std::string(" name=") + name);
    ASSERT_NE(found, std::string::npos) << name << " in\n" << text;
    EXPECT_EQ(text.find(std::string(" name=") + name, found + 1), std::string::npos) << name;
  }
}

TEST(Documents, ShowAWaivedFailureAsWhatItIs) {
  const TemporaryFolder folder;
  harness::CaseFinished failed = finished_case("a.b");
  failed.result.outcome = harness::Outcome::hang;
  failed.result.reason = "not finished within its deadline of 100 ms";
  failed.result.waiver = {"a.*", "any", "known", "node team", "2026-12-31"};
  harness::RunFinished end;
  end.counts = {.hang = 1, .waived = 1};
  end.waivers = {{*failed.result.waiver, "used"}};
  for (const auto& make : {make_json, make_junit}) {
    const auto sink = make(folder.file(make == make_json ? "result.json" : "junit.xml"));
    sink->on(harness::RunStarted{});
    sink->on(failed);
    sink->on(end);
  }
  EXPECT_EQ(schema_complaints(folder.file("junit.xml")), "");
  const std::string junit = read_file(folder.file("junit.xml"));
  EXPECT_NE(junit.find("<skipped type=\"waived\" message=\"waived by node team until 2026-12-31: known; hang: not "
                       "finished within its deadline of 100 ms\">"),
            std::string::npos)
      << junit;
  EXPECT_NE(junit.find("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""), std::string::npos) << junit;
  const auto document = nlohmann::json::parse(read_file(folder.file("result.json")));
  EXPECT_EQ(document["cases"].at(0)["outcome"], "hang");
  EXPECT_EQ(document["cases"].at(0)["waiver"]["owner"], "node team");
  EXPECT_EQ(document["counts"]["waived"], 1);
  EXPECT_EQ(document["waivers"].at(0)["state"], "used");
}

TEST(Documents, OfARunWithoutCasesAreWhole) {
  const TemporaryFolder folder;
  for (const auto& make : {make_json, make_junit}) {
    const auto sink = make(folder.file(make == make_json ? "result.json" : "junit.xml"));
    sink->on(harness::RunStarted{});
    sink->on(harness::RunFinished{});
  }
  EXPECT_EQ(schema_complaints(folder.file("junit.xml")), "");
  const auto document = nlohmann::json::parse(read_file(folder.file("result.json")));
  EXPECT_EQ(document.at("cases"), nlohmann::json::array());
  EXPECT_EQ(document.at("not_run"), nlohmann::json::array());
  EXPECT_TRUE(document.at("interrupted_by_signal").is_null());
}

TEST(JsonReport, WritesNumbersThatJsonLacksAsTexts) {
  const TemporaryFolder folder;
  {
    const auto sink = make_json(folder.file("result.json"));
    sink->on(harness::RunStarted{});
    harness::CaseFinished event = finished_case("a.b");
    constexpr double infinity = std::numeric_limits<double>::infinity();
    event.result.observations = {{"loss", std::vector<double>{0.5, -infinity, infinity - infinity}}};
    event.result.duration_ms = infinity;
    event.result.seed = std::numeric_limits<std::uint64_t>::max();
    sink->on(event);
    sink->on(harness::RunFinished{});
  }
  const auto document = nlohmann::json::parse(read_file(folder.file("result.json")));
  const auto& only = document.at("cases").at(0);
  const auto loss = only.at("observations").at("loss");
  EXPECT_EQ(loss.at(0), 0.5);
  EXPECT_EQ(loss.at(1), "-inf");
  EXPECT_TRUE(loss.at(2) == "nan" || loss.at(2) == "-nan");
  EXPECT_EQ(only.at("duration_ms"), "inf");
  EXPECT_EQ(only.at("seed").get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
}

TEST(JsonReport, SurvivesBytesThatAreNoText) {
  const TemporaryFolder folder;
  {
    const auto sink = make_json(folder.file("result.json"));
    harness::RunStarted start;
    start.host_name = "n\xff";
    start.command_line = {"\xc3"};
    start.devices.emplace_back().name = "\xed\xa0\x80";
    sink->on(start);
    harness::CaseFinished event = finished_case("a.\xff");
    event.result.outcome = harness::Outcome::crash;
    event.result.reason = "r\xff";
    event.result.error_tail = "e\xff";
    event.result.observations = {{"k\xff", std::string("v\xff")}};
    event.result.mismatches = {{"k\xff", "e\xff", "s\xff", "b\xff"}};
    event.result.earlier_attempts = {{harness::Outcome::fail, "a\xff", 1}};
    event.result.parameters = {{"p\xff", std::string("\xff")}};
    sink->on(event);
    harness::RunFinished end;
    end.not_run = {{.name = "\xff"}};
    sink->on(end);
  }
  const auto document = nlohmann::json::parse(read_file(folder.file("result.json")));
  EXPECT_EQ(document.at("cases").at(0).at("error_tail"), "e\xEF\xBF\xBD");
  EXPECT_EQ(document.at("host_name"), "n\xEF\xBF\xBD");
}

}  // namespace
}  // namespace gpucheck::report
