#pragma once

#include <span>
#include <string>
#include <vector>

#include "commands.hpp"

/// Shows that every check can fail: runs cases clean, then under each of their faults.
namespace gpucheck::application {

/// A case under one of its faults.
struct FaultTrial {
  harness::CaseResult result;
  /// The case turned red. A pass is not, and neither is a skip: it leaves a run green.
  [[nodiscard]] bool noticed() const noexcept;
};

/// One row block of the matrix.
struct CaseProof {
  const harness::Case* test_case = nullptr;
  harness::CaseResult clean;
  std::vector<FaultTrial> trials;  ///< in the case's order; empty unless the clean run passed
  [[nodiscard]] bool proven() const noexcept;
  /// Null when there is none, because of an interruption for example.
  [[nodiscard]] const FaultTrial* trial_of(const harness::Fault& fault) const noexcept;
};

struct Proof {
  harness::DeviceIdentity device;
  std::vector<CaseProof> cases;
  int interrupted_by_signal = 0;

  [[nodiscard]] int fault_count() const noexcept;
  [[nodiscard]] int noticed_count() const noexcept;
  /// Failed when a fault goes unnoticed, a case declares none, or a clean run is red;
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
