// What a journal says is checked against what it holds.
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "journal_text.hpp"
#include "report/journal/journal.hpp"
#include "report/run_set.hpp"
#include "sample_run.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseResult;
using harness::Outcome;
using ::nlohmann::ordered_json;

std::string why_rejected(const std::string& text) {
  try {
    static_cast<void>(parse_journal(text, "run.journal"));
  } catch (const EnvironmentError& problem) {
    return problem.what();
  }
  return "accepted";
}

/// A run of three repetitions on two devices that ends with 0: a pass, a flaky one, a measured one, a waived failure.
class PassingRun {
 public:
  PassingRun() {
    start_.devices.push_back(start_.devices.front());
    start_.devices[1].index = start_.devices[1].ordinal = 1;
    start_.devices[1].uuid = "GPU-00000000-0000-0000-0000-000000000002";
    results_ = {result_of("a.plain", Outcome::pass, {0}), result_of("a.plain", Outcome::pass, {1}),
                result_of("a.flaky", Outcome::pass, {0}), result_of("a.measured", Outcome::pass, {0, 1}),
                result_of("a.known", Outcome::fail, {1}), result_of("a.known", Outcome::skip, {0}),
                result_of("a.again", Outcome::pass, {1})};
    results_[2].flaky = true;
    results_[2].earlier_attempts = {{Outcome::hang, "too long", 12.5}};
    results_[3].observations = {{"copy_gbps", 2600.0}};
    results_[3].measurements = {{.key = "copy_gbps",
                                 .value = 2600,
                                 .verdict = "warn",
                                 .fail_below = 2400,
                                 .warn_below = 2700,
                                 .fail_above = 9000,
                                 .best = 3000,
                                 .source = "data sheet"}};
    results_[4].waiver = harness::Waiver{"a.known", start_.devices[1].uuid, "reason", "owner", "2026-12-31"};
    start_.selected.clear();
    for (const CaseResult& result : results_) start_.selected.push_back(selected_case(result));
    results_.push_back(results_.back());
    results_.back().repetition = 1;
    start_.total = results_.size();
    end_.waivers = {{*results_[4].waiver, "used"}};
    end_.duration_ms = 20;
    end_.device_times = {{.device = 0, .running_ms = 20, .processes = 1}, {.device = 1, .idle_ms = 20}};
    for (const CaseResult& result : results_) end_.counts.add(result);
  }

  [[nodiscard]] std::string text() const {
    JournalText journal(start_);
    for (const CaseResult& result : results_) journal.play(result);
    journal.add(end_);
    return journal.text();
  }

  harness::RunStarted start_ = sample_start();
  std::vector<CaseResult> results_;
  harness::RunFinished end_;
};

std::vector<ordered_json> events_of(const std::string& text) {
  std::vector<ordered_json> events;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) events.push_back(ordered_json::parse(line));
  return events;
}

/// The journal's lines with another in the place of one, or without that one.
std::string with_line(const std::vector<std::string>& lines, std::size_t changed, const std::string& other) {
  std::string text;
  for (std::size_t line = 0; line < lines.size(); ++line) text += line == changed ? other : lines[line];
  return text;
}

/// What whoever reads a report acts on.
ordered_json verdict_of(const std::string& text) {
  const ordered_json document = ordered_json::parse(json_document(parse_journal(text, "j").record()));
  ordered_json verdict = {{"exit_code", document["exit_code"]},
                          {"counts", document["counts"]},
                          {"incomplete", document["incomplete"]},
                          {"not_run", document["not_run"]},
                          {"running", document["running"]}};
  for (const ordered_json& one : document["cases"]) {
    verdict["cases"].push_back({one["name"], one["devices"], one["outcome"], one.value("waiver", ordered_json())});
  }
  for (const ordered_json& one : document["device_verdicts"]) {
    verdict["devices"].push_back({one["device"], one["verdict"], one["failed"], one["unjudged"]});
  }
  return verdict;
}

/// What somebody might put in place of a value.
std::vector<ordered_json> instead_of(const ordered_json& value) {
  std::vector<ordered_json> others{nullptr, true, false, 0, -1, 256, -0.5, "", "pass", "fail", ordered_json::array()};
  if (value.is_number()) others.insert(others.end(), {value.get<double>() + 1, -value.get<double>()});
  if (value.is_number_integer()) others.insert(others.end(), {value.get<int>() + 1, value.get<int>() - 1});
  if (value.is_array() && !value.empty()) {
    ordered_json longer = value;
    longer.push_back(value.front());
    others.push_back(longer);
  }
  std::erase(others, value);
  return others;
}

/// Each place in the event at which a value stands, the inner ones too.
void list_places(const ordered_json& value, const ordered_json::json_pointer& place,
                 std::vector<ordered_json::json_pointer>& places) {
  if (!place.empty()) places.push_back(place);
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) list_places(member, place / key, places);
  }
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) list_places(value[i], place / i, places);
  }
}

/// Under a sanitizer each change takes thirty times as long, and every 24th is tried.
#ifdef GPUCHECK_TEST_SANITIZED
constexpr std::size_t stride = 24;
#else
constexpr std::size_t stride = 1;
#endif

/// Each value of each event of the journal changed, in turn, to each of several others, left out, or beside one more:
/// the journal is rejected, or means the same.
void expect_rejected_or_harmless(const std::string& text) {
  const std::vector<ordered_json> events = events_of(text);
  std::vector<std::string> lines;
  for (const ordered_json& event : events) lines.push_back(event.dump() + "\n");
  ASSERT_EQ(why_rejected(text), "accepted");
  const ordered_json verdict = verdict_of(text);
  std::size_t rejected = 0;
  std::size_t changes = 0;
  const auto check = [&](std::size_t line, const ordered_json& event, const std::string& what) {
    if (++changes % stride != 0) return;
    const std::string other = with_line(lines, line, event.dump() + "\n");
    if (why_rejected(other) != "accepted") {
      ++rejected;
      return;
    }
    EXPECT_EQ(verdict_of(other), verdict) << "line " << line + 1 << ": " << what;
  };
  int starts = 0;
  for (std::size_t line = 0; line < events.size(); ++line) {
    // Starts are all alike.
    if (events[line]["event"] == "case_started" && ++starts > 2) continue;
    std::vector<ordered_json::json_pointer> places;
    list_places(events[line], ordered_json::json_pointer(), places);
    for (const ordered_json::json_pointer& place : places) {
      for (const ordered_json& other : instead_of(events[line][place])) {
        ordered_json event = events[line];
        event[place] = other;
        check(line, event, place.to_string() + " is " + other.dump());
      }
      ordered_json parent = events[line];
      if (parent[place.parent_pointer()].is_object()) {
        parent[place.parent_pointer()].erase(place.back());
        check(line, parent, place.to_string() + " is gone");
        ordered_json more = events[line];
        more[place.parent_pointer()]["more"] = 1;
        check(line, more, place.to_string() + " has a neighbour");
      }
    }
  }
  for (std::size_t line = 0; line + 1 < events.size(); ++line) {
    EXPECT_NE(why_rejected(with_line(lines, line, "")), "accepted") << "without line " << line + 1;
  }
  EXPECT_GT(rejected, 100U / stride);
}

TEST(Contradictions, InAJournalThatEndsWellAreRejectedOrHarmless) { expect_rejected_or_harmless(PassingRun().text()); }

TEST(Contradictions, InAJournalOfEveryOutcomeAreRejectedOrHarmless) { expect_rejected_or_harmless(sample_journal()); }

std::string with_exit_code(int code) {
  PassingRun run;
  run.end_.exit_code = code;
  return why_rejected(run.text());
}

TEST(Contradictions, ExitCodeIsTheOneThatTheCasesComeTo) {
  EXPECT_EQ(with_exit_code(0), "accepted");
  EXPECT_EQ(with_exit_code(3), "accepted") << "a good run that could not be reported where it was asked for";
  for (const int code : {1, 2, 77, 130, 255, 256, -1}) {
    EXPECT_NE(with_exit_code(code).find("from its cases follows 0"), std::string::npos) << with_exit_code(code);
  }
}

TEST(Contradictions, ExitCodeOfNothingButSkipsIsOneThatAProcessCanHave) {
  for (const auto& [code, accepted] : {std::pair(0, true), {77, true}, {255, true}, {256, false}, {-1, false}}) {
    harness::RunStarted start = sample_start();
    start.selected = {{.name = "a.b", .devices = {0}}};
    start.total = 1;
    JournalText journal(start);
    journal.play(result_of("a.b", Outcome::skip, {0}));
    harness::RunFinished end;
    end.counts.skip = 1;
    end.unproven_devices = {0};
    end.exit_code = code;
    journal.add(end);
    EXPECT_EQ(why_rejected(journal.text()) == "accepted", accepted) << code << why_rejected(journal.text());
  }
}

TEST(Contradictions, AKeyGivenTwiceIsNamed) {
  std::string text = PassingRun().text();
  const std::string key = "\"exit_code\":0";
  text.insert(text.rfind(key), "\"exit_code\":1,");
  EXPECT_NE(why_rejected(text).find("\"exit_code\" appears twice"), std::string::npos) << why_rejected(text);
}

TEST(Contradictions, ARunOfNoCaseIsRejected) {
  harness::RunStarted start = sample_start();
  start.selected.clear();
  start.total = 0;
  EXPECT_NE(why_rejected(JournalText(start).text()).find("selects no case"), std::string::npos);
}

std::string with_result(const std::function<void(CaseResult&)>& change, std::size_t which = 0) {
  PassingRun run;
  change(run.results_[which]);
  return why_rejected(run.text());
}

TEST(Contradictions, AnOutcomeHasItsEvidence) {
  constexpr std::size_t flaky = 2;
  constexpr std::size_t measured = 3;
  constexpr std::size_t waived = 4;
  const std::vector<std::pair<std::string, std::string>> told{
      {with_result([](CaseResult& one) { one.observations.clear(); }), "a pass that observed nothing"},
      {with_result([](CaseResult& one) {
         one.observations.push_back({"seen", true});
       }),
       "one key twice"},
      {with_result([](CaseResult& one) {
         one.mismatches = {{"k", "1", "2", "seed", "GC6001"}};
       }),
       "with a mismatch"},
      {with_result([](CaseResult& one) { one.signal = 11; }), "of a process that died"},
      {with_result([](CaseResult& one) { one.exit_code = 3; }), "of a process that died"},
      {with_result([](CaseResult& one) { one.duration_ms = -1; }), "negative or not finite"},
      {with_result([](CaseResult& one) { one.deadline_extension_ms = -1; }), "negative or not finite"},
      {with_result([](CaseResult& one) { one.flaky = true; }), "is flaky"},
      {with_result([](CaseResult& one) { one.earlier_attempts.clear(); }, flaky), "is flaky"},
      {with_result([](CaseResult& one) { one.earlier_attempts[0].outcome = Outcome::pass; }, flaky), "tried again"},
      {with_result([](CaseResult& one) { one.earlier_attempts[0].duration_ms = -1; }, flaky), "negative"},
      {with_result([](CaseResult& one) { one.measurements[0].value = 2601; }, measured), "did not observe"},
      {with_result([](CaseResult& one) { one.measurements[0].verdict = "pass"; }, measured), "another verdict"},
      {with_result([](CaseResult& one) { one.measurements[0].fail_below = 2601; }, measured), "another verdict"},
      {with_result([](CaseResult& one) { one.measurements[0].verdict = "unknown"; }, measured), "although"},
      {with_result([](CaseResult& one) { one.mismatches.clear(); }, waived), "without a mismatch"},
      {with_result([](CaseResult& one) { one.mismatches[0].failure = "GC0000"; }, waived), "not a code"},
      {with_result([](CaseResult& one) { one.waiver->device = "GPU-x"; }, waived), "does not cover it"},
      {with_result([](CaseResult& one) { one.waiver->expires = "2026-08-21"; }, waived), "does not cover it"},
      {with_result([](CaseResult& one) { one.waiver->owner = "another"; }, waived), "other waivers"},
      {with_result([](CaseResult& one) { one.outcome = Outcome::crash; }, waived), "neither an exit code nor a signal"},
  };
  for (const auto& [text, expected] : told) EXPECT_NE(text.find(expected), std::string::npos) << text << expected;
}

/// A device that could not be used is unproven, whatever only read of it.
TEST(Contradictions, ADeviceThatCannotBeUsedIsUnproven) {
  harness::RunStarted start = sample_start();
  start.devices[0].problem = "CUDA does not start";
  start.selected = {{.name = "health.ecc", .devices = {0}}};
  start.total = 1;
  harness::RunFinished end;
  end.counts.pass = 1;
  end.unproven_devices = {0};
  end.exit_code = 3;
  const auto journal_with = [&](const harness::RunFinished& last) {
    JournalText journal(start);
    journal.play(result_of("health.ecc", Outcome::pass, {0}));
    journal.add(last);
    return why_rejected(journal.text());
  };
  EXPECT_EQ(journal_with(end), "accepted");
  end.unproven_devices.clear();
  end.exit_code = 0;
  EXPECT_NE(journal_with(end).find("other devices of which nothing is known"), std::string::npos);
}

TEST(Contradictions, OnlyWhatRanIsMeasuredAgain) {
  harness::RunStarted start = sample_start();
  start.selected = {{.name = "gemm.bf16", .devices = {0}}};
  start.total = 1;
  harness::RunFinished end;
  end.counts.pass = 1;
  const auto why_rejected_with = [&](const std::string& name) {
    JournalText journal(start);
    journal.play(result_of("gemm.bf16", Outcome::pass, {0}));
    end.remeasured = {result_of(name, Outcome::pass, {0})};
    journal.add(end);
    return why_rejected(journal.text());
  };
  EXPECT_EQ(why_rejected_with("gemm.bf16"), "accepted");
  EXPECT_NE(why_rejected_with("gemm.fp16").find("was measured again, but did not run before"), std::string::npos);
}

}  // namespace
}  // namespace gpucheck::report
