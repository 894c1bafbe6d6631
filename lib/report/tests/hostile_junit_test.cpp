// What consumers of JUnit files choke on, each checked by the schema and by reading the
// file back.
#include <gtest/gtest.h>
#include <pugixml.hpp>
#include <set>
#include <string>

#include "report/sinks.hpp"
#include "sample_run.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

harness::CaseResult result_with(const std::string& text, harness::Outcome outcome) {
  harness::CaseResult result;
  result.name = "group." + text;
  result.outcome = outcome;
  result.reason = result.fault = result.output_tail = result.error_tail = result.rerun_command = text;
  result.observations = {{text, text}};
  result.mismatches = {{text, text, text, text}};
  result.earlier_attempts = {{harness::Outcome::fail, text, 1}, {harness::Outcome::crash, text, -1}};
  return result;
}

/// Writes a run in which every text there can be is `text`, under every outcome.
void write_report(const std::string& path, const std::string& text) {
  using harness::Outcome;
  const auto sink = make_junit(path);
  harness::RunStarted start;
  start.version = start.host_name = text;
  start.command_line = {text};
  harness::DeviceIdentity& device = start.devices.emplace_back();
  device.kind = device.name = device.uuid = device.note = text;
  sink->on(start);
  for (const Outcome outcome :
       {Outcome::pass, Outcome::fail, Outcome::error, Outcome::crash, Outcome::hang, Outcome::skip}) {
    harness::CaseFinished event;
    event.result = result_with(text, outcome);
    sink->on(event);
  }
  harness::RunFinished end;
  end.not_run = {{.name = text}, {.name = "group." + text}};
  sink->on(end);
}

class HostileJunit : public testing::TestWithParam<std::string> {};

TEST_P(HostileJunit, IsValid) {
  const TemporaryFolder folder;
  const std::string path = folder.file("junit.xml");
  write_report(path, GetParam());
  EXPECT_EQ(schema_complaints(path), "");
  pugi::xml_document document;
  ASSERT_TRUE(document.load_file(path.c_str()));
  EXPECT_EQ(document.select_nodes("//testcase").size(), 8U);
  EXPECT_STREQ(document.child("testsuites").attribute("tests").value(), "8");
  EXPECT_STREQ(document.child("testsuites").attribute("failures").value(), "1");
  EXPECT_STREQ(document.child("testsuites").attribute("errors").value(), "5");  // error, crash, hang, two not run
}

INSTANTIATE_TEST_SUITE_P(Texts, HostileJunit,
                         testing::Values("", " ", "\n", "a\nb\tc\r\nd\re", "]]>", "<![CDATA[x]]>", "</testsuites>",
                                         "&amp;&#27;&", "\"'<>", "\x1b[31mred\x1b[0m", "\x1b]0;t", "\xff\xfe\x80",
                                         "\xEF\xBF\xBF\xEF\xBF\xBE", "\xED\xA0\x80", std::string("a\0b", 3),
                                         "\x01\x02\x7f", "\xC2\x85\xE2\x80\xA8", ".", "..", "<!--", "--",
                                         std::string(5000, 'x')));

TEST(HostileJunit, NewlinesInMessagesReadBackAsSpaces) {
  const TemporaryFolder folder;
  write_report(folder.file("junit.xml"), "one\n\ttwo");
  pugi::xml_document document;
  ASSERT_TRUE(document.load_file(folder.file("junit.xml").c_str()));
  EXPECT_STREQ(document.select_node("//failure").node().attribute("message").value(), "one two");
}

// Consumers keep only the first of several of one name.
TEST(HostileJunit, ResultsOfOneNameAreToldApart) {
  const TemporaryFolder folder;
  write_report(folder.file("junit.xml"), "text");
  pugi::xml_document document;
  ASSERT_TRUE(document.load_file(folder.file("junit.xml").c_str()));
  std::set<std::string> names;
  for (const pugi::xpath_node& found : document.select_nodes("//testcase")) {
    const pugi::xml_node testcase = found.node();
    names.insert(testcase.attribute("classname").value() + std::string(" ") + testcase.attribute("name").value());
  }
  EXPECT_EQ(names.size(), 8U);
}

TEST(HostileJunit, OutputIsOfThoseThatWentWrong) {
  const TemporaryFolder folder;
  write_report(folder.file("junit.xml"), "text");
  pugi::xml_document document;
  ASSERT_TRUE(document.load_file(folder.file("junit.xml").c_str()));
  EXPECT_EQ(document.select_nodes("//testcase[failure or error]/system-out").size(), 4U);
  EXPECT_EQ(document.select_nodes("//system-out").size(), 4U) << "none of the pass, of the skip, of those not run";
}

TEST(HostileJunit, DetailsHoldTheEndOfStderrExactlyToItsLimit) {
  constexpr std::size_t limit = std::size_t{24} * 1024;
  for (const std::size_t beyond : {std::size_t{0}, std::size_t{1}}) {
    const TemporaryFolder folder;
    const std::string path = folder.file("junit.xml");
    const auto sink = make_junit(path);
    sink->on(sample_start());
    harness::CaseFinished event;
    event.result.name = "a.b";
    event.result.outcome = harness::Outcome::crash;
    event.result.error_tail = "S" + std::string(limit - 1 + beyond, 'x');
    sink->on(event);
    sink->on(harness::RunFinished{});
    pugi::xml_document document;
    ASSERT_TRUE(document.load_file(path.c_str()));
    const std::string details = document.select_node("//testcase/error").node().text().get();
    EXPECT_NE(details.find("stderr:\n"), std::string::npos);
    EXPECT_EQ(details.find("stderr:\nS") == std::string::npos, beyond != 0);
  }
}

TEST(HostileJunit, KeepsHeadAndTailOfAHundredMegabytes) {
  constexpr std::size_t length = 100'000'000;
  const TemporaryFolder folder;
  const std::string path = folder.file("junit.xml");
  {
    const auto sink = make_junit(path);
    sink->on(sample_start());
    harness::CaseFinished event;
    event.result.name = "a.b";
    event.result.outcome = harness::Outcome::crash;
    event.result.output_tail = "first\n" + std::string(length, '\x1b') + "\nlast\n";
    event.result.error_tail = std::string(length, '\xff');
    event.result.reason = std::string(length, '<');
    sink->on(event);
    sink->on(harness::RunFinished{});
  }
  EXPECT_LT(std::filesystem::file_size(path), 1'000'000U);
  EXPECT_EQ(schema_complaints(path), "");
  const std::string text = read_file(path);
  EXPECT_NE(text.find("stdout:\nfirst\n"), std::string::npos);
  EXPECT_NE(text.find("\nlast\n"), std::string::npos);
  EXPECT_NE(text.find(" bytes cut ...]"), std::string::npos);
}

TEST(HostileJunit, TimesArePlainSeconds) {
  const TemporaryFolder folder;
  const std::string path = folder.file("junit.xml");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto sink = make_junit(path);
  sink->on(sample_start());
  int repetition = 0;
  for (const double duration : {0.0, 1e-7, -5.0, nan, 1e300, 1234567.8, std::numeric_limits<double>::infinity()}) {
    harness::CaseFinished event;
    event.result.name = "a.b";
    event.result.outcome = harness::Outcome::pass;
    event.result.duration_ms = duration;
    event.result.repetition = repetition++;
    sink->on(event);
  }
  harness::RunFinished end;
  end.duration_ms = nan;
  sink->on(end);
  EXPECT_EQ(schema_complaints(path), "");
  pugi::xml_document document;
  ASSERT_TRUE(document.load_file(path.c_str()));
  std::vector<std::string> times;
  for (const auto& found : document.select_nodes("//testcase/@time")) times.emplace_back(found.attribute().value());
  EXPECT_EQ(times, (std::vector<std::string>{"0.000", "0.000", "0.000", "0.000", "1000000000.000", "1234.568",
                                             "1000000000.000"}));
}

}  // namespace
}  // namespace gpucheck::report
