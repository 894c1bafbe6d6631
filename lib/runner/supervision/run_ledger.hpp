#pragma once

#include <chrono>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fleet/peers.hpp"
#include "fleet/waivers.hpp"
#include "runner/plan/options.hpp"

namespace gpucheck::runner {

/// The results of a run so far: informs its sinks, applies the waivers, counts. Each
/// entry of a round's selection, by its index there, is started and finished once. Data
/// only; used by one thread. What a sink throws comes through.
class RunLedger {
 public:
  /// Both must outlive it.
  RunLedger(const Options& options, std::span<harness::EventSink* const> sinks);

  /// @param selected the first round.
  /// @param total entries of all rounds.
  void begin(std::vector<harness::SelectedCase> selected, std::size_t total,
             std::vector<harness::DeviceIdentity> devices, int jobs, std::vector<harness::SiteCase> site_cases = {});
  /// All entries so far have finished: from here on an index means one of these.
  void next_round(std::vector<harness::SelectedCase> selected);
  /// Heard only the first time: a case that is tried again has been started.
  /// @param running cases under way, this one included.
  void start(std::size_t entry, std::size_t running);
  void finish(std::size_t entry, harness::CaseResult result);
  /// Takes the result of a case that has finished before, on a device that was too slow among its peers.
  void remeasure(harness::CaseResult result);
  /// Cases, and the device of each that fails by its speed among its peers, and is not waived.
  [[nodiscard]] std::set<std::pair<std::string, int>> too_slow();
  void beat();
  /// @param signal that interrupted the run; 0 for none.
  void end(int signal, double duration_ms, std::vector<harness::DeviceTime> device_times);

  /// A case was neither a pass nor a skip, and is not waived.
  [[nodiscard]] bool has_failure() const noexcept { return has_failure_; }
  [[nodiscard]] RunSummary take_summary() { return std::move(summary_); }

 private:
  struct Entry {
    harness::SelectedCase selected;
    bool started = false;
    bool finished = false;
  };

  template <typename Event>
  void tell(const Event& event) {
    harness::tell(sinks_, event);
  }
  void list_unfinished(harness::RunFinished& event) const;

  const Options& options_;
  std::span<harness::EventSink* const> sinks_;
  fleet::WaiverBook waivers_;
  std::vector<harness::DeviceIdentity> devices_;
  std::vector<Entry> entries_;  ///< of this round
  std::size_t total_ = 0;
  bool is_first_round_ = true;
  RunSummary summary_;
  harness::DeviceEvidence evidence_;
  fleet::Peers peers_;
  std::vector<harness::CaseResult> remeasured_;
  bool has_failure_ = false;
  bool lacked_time_ = false;
};

}  // namespace gpucheck::runner
