#include "runner/proof/proof.hpp"

#include <algorithm>
#include <numeric>

#include "harness/result/outcome_text.hpp"

namespace gpucheck::runner {

using harness::ExitCode;
using harness::Outcome;

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
      return result.warnings.empty() ? CaughtBy::nothing : CaughtBy::key;
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
  return CaughtBy::error;  // a value that is not an outcome was never judged
}

bool FaultTrial::turned_red(std::string_view key) const noexcept {
  const auto is_in = [key](const std::vector<harness::Mismatch>& differences) {
    return std::ranges::find(differences, key, &harness::Mismatch::key) != differences.end();
  };
  return is_in(result.mismatches) || is_in(result.warnings);
}

bool CaseProof::proven() const noexcept {
  return clean.outcome == Outcome::pass && trials.size() == test_case->faults.size() && has_red_key() &&
         std::all_of(trials.begin(), trials.end(), [](const FaultTrial& trial) { return trial.noticed(); });
}

bool CaseProof::was_skipped() const noexcept { return clean.outcome == Outcome::skip; }

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
    return sum + (proof.was_skipped() ? 0 : static_cast<int>(proof.test_case->faults.size()));
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
  bool any_proven = false;
  bool any_error = false;
  for (const CaseProof& proof : cases) {
    any_proven = any_proven || proof.proven();
    any_error = any_error || proof.clean.outcome == Outcome::error;
    const bool was_judged = !proof.was_skipped() && proof.clean.outcome != Outcome::error;
    if (was_judged && !proof.proven()) return ExitCode::failed;
  }
  return any_error || !any_proven ? ExitCode::not_judged : ExitCode::passed;
}

}  // namespace gpucheck::runner
