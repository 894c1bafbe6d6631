#include "commands/prove/prover.hpp"

#include <algorithm>
#include <map>

#include "commands/execution.hpp"

namespace gpucheck::application {

namespace {

using harness::CaseResult;
using harness::Outcome;
using runner::CaseProof;
using runner::Proof;
using std::chrono::milliseconds;

/// Twice as much again would be generous; ten times leaves room for a busy machine, so
/// that a slow trial is not taken for a noticed one. Rounded up to a power of two, so
/// that cases share a run.
milliseconds trial_limit(const CaseProof& proof, const runner::Options& options) {
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

/// What the case warns of on this machine without a fault shows nothing of the fault.
void leave_out_known(std::vector<harness::Mismatch>& warnings, const std::vector<harness::Mismatch>& clean) {
  std::erase_if(warnings, [&clean](const harness::Mismatch& warning) {
    return std::ranges::find(clean, warning.key, &harness::Mismatch::key) != clean.end();
  });
}

class Prover {
 public:
  Prover(const Environment& environment, const golden::GoldenSet& goldens, const runner::Options& options,
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
      if (golden != nullptr && !proof.was_skipped()) proof.judged_keys = golden->judged_keys(conditions);
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
      if (found == results.end()) continue;
      leave_out_known(found->warnings, trial.proof->clean.warnings);
      trial.proof->trials.push_back({std::move(*found)});
    }
  }

  const golden::GoldenSet& goldens_;
  const runner::Options& options_;
  runner::Options runner_options_;
  RunRecorder recorder_;
  std::size_t finished_ = 0;
  std::size_t total_ = 0;
  runner::Plan plan_;
  Proof proof_;
};

}  // namespace

Proof make_proof(const Environment& environment, const golden::GoldenSet& goldens,
                 std::span<const harness::Case* const> cases, const runner::Options& options,
                 const ProofProgress& progress) {
  return Prover(environment, goldens, options, progress).prove(cases);
}

}  // namespace gpucheck::application
