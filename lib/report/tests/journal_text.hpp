#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "harness/run/events.hpp"
#include "report/journal/event_json.hpp"

namespace gpucheck::report {

/// What an outcome has to come with, so that it can be believed.
inline harness::CaseResult with_evidence(harness::CaseResult result) {
  if (result.outcome == harness::Outcome::pass) result.observations = {{"seen", true}};
  if (result.outcome == harness::Outcome::fail) result.mismatches = {{"seen", "true", "false", "seed", "GC6001"}};
  if (result.outcome == harness::Outcome::crash) result.signal = 11;
  return result;
}

inline harness::CaseResult result_of(const std::string& name, harness::Outcome outcome, std::vector<int> devices = {},
                                     int repetition = 0) {
  harness::CaseResult result;
  result.name = name;
  result.devices = std::move(devices);
  result.outcome = outcome;
  result.repetition = repetition;
  return with_evidence(std::move(result));
}

/// The text of a journal in the making, whose lines count as a run's do.
class JournalText {
 public:
  explicit JournalText(const harness::RunStarted& start) : total_(start.total) { add(start); }

  void start(const harness::SelectedCase& one) {
    add(harness::CaseStarted{one.name, one.repetition, 1, finished_, total_, one.devices});
  }
  void finish(const harness::CaseResult& result) { add(harness::CaseFinished{result, ++finished_, total_}); }
  /// Both.
  void play(const harness::CaseResult& result) {
    start(selected_case(result));
    finish(result);
  }
  template <typename Event>
  void add(const Event& event) {
    text_ += to_json(JournalEntry{.time = {}, .event = event}).dump() + "\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t finished_ = 0;
  std::size_t total_ = 0;
};

}  // namespace gpucheck::report
