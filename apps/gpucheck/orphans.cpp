#include "orphans.hpp"

#include <algorithm>

namespace gpucheck::application {

namespace {

using harness::ExitCode;

bool matches_any(const std::vector<std::string>& globs, const std::string& name) {
  const std::string group = name.substr(0, name.find('.'));
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return glob == group || harness::matches_glob(glob, name); });
}

harness::CaseResult orphan_result(const std::string& name) {
  harness::CaseResult result;
  result.name = name;
  result.outcome = harness::Outcome::fail;
  result.reason = "there is a golden file for this name, but no case: remove the file, or restore the case";
  result.mismatches = {{.key = "case", .expected = "a case for this golden file", .seen = "nothing", .basis = "rule"}};
  return result;
}

}  // namespace

std::vector<std::string> find_orphans(const golden::GoldenSet& goldens, const harness::Registry& registry,
                                      const Selection& selection) {
  std::vector<std::string> orphans = runner::orphan_goldens(registry, goldens);
  std::erase_if(orphans, [&selection](const std::string& name) {
    const bool covered = selection.globs.empty() || matches_any(selection.globs, name);
    return !covered || matches_any(selection.excluded, name);
  });
  return orphans;
}

template <typename Event>
void OrphanReporter::forward(const Event& event) {
  harness::tell(sinks_, event);
}

void OrphanReporter::on(const harness::RunStarted& event) {
  harness::RunStarted started = event;
  std::vector<harness::SelectedCase> selected;
  for (const std::string& name : orphans_) selected.push_back({.name = name});
  started.selected.insert(started.selected.begin(), selected.begin(), selected.end());
  forward(started);
  for (std::size_t i = 0; i < orphans_.size(); ++i) {
    forward(harness::CaseStarted{orphans_[i], 0, 1, i, started.selected.size()});
    forward(harness::CaseFinished{orphan_result(orphans_[i]), i + 1, started.selected.size()});
  }
}

void OrphanReporter::on(const harness::CaseStarted& event) {
  harness::CaseStarted started = event;
  started.finished += orphans_.size();
  started.total += orphans_.size();
  forward(started);
}

void OrphanReporter::on(const harness::CaseFinished& event) {
  harness::CaseFinished finished = event;
  finished.finished += orphans_.size();
  finished.total += orphans_.size();
  forward(finished);
}

void OrphanReporter::on(const harness::RunFinished& event) {
  harness::RunFinished finished = event;
  finished.counts.fail += static_cast<int>(orphans_.size());
  if (finished.interrupted_by_signal == 0 && !orphans_.empty()) {
    finished.exit_code = static_cast<int>(harness::exit_code(finished.counts, max_skips_));
  }
  forward(finished);
}

void OrphanReporter::on_heartbeat() {
  for (harness::EventSink* sink : sinks_) sink->on_heartbeat();
}

ExitCode OrphanReporter::exit_code(const runner::RunSummary& summary) const noexcept {
  const bool interrupted = summary.exit_code == ExitCode::interrupted || summary.exit_code == ExitCode::terminated;
  if (interrupted || orphans_.empty()) return summary.exit_code;
  harness::Counts counts = summary.counts;
  counts.fail += static_cast<int>(orphans_.size());
  return harness::exit_code(counts, max_skips_);
}

}  // namespace gpucheck::application
