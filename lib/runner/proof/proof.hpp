#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/case/case.hpp"
#include "harness/result/result.hpp"
#include "harness/run/exit_codes.hpp"

/// Whether every check can fail: what cases do clean, and under each of their faults.
namespace gpucheck::runner {

/// What turned a case red under a fault. Only the first shows that the case looks where
/// the fault strikes: anything can throw, and the rules watch over every case.
enum class CaughtBy { nothing, key, rule, error, crash, hang };

std::string_view to_text(CaughtBy caught_by) noexcept;

/// A case under one of its faults.
struct FaultTrial {
  harness::CaseResult result;
  /// `nothing` for a pass without a warning that the fault caused, and for a skip: they leave a run green.
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
  std::vector<std::string> judged_keys = {};  ///< of its golden file, on this device; none where it was skipped
  [[nodiscard]] bool was_skipped() const noexcept;
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

  /// The faults of the cases that were not skipped.
  [[nodiscard]] int fault_count() const noexcept;
  [[nodiscard]] int noticed_count() const noexcept;
  [[nodiscard]] int count_of(CaughtBy caught_by) const noexcept;
  [[nodiscard]] std::size_t key_count() const noexcept;
  [[nodiscard]] std::size_t red_key_count() const;
  /// Failed when a fault goes unnoticed, a case declares none or none that a key of its own
  /// notices, or a clean run is red; not judged when a clean run could not be judged, or when nothing is proven. A
  /// skip counts for nothing, as in a run.
  [[nodiscard]] harness::ExitCode exit_code() const noexcept;
};

}  // namespace gpucheck::runner
