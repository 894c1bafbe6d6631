#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fleet/peers.hpp"
#include "harness/run/events.hpp"
#include "harness/run/exit_codes.hpp"

namespace gpucheck::report {

/// The sums of a run's events, for each event to be checked against those before it, and for the run's end to be
/// checked, or made. Everything that follows from other events is worked out again: what a journal says counts only
/// as far as it agrees. Used by one thread.
class RunTally {
 public:
  // @throws Error with the contradiction.
  void add(const harness::RunStarted& event);
  void add(const harness::CaseStarted& event);
  void add(const harness::CaseFinished& event);
  /// Adds what follows from the results and is in no journal: the comparisons.
  void add(harness::RunFinished& event);

  [[nodiscard]] bool started() const { return start_.has_value(); }

  /// The end of a run that did not write its own.
  /// @param last when its last event was written.
  [[nodiscard]] harness::RunFinished make_end(std::chrono::system_clock::time_point last, std::string why) const;

 private:
  /// Counts one case, repetition and set of devices, which may have been selected several times.
  struct Standing {
    int unfinished = 0;
    int running = 0;
  };

  void check_counts(const harness::RunFinished& event) const;
  void add_remeasured(const harness::RunFinished& event);
  /// Puts the waivers on the comparisons, too.
  void check_waivers(harness::RunFinished& event) const;
  void check_device_times(const harness::RunFinished& event) const;
  void check_exit_code(const harness::RunFinished& event) const;

  [[nodiscard]] harness::ExitCode verdict(const harness::Counts& counts) const;
  [[nodiscard]] harness::Counts counts_at_end() const;
  [[nodiscard]] std::vector<harness::SelectedCase> running() const;
  /// In the order selected or started. Of one that was selected several times, the last ones.
  [[nodiscard]] std::vector<harness::SelectedCase> not_run() const;

  std::optional<harness::RunStarted> start_;
  std::set<std::string> names_;               ///< of the cases selected
  std::vector<harness::SelectedCase> known_;  ///< selected at the start, or started since
  std::map<harness::SelectedCase, Standing> standings_;
  std::size_t under_way_ = 0;  ///< all that are running
  std::size_t finished_ = 0;
  harness::Counts counts_;
  harness::DeviceEvidence evidence_;
  bool lacked_time_ = false;
  fleet::Peers peers_;
  std::vector<harness::CaseResult> judged_;  ///< names, devices, outcomes and waivers: what waivers are about
};

}  // namespace gpucheck::report
