#pragma once

#include <string>
#include <vector>

#include "commands.hpp"

/// Golden files without a case: what was once checked and no longer is. They fail a run.
namespace gpucheck::application {

/// Names of goldens that no case has, as far as the selection covers them.
std::vector<std::string> find_orphans(const golden::GoldenSet& goldens, const harness::Registry& registry,
                                      const Selection& selection);

/// Hands a run's events on to its sinks, with a failed case for each orphan put in
/// front, so that every report shows them and counts them.
class OrphanReporter final : public harness::EventSink {
 public:
  OrphanReporter(std::vector<std::string> orphans, std::vector<harness::EventSink*> sinks, int max_skips)
      : orphans_(std::move(orphans)), sinks_(std::move(sinks)), max_skips_(max_skips) {}

  void on(const harness::RunStarted& event) override;
  void on(const harness::CaseStarted& event) override;
  void on(const harness::CaseFinished& event) override;
  void on(const harness::RunFinished& event) override;
  void on_heartbeat() override;

  /// The run's verdict with the orphans counted in.
  [[nodiscard]] harness::ExitCode exit_code(const runner::RunSummary& summary) const noexcept;

 private:
  template <typename Event>
  void forward(const Event& event);

  std::vector<std::string> orphans_;
  std::vector<harness::EventSink*> sinks_;
  int max_skips_;
};

}  // namespace gpucheck::application
