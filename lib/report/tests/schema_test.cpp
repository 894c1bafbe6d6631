#include "schema.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/run_set.hpp"
#include "report/sinks.hpp"
#include "sample_run.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

using nlohmann::json;

/// A run whose every field holds something unusual.
fleet::RunRecord odd_run() {
  fleet::RunRecord run{.start = sample_start(), .results = {}, .end = sample_end()};
  harness::CaseResult result;
  result.warnings = {{"persistent", "true", "false", "vendor", "GC1003"}};
  result.name = "a.\xff";
  result.outcome = harness::Outcome::crash;
  result.waiver = {"a.*", "any", "reason", "owner", "2026-12-31"};
  result.duration_ms = std::numeric_limits<double>::infinity();
  result.observations = {{"loss", std::vector<double>{0.5, std::numeric_limits<double>::quiet_NaN()}}, {"ok", true}};
  result.parameters = {{"a", 1.5}, {"b", std::string("\xff")}};
  result.fault = "drop_event";
  result.exit_code = 3;
  result.signal = 9;
  result.earlier_attempts = {{harness::Outcome::error, "\xff", 1}};
  run.results = {result};
  run.end.incomplete = "killed";
  run.end.running = {{.name = "x", .devices = {0, 1}, .repetition = 1}};
  run.end.waivers = {{*result.waiver, "expired"}};
  return run;
}

TEST(Schema, OfResults) {
  EXPECT_EQ(json_schema_complaints(approved("result.approved.json")), "");
  EXPECT_EQ(json_schema_complaints(json_document(odd_run())), "");
  EXPECT_EQ(json_schema_complaints(json_document({})), "");
}

TEST(Schema, OfSeveralRuns) {
  EXPECT_EQ(json_schema_complaints(fleet_json_document({odd_run(), {}}, 3)), "");
  EXPECT_NE(json_schema_complaints(R"({"schema": "gpucheck.fleet/1", "exit_code": 0, "runs": [{}]})"), "");
}

TEST(Schema, OfJournals) {
  EXPECT_EQ(journal_schema_complaints(sample_journal()), "");
  const TemporaryFolder folder;
  {
    const auto sink = make_journal(folder.file("j"), [](const std::string& what) { FAIL() << what; });
    sink->on(odd_run().start);
    sink->on(harness::CaseFinished{odd_run().results.front(), 1, 1});
    sink->on(odd_run().end);
  }
  EXPECT_EQ(journal_schema_complaints(read_file(folder.file("j"))), "");
}

TEST(Schema, OfWaivers) {
  EXPECT_EQ(json_schema_complaints(R"({"waivers": [{"case": "a.b", "device": "any", "reason": "r", "owner": "o",
                                      "expires": "2026-12-31"}]})",
                                   "waivers"),
            "");
  EXPECT_NE(json_schema_complaints(R"({"waivers": [{"case": "a.b"}]})", "waivers"), "");
  EXPECT_NE(json_schema_complaints(R"({"waivers": []})", "waivers"), "");
}

/// Every field, in turn, is missing, has another type, or has company.
void expect_each_member_checked(const json& document, const std::string& schema) {
  ASSERT_EQ(json_schema_complaints(document.dump(), schema), "");
  for (const auto& [name, value] : document.items()) {
    json without = document;
    without.erase(name);
    EXPECT_NE(json_schema_complaints(without.dump(), schema), "") << name << " is missing";
    json changed = document;
    changed[name] = json::array({json::array()});
    EXPECT_NE(json_schema_complaints(changed.dump(), schema), "") << name << " is something else";
    json more = document;
    more[name + "_too"] = 1;
    EXPECT_NE(json_schema_complaints(more.dump(), schema), "") << "something besides " << name;
  }
}

TEST(Schema, NoticesEveryMember) {
  expect_each_member_checked(json::parse(approved("result.approved.json")), "result");
  const std::string journal = sample_journal();
  expect_each_member_checked(json::parse(journal.substr(0, journal.find('\n'))), "journal");
}

}  // namespace
}  // namespace gpucheck::report
