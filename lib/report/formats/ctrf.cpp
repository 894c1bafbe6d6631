#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text/sanitize.hpp"
#include "harness/run/json.hpp"
#include "report/formats/entries.hpp"
#include "report/verdict_text.hpp"
#include "report/wording.hpp"

// Common Test Report Format, as schema/ctrf.schema.json of ctrf-io/ctrf has it (08703df): times are whole milliseconds,
// members that it does not name are errors, and what is ours stands in "extra". Red is what is red in JUnit: an error
// and a case that was selected and never ran are failures here, since readers of this format take "other" and "pending"
// for no harm; "rawStatus" has our own word.
namespace gpucheck::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t output_head_bytes = std::size_t{8} * 1024;
constexpr std::size_t output_tail_bytes = std::size_t{24} * 1024;

std::int64_t whole_milliseconds(double milliseconds) {
  constexpr double most = 1e15;
  return milliseconds > 0 ? std::llround(std::min(milliseconds, most)) : 0;
}

std::string_view status_of(Standing standing) {
  switch (standing) {
    case Standing::passed:
    case Standing::warned:
      return "passed";
    case Standing::waived:
    case Standing::skipped:
      return "skipped";
    default:
      return "failed";
  }
}

Json lines_of(std::string_view raw) {
  Json lines = Json::array();
  const std::string text = clean_text(cut_middle(raw, output_head_bytes, output_tail_bytes));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

void add_attempts_to(Json& test, const harness::CaseResult& result) {
  if (result.earlier_attempts.empty()) return;
  test["retries"] = result.earlier_attempts.size();
  if (result.flaky) test["flaky"] = true;
  Json& attempts = test["retryAttempts"] = Json::array();
  for (const harness::Attempt& attempt : result.earlier_attempts) {
    attempts.push_back({{"attempt", attempts.size() + 1},
                        {"status", attempt.outcome == harness::Outcome::skip ? "skipped" : "failed"},
                        {"duration", whole_milliseconds(attempt.duration_ms)},
                        {"message", one_line(attempt.reason)}});
  }
}

void add_result_to(Json& test, const harness::CaseResult& result) {
  add_attempts_to(test, result);
  const bool with_output = result.outcome != harness::Outcome::pass && result.outcome != harness::Outcome::skip;
  if (with_output && !result.output_tail.empty()) test["stdout"] = lines_of(result.output_tail);
  if (with_output && !result.error_tail.empty()) test["stderr"] = lines_of(result.error_tail);
  if (!result.parameters.empty()) test["parameters"] = harness::to_json(result.parameters);
  Json failures = Json::array();
  for (const harness::FailureKind* kind : harness::failures_of(result)) failures.push_back(kind->code);
  test["extra"] = {{"seed", result.seed}, {"devices", result.devices}, {"failures", std::move(failures)}};
}

Json test_of(const RunSet& set, const Entry& entry) {
  const std::string host = set.is_one_run() || entry.run >= set.labels.size() ? "" : one_line(set.labels[entry.run]);
  Json suite = Json::array({"gpucheck"});
  if (!host.empty()) suite.push_back(host);
  suite.push_back(entry.place.empty() ? "comparison" : entry.place);
  Json test{{"name", entry.name.empty() ? "(no name)" : entry.name},
            {"status", status_of(entry.standing)},
            {"duration", entry.result == nullptr ? 0 : whole_milliseconds(entry.result->duration_ms)},
            {"suite", std::move(suite)}};
  if (!entry.message.empty()) test["message"] = entry.message;
  if (!entry.details.empty()) test["trace"] = entry.details;
  test["rawStatus"] = entry.standing == Standing::waived ? "waived" : entry.word;
  if (entry.result != nullptr) add_result_to(test, *entry.result);
  return test;
}

Json run_extra(const RunSet& set, std::size_t index) {
  const fleet::RunRecord& run = set.runs[index];
  Json extra{{"host_name", run.start.host_name},
             {"exit_code", run.end.exit_code},
             {"seed", run.start.settings.seed},
             {"command_line", run.start.command_line},
             {"incomplete", run.end.incomplete.empty() ? Json() : Json(run.end.incomplete)}};
  if (run.start.configuration) extra["config"] = harness::to_json(*run.start.configuration);
  if (run.start.job) extra["job"] = harness::to_json(*run.start.job);
  if (!set.is_one_run()) extra["label"] = set.labels[index];
  Json& devices = extra["devices"] = Json::array();
  for (const harness::DeviceIdentity& device : run.start.devices) devices.push_back(harness::to_json(device));
  return extra;
}

/// From the first run's start to the last one's end.
std::pair<std::int64_t, std::int64_t> span_of(const RunSet& set) {
  const auto start_of = [](const fleet::RunRecord& run) {
    const auto since_1970 = run.start.start_time.time_since_epoch();
    return std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count(), 0);
  };
  std::int64_t start = start_of(set.runs.front());
  std::int64_t stop = start;
  for (const fleet::RunRecord& run : set.runs) {
    start = std::min(start, start_of(run));
    stop = std::max(stop, start_of(run) + whole_milliseconds(run.end.duration_ms));
  }
  return {start, stop};
}

Json summary_of(const RunSet& set, const Json& tests) {
  const auto with = [&tests](std::string_view status) {
    return std::ranges::count_if(tests, [status](const Json& test) { return test["status"] == status; });
  };
  const auto [start, stop] = span_of(set);
  Json extra{
      {"exit_code", set.exit_code}, {"verdict", harness::to_text(verdict_of(set.exit_code))}, {"runs", Json::array()}};
  for (std::size_t i = 0; i < set.runs.size(); ++i) extra["runs"].push_back(run_extra(set, i));
  return {{"tests", tests.size()},
          {"passed", with("passed")},
          {"failed", with("failed")},
          {"skipped", with("skipped")},
          {"pending", 0},
          {"other", 0},
          {"flaky", std::ranges::count_if(tests, [](const Json& test) { return test.contains("flaky"); })},
          {"start", start},
          {"stop", stop},
          {"duration", stop - start},
          {"extra", std::move(extra)}};
}

}  // namespace

std::string ctrf_report(RunSet set) {
  const std::vector<Entry> entries = entries_of(set);
  Json tests = Json::array();
  for (const Entry& entry : entries) tests.push_back(test_of(set, entry));
  Json summary = summary_of(set, tests);
  const std::string& version = set.runs.front().start.version;
  const Json document{{"reportFormat", "CTRF"},
                      {"specVersion", "1.0.0"},
                      {"generatedBy", "gpucheck"},
                      {"results",
                       {{"tool", {{"name", "gpucheck"}, {"version", version}}},
                        {"summary", std::move(summary)},
                        {"tests", std::move(tests)},
                        {"environment", {{"healthy", set.exit_code == 0}}}}}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpucheck::report
