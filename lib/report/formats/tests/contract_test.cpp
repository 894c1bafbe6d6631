// What every report keeps to, whatever a run holds. A new format is a row of the table and has to say here how a reader
// of it would take it for broken.
#include <algorithm>
#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "base/text/utf8.hpp"
#include "format_checks.hpp"
#include "report/formats/formats.hpp"
#include "report/run_set.hpp"
#include "schema.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;

harness::CaseResult bare_result(const std::string& name, Outcome outcome, const std::string& reason = {}) {
  harness::CaseResult result;
  result.name = name;
  result.devices = {0};
  result.outcome = outcome;
  result.reason = reason;
  return result;
}

constexpr std::array all_outcomes{Outcome::pass,  Outcome::fail, Outcome::error,
                                  Outcome::crash, Outcome::hang, Outcome::skip};

std::string junit_complaints(const std::string& document) {
  const TemporaryFolder folder;
  std::FILE* const file = std::fopen(folder.file("junit.xml").c_str(), "wb");
  std::fwrite(document.data(), 1, document.size(), file);
  std::fclose(file);
  return schema_complaints(folder.file("junit.xml"));
}

/// What is wrong with a document; empty when nothing is.
using Check = std::function<std::string(const std::string&)>;

const std::map<std::string_view, Check>& checks() {
  static const std::map<std::string_view, Check> all{
      {"json", [](const std::string& document) { return json_schema_complaints(document); }},
      {"junit", junit_complaints},
      {"ctrf", ctrf_complaints},
      {"github", github_complaints},
      {"html", html_complaints},
      {"markdown", markdown_complaints},
      {"prometheus", prometheus_complaints},
  };
  return all;
}

std::vector<const Format*> documents() {
  std::vector<const Format*> found;
  for (const Format& format : formats()) {
    if (format.write != nullptr) found.push_back(&format);
  }
  return found;
}

/// A run on two devices in which every text there can be is `text`, under every outcome, once waived, once with a
/// warning, and with cases that never ran.
fleet::RunRecord hostile_run(const std::string& text) {
  fleet::RunRecord run;
  run.start.version = run.start.host_name = text;
  run.start.command_line = {text};
  run.start.configuration = {.path = text, .profile = text, .settings = {{text, text, 1}, {text, text, 1}}};
  for (const int index : {0, 1}) {
    harness::DeviceIdentity& device = run.start.devices.emplace_back();
    device.index = index;
    device.kind = "sim";
    device.name = device.uuid = device.pci_bus_id = device.note = device.problem = text;
  }
  for (const Outcome outcome : all_outcomes) {
    for (const std::vector<int>& devices : {std::vector<int>{0}, std::vector<int>{0, 1}, std::vector<int>{}}) {
      harness::CaseResult& result = run.results.emplace_back();
      result.name = "group." + text;
      result.outcome = outcome;
      result.devices = devices;
      result.reason = result.fault = result.output_tail = result.error_tail = result.rerun_command = text;
      result.observations = {{text, text}};
      result.mismatches = result.warnings = {{text, text, text, text, "GC2001"}};
      result.measurements = {{.key = text, .value = 1, .verdict = "warn", .source = text}};
      result.earlier_attempts = {{Outcome::fail, text, 1}, {Outcome::crash, text, -1}};
      if (devices.empty()) result.waiver = {"g*" + text, "any", "r" + text, "o" + text, "2026-12-31"};
    }
  }
  run.end.not_run = {{.name = text}, {.name = "group." + text, .devices = {1}}};
  run.end.running = {{.name = text}};
  run.end.counts = {.pass = 3, .fail = 3, .error = 3, .crash = 3, .hang = 3, .skip = 3, .waived = 3, .not_run = 3};
  run.end.incomplete = text;
  run.end.exit_code = 1;
  run.end.comparisons = {
      {.case_name = text,
       .key = text,
       .model = text,
       .verdict = "fail",
       .reason = text,
       .failure = "GC2001",
       .values = {{.device = 0, .value = text, .verdict = "fail"}, {.device = 1, .value = text, .verdict = "pass"}}}};
  return run;
}

#ifdef GPUCHECK_TEST_SANITIZED  // which takes ten times as long
constexpr std::size_t long_text = 500;
#else
constexpr std::size_t long_text = 5000;
#endif

class HostileReport : public testing::TestWithParam<std::string> {};

void expect_sound(const Format& format, RunSet set) {
  SCOPED_TRACE(format.name);
  const std::string document = format.write(set);
  ASSERT_NE(document, "");
  EXPECT_TRUE(document.ends_with('\n'));
  EXPECT_EQ(to_valid_utf8(document), document);
  const auto is_control = [](char c) { return c >= 0 && c < ' ' && c != '\n' && c != '\t'; };
  EXPECT_TRUE(std::ranges::none_of(document, is_control));
  EXPECT_EQ(format.write(set), document) << "the same every time";
  ASSERT_TRUE(checks().contains(format.name)) << "how would a reader take it for broken?";
  EXPECT_EQ(checks().at(format.name)(document), "");
}

TEST_P(HostileReport, IsSound) {
  for (const Format* format : documents()) expect_sound(*format, only(hostile_run(GetParam())));
}

TEST_P(HostileReport, OfSeveralRunsIsSound) {
  const fleet::RunRecord run = hostile_run(GetParam());
  RunSet set{.runs = {run, run}, .labels = {GetParam(), GetParam()}, .exit_code = 1};
  set.across.comparisons = run.end.comparisons;
  set.across.subjects = {{.run = 0, .host = GetParam(), .device = run.start.devices[0]},
                         {.run = 1, .host = GetParam(), .device = run.start.devices[1]}};
  for (const Format* format : documents()) expect_sound(*format, set);
}

INSTANTIATE_TEST_SUITE_P(Texts, HostileReport,
                         testing::Values("", " ", "\n", "a\nb\tc\r\nd\re", "]]>", "</testsuites>", "&amp;&#27;&",
                                         "\"'<>", "\x1b[31mred\x1b[0m", "\xff\xfe\x80", "\xEF\xBF\xBF", "\xED\xA0\x80",
                                         std::string("a\0b", 3), "\x01\x02\x7f", "\xC2\x85\xE2\x80\xA8", "::error::x",
                                         "\n::error::x\n", "%0A::stop-commands::x,:%", "a|b\\|c\\\\|d", "`", "``` ````",
                                         "</details></summary><script>alert(1)</script>", "@someone #1 [a](http://b)",
                                         "\\", "\"} 1\n# TYPE x counter\nx{a=\"", "# HELP", "{}", "*_~#",
                                         std::string(long_text, 'x'), std::string(long_text, '`')));

TEST(EveryReport, IsSoundOfARunWithoutResults) {
  for (const Format* format : documents()) expect_sound(*format, only({}));
}

TEST(EveryReport, SaysWhatIsRedAndWhy) {
  for (const Format* format : documents()) {
    for (const Outcome outcome : {Outcome::fail, Outcome::error, Outcome::crash, Outcome::hang}) {
      fleet::RunRecord run;
      run.results.push_back(bare_result("group.culprit", outcome, "becauseofthat"));
      run.end.exit_code = 1;
      const std::string document = format->write(only(run));
      EXPECT_NE(document.find("culprit"), std::string::npos) << format->name << " of " << to_text(outcome);
      EXPECT_NE(document.find(to_text(outcome)), std::string::npos) << format->name << " of " << to_text(outcome);
      const bool has_room = format->name != "prometheus";  // a reason cannot be a label: it would make new series
      EXPECT_EQ(document.find("becauseofthat") != std::string::npos, has_room) << format->name;
    }
    fleet::RunRecord run;
    run.end.not_run = {{.name = "group.culprit", .devices = {0}}};
    run.end.counts.not_run = 1;
    run.end.exit_code = 3;
    EXPECT_NE(format->write(only(run)).find("culprit"), std::string::npos) << format->name;
  }
}

TEST(EveryReport, TellsOneOutcomeFromAnother) {
  for (const Format* format : documents()) {
    std::map<std::string, Outcome> seen;
    for (const Outcome outcome : all_outcomes) {
      fleet::RunRecord run;
      harness::CaseResult result = bare_result("a.b", outcome);
      run.end.counts.add(result);
      run.results.push_back(std::move(result));
      const auto [first, is_new] = seen.try_emplace(format->write(only(run)), outcome);
      EXPECT_TRUE(is_new) << format->name << ": " << to_text(outcome) << " reads like " << to_text(first->second);
    }
  }
}

TEST(EveryReport, NamesEachHostOfSeveral) {
  fleet::RunRecord first;
  first.results.push_back(bare_result("a.b", Outcome::fail));
  first.start.host_name = "hostone";
  fleet::RunRecord second = first;
  second.start.host_name = "hosttwo";
  for (const Format* format : documents()) {
    const std::string document =
        format->write({.runs = {first, second}, .labels = {"hostone", "hosttwo"}, .exit_code = 1});
    EXPECT_NE(document.find("hostone"), std::string::npos) << format->name;
    EXPECT_NE(document.find("hosttwo"), std::string::npos) << format->name;
  }
}

// A verdict must not depend on a file that nobody noticed.
TEST(EveryReport, NamesTheConfigurationFileAndWhatItDecided) {
  fleet::RunRecord run;
  for (const Format* format : documents()) {
    EXPECT_EQ(format->write(only(run)).find("config"), std::string::npos) << format->name;
  }
  run.start.configuration = {.path = "/site/checks.toml", .profile = "nightly", .settings = {{"max_skips", "17", 3}}};
  for (const Format* format : documents()) {
    const std::string document = format->write(only(run));
    for (const char* word : {"/site/checks.toml", "nightly", "max_skips", "17"}) {
      EXPECT_NE(document.find(word), std::string::npos) << format->name << ": " << word;
    }
    fleet::RunRecord other = run;
    other.start.configuration->path = "/other.toml";
    const std::string both = format->write({.runs = {run, other}, .labels = {"one", "two"}, .exit_code = 0});
    EXPECT_NE(both.find("/site/checks.toml"), std::string::npos) << format->name;
    EXPECT_NE(both.find("/other.toml"), std::string::npos) << format->name;
  }
}

TEST(EveryReport, NamesAConfigurationFileThatDecidedNothing) {
  fleet::RunRecord run;
  run.results.push_back(bare_result("a.b", Outcome::pass));
  run.start.configuration = {.path = "/site/checks.toml", .profile = "", .settings = {}};
  for (const Format* format : documents()) {
    EXPECT_NE(format->write(only(run)).find("/site/checks.toml"), std::string::npos) << format->name;
  }
}

TEST(EveryReport, OfTenMegabytesOfOutputStaysSmall) {
  fleet::RunRecord run;
  harness::CaseResult& result = run.results.emplace_back();
  result.name = "a.b";
  result.outcome = Outcome::crash;
  result.output_tail = result.error_tail = std::string(10'000'000, '\xff');
  for (const Format* format : documents()) {
    EXPECT_LT(format->write(only(run)).size(), 1'000'000U) << format->name;
  }
}

/// GitHub shows nothing at all of a step's summary of more than 1 MiB.
TEST(Markdown, OfManyRunsThatFailedStaysWithinWhatGitHubTakes) {
  RunSet set;
  for (int i = 0; i < 1500; ++i) {
    fleet::RunRecord& run = set.runs.emplace_back();
    run.start.host_name = set.labels.emplace_back("node" + std::to_string(i));
    run.results.push_back(bare_result("a.bad", Outcome::fail, std::string(1000, 'x')));
    run.end.counts.fail = 1;
    run.end.exit_code = 1;
  }
  set.exit_code = 1;
  const std::string text = find_format("markdown")->write(std::move(set));
  EXPECT_GT(text.size(), 800'000U) << "as much as there is room for";
  EXPECT_LT(text.size(), 1'000'000U);
  EXPECT_NE(text.find("node0"), std::string::npos);
  EXPECT_TRUE(text.ends_with("More results are left out here; a JSON report has all.\n"));
}

TEST(Formats, HaveNamesThatAnOptionCanHave) {
  for (const Format& format : formats()) {
    EXPECT_EQ(find_format(format.name), &format);
    EXPECT_EQ(format.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos);
    EXPECT_NE(format.summary, "");
  }
  EXPECT_EQ(find_format("xml"), nullptr);
  EXPECT_EQ(formats().back().name, "json") << "it says the exit code of the process, and so learns of the end last";
}

}  // namespace
}  // namespace gpucheck::report
