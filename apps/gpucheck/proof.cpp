#include "proof.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "execution.hpp"
#include "harness/outcome_text.hpp"

namespace gpucheck::application {

namespace {

using harness::CaseResult;
using harness::ExitCode;
using harness::Outcome;
using std::chrono::milliseconds;

/// Twice as much again would be generous; ten times leaves room for a busy machine, so
/// that a slow trial is not taken for a noticed one. Rounded up to a power of two, so
/// that cases share a run.
milliseconds trial_limit(const CaseProof& proof, const ExecutionOptions& options) {
  if (options.timeout) return *options.timeout;
  const double wanted_ms = 2000 + 10 * proof.clean.duration_ms;
  milliseconds limit{2048};
  while (limit < proof.test_case->deadline && static_cast<double>(limit.count()) < wanted_ms) limit *= 2;
  return std::min(limit, proof.test_case->deadline);
}

/// A trial before it has run: where its result goes.
struct PendingTrial {
  runner::PlannedCase planned;
  CaseProof* proof;
};

class Prover {
 public:
  Prover(const Environment& environment, const golden::GoldenSet& goldens, const ExecutionOptions& options,
         const ProofProgress& progress)
      : goldens_(goldens), options_(options), runner_options_(runner_options(environment, options)) {
    recorder_.on_case = [this, &progress] { progress(++finished_, total_); };
  }

  Proof prove(std::span<const harness::Case* const> cases) {
    for (const harness::Case* test_case : cases) total_ += 1 + test_case->faults.size();
    proof_.cases.reserve(cases.size());
    run_clean(cases);
    list_judged_keys();
    for (auto& [limit, trials] : plan_trials()) run_trials(limit, trials);
    proof_.device = recorder_.device();
    proof_.interrupted_by_signal = recorder_.interrupted_by_signal();
    return std::move(proof_);
  }

 private:
  void run_clean(std::span<const harness::Case* const> cases) {
    plan_ = runner::make_plan(cases, {.settings = options_.settings});
    std::vector<CaseResult> results = run_quietly(plan_, goldens_, runner_options_, recorder_);
    for (const runner::PlannedCase& planned : plan_.cases) {
      const auto found = std::find_if(results.begin(), results.end(),
                                      [&](const CaseResult& r) { return r.name == planned.test_case->name; });
      if (found != results.end()) proof_.cases.push_back({.test_case = planned.test_case, .clean = std::move(*found)});
    }
  }

  void list_judged_keys() {
    const golden::Conditions conditions{.device_kind = recorder_.device().kind,
                                        .allocator = std::string(runtime::kind_name(options_.settings.allocator))};
    for (CaseProof& proof : proof_.cases) {
      const golden::Golden* const golden = goldens_.find(proof.test_case->name);
      if (golden != nullptr) proof.judged_keys = golden->judged_keys(conditions);
    }
  }

  /// By time limit, since a run has one limit for all its cases.
  std::map<milliseconds, std::vector<PendingTrial>> plan_trials() {
    std::map<milliseconds, std::vector<PendingTrial>> trials;
    for (CaseProof& proof : proof_.cases) {
      if (proof.clean.outcome != Outcome::pass) continue;
      for (const harness::Fault& fault : proof.test_case->faults) {
        runner::PlannedCase planned = planned_clean(proof);
        planned.settings.fault = fault.name;
        trials[trial_limit(proof, options_)].push_back({std::move(planned), &proof});
      }
    }
    return trials;
  }

  const runner::PlannedCase& planned_clean(const CaseProof& proof) const {
    return *std::find_if(plan_.cases.begin(), plan_.cases.end(),
                         [&](const runner::PlannedCase& planned) { return planned.test_case == proof.test_case; });
  }

  void run_trials(milliseconds limit, std::vector<PendingTrial>& trials) {
    if (recorder_.interrupted_by_signal() != 0) return;
    runner::Plan plan;
    plan.cases.reserve(trials.size());
    for (const PendingTrial& trial : trials) plan.cases.push_back(trial.planned);
    runner::Options options = runner_options_;
    options.timeout = limit;
    std::vector<CaseResult> results = run_quietly(plan, goldens_, options, recorder_);
    for (const PendingTrial& trial : trials) {
      const auto found = std::find_if(results.begin(), results.end(), [&](const CaseResult& r) {
        return r.name == trial.planned.test_case->name && r.fault == trial.planned.settings.fault;
      });
      if (found != results.end()) trial.proof->trials.push_back({std::move(*found)});
    }
  }

  const golden::GoldenSet& goldens_;
  const ExecutionOptions& options_;
  runner::Options runner_options_;
  RunRecorder recorder_;
  std::size_t finished_ = 0;
  std::size_t total_ = 0;
  runner::Plan plan_;
  Proof proof_;
};

}  // namespace

std::string_view to_text(CaughtBy caught_by) noexcept {
  switch (caught_by) {
    case CaughtBy::nothing:
      return "nothing";
    case CaughtBy::key:
      return "key";
    case CaughtBy::rule:
      return "rule";
    case CaughtBy::error:
      return "error";
    case CaughtBy::crash:
      return "crash";
    case CaughtBy::hang:
      return "hang";
  }
  return "nothing";
}

CaughtBy FaultTrial::caught_by() const noexcept {
  switch (result.outcome) {
    case Outcome::pass:
    case Outcome::skip:
      return CaughtBy::nothing;
    case Outcome::fail:
      return std::ranges::all_of(result.mismatches, harness::is_rule) ? CaughtBy::rule : CaughtBy::key;
    case Outcome::error:
      return CaughtBy::error;
    case Outcome::crash:
      return CaughtBy::crash;
    case Outcome::hang:
      return CaughtBy::hang;
  }
  return CaughtBy::error;  // a value that is no outcome was never judged
}

bool FaultTrial::turned_red(std::string_view key) const noexcept {
  return std::ranges::find(result.mismatches, key, &harness::Mismatch::key) != result.mismatches.end();
}

bool CaseProof::proven() const noexcept {
  return clean.outcome == Outcome::pass && trials.size() == test_case->faults.size() && has_red_key() &&
         std::all_of(trials.begin(), trials.end(), [](const FaultTrial& trial) { return trial.noticed(); });
}

bool CaseProof::has_red_key() const noexcept {
  return std::ranges::any_of(judged_keys, [this](const std::string& key) {
    return std::ranges::any_of(trials, [&](const FaultTrial& trial) { return trial.turned_red(key); });
  });
}

const FaultTrial* CaseProof::trial_of(const harness::Fault& fault) const noexcept {
  const auto found = std::ranges::find(trials, fault.name, [](const FaultTrial& trial) { return trial.result.fault; });
  return found == trials.end() ? nullptr : &*found;
}

std::vector<std::string> CaseProof::faults_that_turn_red(std::string_view key) const {
  std::vector<std::string> faults;
  for (const FaultTrial& trial : trials) {
    if (trial.turned_red(key)) faults.push_back(trial.result.fault);
  }
  return faults;
}

std::vector<std::string> CaseProof::keys_never_red() const {
  std::vector<std::string> keys;
  for (const std::string& key : judged_keys) {
    if (faults_that_turn_red(key).empty()) keys.push_back(key);
  }
  return keys;
}

int Proof::fault_count() const noexcept {
  return std::accumulate(cases.begin(), cases.end(), 0, [](int sum, const CaseProof& proof) {
    return sum + static_cast<int>(proof.test_case->faults.size());
  });
}

int Proof::count_of(CaughtBy caught_by) const noexcept {
  return std::accumulate(cases.begin(), cases.end(), 0, [caught_by](int sum, const CaseProof& proof) {
    return sum + static_cast<int>(std::ranges::count(proof.trials, caught_by, &FaultTrial::caught_by));
  });
}

int Proof::noticed_count() const noexcept {
  const int trials = std::accumulate(cases.begin(), cases.end(), 0, [](int sum, const CaseProof& proof) {
    return sum + static_cast<int>(proof.trials.size());
  });
  return trials - count_of(CaughtBy::nothing);
}

std::size_t Proof::key_count() const noexcept {
  return std::accumulate(cases.begin(), cases.end(), std::size_t{0},
                         [](std::size_t sum, const CaseProof& proof) { return sum + proof.judged_keys.size(); });
}

std::size_t Proof::red_key_count() const {
  return std::accumulate(cases.begin(), cases.end(), std::size_t{0}, [](std::size_t sum, const CaseProof& proof) {
    return sum + proof.judged_keys.size() - proof.keys_never_red().size();
  });
}

ExitCode Proof::exit_code() const noexcept {
  if (interrupted_by_signal != 0) return harness::interrupted_exit_code(interrupted_by_signal);
  const auto unjudged = [](const CaseProof& proof) {
    return proof.clean.outcome == Outcome::skip || proof.clean.outcome == Outcome::error;
  };
  const auto failed = [&](const CaseProof& proof) { return !unjudged(proof) && !proof.proven(); };
  if (std::any_of(cases.begin(), cases.end(), failed)) return ExitCode::failed;
  if (cases.empty() || std::any_of(cases.begin(), cases.end(), unjudged)) return ExitCode::not_judged;
  return ExitCode::passed;
}

Proof make_proof(const Environment& environment, const golden::GoldenSet& goldens,
                 std::span<const harness::Case* const> cases, const ExecutionOptions& options,
                 const ProofProgress& progress) {
  return Prover(environment, goldens, options, progress).prove(cases);
}

}  // namespace gpucheck::application
