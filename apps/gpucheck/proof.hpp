#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"

/// Shows that every check can fail: runs cases clean, then under each of their faults.
namespace gpucheck::application {

/// What turned a case red under a fault. Only the first shows that the case looks where
/// the fault strikes: anything can throw, and the rules watch over every case.
enum class CaughtBy { nothing, key, rule, error, crash, hang };

std::string_view to_text(CaughtBy caught_by) noexcept;

/// A case under one of its faults.
struct FaultTrial {
  harness::CaseResult result;
  /// `nothing` for a pass, and for a skip: it leaves a run green.
  [[nodiscard]] CaughtBy caught_by() const noexcept;
  [[nodiscard]] bool noticed() const noexcept { return caught_by() != CaughtBy::nothing; }
  /// What was seen of the key was not what its golden file expects.
  [[nodiscard]] bool turned_red(std::string_view key) const noexcept;
};

/// One row block of the matrix.
struct CaseProof {
  const harness::Case* test_case = nullptr;
  harness::CaseResult clean;
  std::vector<FaultTrial> trials = {};        ///< in the case's order; empty unless the clean run passed
  std::vector<std::string> judged_keys = {};  ///< of its golden file, on this device
  /// Every fault was noticed, and one at least by a key of the case's own.
  [[nodiscard]] bool proven() const noexcept;
  [[nodiscard]] bool has_red_key() const noexcept;
  /// Names of the faults, in the case's order.
  [[nodiscard]] std::vector<std::string> faults_that_turn_red(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> keys_never_red() const;
  /// Null when there is none, because of an interruption for example.
  [[nodiscard]] const FaultTrial* trial_of(const harness::Fault& fault) const noexcept;
};

struct Proof {
  harness::DeviceIdentity device;
  std::vector<CaseProof> cases;
  int interrupted_by_signal = 0;

  [[nodiscard]] int fault_count() const noexcept;
  [[nodiscard]] int noticed_count() const noexcept;
  [[nodiscard]] int count_of(CaughtBy caught_by) const noexcept;
  [[nodiscard]] std::size_t key_count() const noexcept;
  [[nodiscard]] std::size_t red_key_count() const;
  /// Failed when a fault goes unnoticed, a case declares none or none that a key of its own
  /// notices, or a clean run is red;
  /// not judged when a clean run could not be judged or was skipped.
  [[nodiscard]] harness::ExitCode exit_code() const noexcept;
};

/// Told as trials finish: how many of how many.
using ProofProgress = std::function<void(std::size_t finished, std::size_t total)>;

/// A trial may take ten times as long as the clean run did, and two seconds more, but
/// never longer than the case's deadline; ExecutionOptions::timeout replaces both.
Proof make_proof(const Environment& environment, const golden::GoldenSet& goldens,
                 std::span<const harness::Case* const> cases, const ExecutionOptions& options,
                 const ProofProgress& progress);

}  // namespace gpucheck::application
