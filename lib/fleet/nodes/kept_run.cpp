#include "fleet/nodes/kept_run.hpp"

#include <algorithm>
#include <utility>

#include "base/text/sanitize.hpp"
#include "fleet/peers.hpp"
#include "harness/result/failure_kinds.hpp"
#include "harness/result/pair_matrix.hpp"

namespace gpucheck::fleet {
namespace {

using harness::CaseResult;

constexpr std::size_t longest_tail = 2000;      // bytes of a process's output, of which a run may keep 16 KiB
constexpr std::size_t longest_mismatch = 2000;  // bytes of a text in one
constexpr std::size_t most_mismatches = 50;     // of one result

void shorten_to_its_end(std::string& text) {
  if (text.size() > longest_tail) text.erase(0, text.size() - longest_tail);
}

/// Nothing that a report on the fleet would not show.
CaseResult shortened(CaseResult result) {
  result.observations = {};
  result.telemetry = {};
  if (result.mismatches.size() > most_mismatches) result.mismatches.resize(most_mismatches);
  for (harness::Mismatch& mismatch : result.mismatches) {
    for (std::string* text : {&mismatch.key, &mismatch.expected, &mismatch.seen}) {
      if (text->size() > longest_mismatch) text->resize(longest_mismatch);
    }
  }
  shorten_to_its_end(result.output_tail);
  shorten_to_its_end(result.error_tail);
  return result;
}

bool is_trouble(const CaseResult& result) {
  return harness::is_failure(result.outcome) || result.outcome == harness::Outcome::error ||
         harness::lacked_time(result);
}

}  // namespace

const std::string* SharedTexts::keep(std::string_view text) {
  const std::lock_guard lock(mutex_);
  return &*texts_.emplace(text).first;
}

RunKeeper::RunKeeper(std::string file, const Waivers& waivers, SharedTexts& texts) : waivers_(waivers), texts_(texts) {
  run_.file = std::move(file);
}

void RunKeeper::on(harness::RunStarted event) {
  book_.emplace(waivers_, event.start_time);
  for (const harness::SelectedCase& selected : event.selected) case_named(selected.name);
  run_.start = std::move(event);
  run_.start.selected = {};
}

void RunKeeper::on(harness::CaseFinished event) {
  CaseResult& result = event.result;
  if (!waivers_.empty()) book_->apply(result, run_.start.devices);
  counts_.add(result);
  lacked_time_ = lacked_time_ || harness::lacked_time(result);
  verdicts_.add(result);
  KeptCase& kept = case_named(result.name);
  kept.counts.add(result);
  kept.duration_ms += result.duration_ms;
  keep_measurements(result);
  keep_pairs(result);
  if (Peers::compares_digest(result)) run_.comparable.push_back(Peers::digest_alone(result));
  if (!is_trouble(result)) return;
  if (run_.troubles.size() < most_troubles) {
    run_.troubles.push_back(shortened(std::move(result)));
  } else {
    ++run_.troubles_left_out;
  }
}

void RunKeeper::on(harness::RunFinished event) {
  for (const harness::SelectedCase& selected : event.not_run) ++case_named(selected.name).counts.not_run;
  if (!waivers_.empty()) judge_under(*book_, counts_, lacked_time_, run_.start, event);
  run_.verdicts = verdicts_.of(run_.start.devices, event);
  run_.of_machine = verdicts_.of_machine(run_.start.devices, event);
  run_.end = std::move(event);
  run_.end.device_times = {};
  run_.end.remeasured = {};
}

KeptRun RunKeeper::take(bool torn) {
  run_.torn = torn;
  std::ranges::sort(run_.cases, {}, [](const KeptCase& one) -> const std::string& { return *one.name; });
  return std::move(run_);
}

KeptCase& RunKeeper::case_named(const std::string& name) {
  const auto [place, is_new] = places_.try_emplace(name, run_.cases.size());
  if (is_new) run_.cases.push_back({.name = texts_.keep(name)});
  return run_.cases[place->second];
}

void RunKeeper::keep_measurements(const CaseResult& result) {
  // What several GPUs did together is not evidence against one of them.
  if (result.devices.size() != 1) return;
  if (result.outcome != harness::Outcome::pass && !harness::failed_by_speed_alone(result)) return;
  const std::string* const name = texts_.keep(result.name);
  for (const harness::Measurement& measurement : result.measurements) {
    run_.measurements.push_back({.case_name = name,
                                 .key = texts_.keep(measurement.key),
                                 .device = result.devices.front(),
                                 .value = measurement.value,
                                 .high_is_bad = !measurement.fail_below && !measurement.warn_below});
  }
}

void RunKeeper::keep_pairs(const CaseResult& result) {
  for (const harness::PairMatrix& matrix : harness::pair_matrices(result)) {
    KeptPairs kept{.case_name = texts_.keep(result.name),
                   .metric = texts_.keep(matrix.metric),
                   .devices = result.devices,
                   .values = {matrix.values.begin(), matrix.values.end()}};
    const auto is_same = [&kept](const KeptPairs& other) {
      return other.case_name == kept.case_name && other.metric == kept.metric && other.devices == kept.devices;
    };
    const auto before = std::ranges::find_if(run_.pairs, is_same);
    if (before != run_.pairs.end()) {
      *before = std::move(kept);
    } else if (run_.pairs.size() < most_pairs) {
      run_.pairs.push_back(std::move(kept));
    }
  }
}

}  // namespace gpucheck::fleet
