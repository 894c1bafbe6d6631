#pragma once

#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "runner/supervision/run_ledger.hpp"

namespace gpucheck::runner {

struct Heard final : harness::EventSink {
  void on(const harness::RunStarted& event) override { started = event; }
  void on(const harness::CaseStarted& event) override { cases_started.push_back(event); }
  void on(const harness::CaseFinished& event) override { cases_finished.push_back(event); }
  void on(const harness::RunFinished& event) override { finished = event; }
  void on_heartbeat() override { ++heartbeats; }

  std::optional<harness::RunStarted> started;
  std::vector<harness::CaseStarted> cases_started;
  std::vector<harness::CaseFinished> cases_finished;
  std::optional<harness::RunFinished> finished;
  int heartbeats = 0;
};

inline harness::CaseResult result_of(const harness::SelectedCase& selected, harness::Outcome outcome) {
  harness::CaseResult result;
  result.name = selected.name;
  result.devices = selected.devices;
  result.repetition = selected.repetition;
  result.outcome = outcome;
  return result;
}

/// A run of four entries on two devices of one model: a case on each, a pair, and one about the machine.
class RunLedgerTest : public ::testing::Test {
 protected:
  static constexpr auto pass = harness::Outcome::pass;
  static constexpr auto fail = harness::Outcome::fail;
  static constexpr auto error = harness::Outcome::error;
  static constexpr auto skip = harness::Outcome::skip;

  RunLedgerTest() {
    for (int i = 0; i < 2; ++i) {
      harness::DeviceIdentity& device = devices_.emplace_back();
      device.index = device.ordinal = i;
      device.kind = "cuda";
      device.name = "NVIDIA H100";
      device.uuid = "GPU-" + std::to_string(i);
    }
  }

  RunLedger& begin(std::size_t total = 4) {
    ledger_.emplace(options_, sinks_);
    ledger_->begin(selected_, total, devices_, 3);
    return *ledger_;
  }
  void finish(std::size_t entry, harness::Outcome outcome) {
    ledger_->start(entry, 1);
    ledger_->finish(entry, result_of(selected_.at(entry), outcome));
  }
  /// The case of entry `entry` has measured this speed.
  void finish_with_speed(std::size_t entry, double value) {
    ledger_->start(entry, 1);
    ledger_->finish(entry, measured(entry, value));
  }
  [[nodiscard]] harness::CaseResult measured(std::size_t entry, double value,
                                             harness::Outcome outcome = harness::Outcome::pass) const {
    harness::CaseResult result = result_of(selected_.at(entry), outcome);
    result.measurements = {{.key = "gbps", .value = value, .verdict = "pass", .fail_below = 1, .source = "s"}};
    return result;
  }
  /// The verdict on a run in which the entries ended so, one after the other.
  harness::ExitCode verdict(const std::vector<harness::Outcome>& outcomes, int signal = 0) {
    begin();
    for (std::size_t i = 0; i < outcomes.size(); ++i) finish(i, outcomes[i]);
    ledger_->end(signal, 0, {});
    EXPECT_EQ(heard_.finished->exit_code, static_cast<int>(ledger_->take_summary().exit_code));
    return static_cast<harness::ExitCode>(heard_.finished->exit_code);
  }

  std::vector<harness::SelectedCase> selected_ = {{.name = "a.each", .devices = {0}},
                                                  {.name = "a.each", .devices = {1}},
                                                  {.name = "a.pair", .devices = {0, 1}},
                                                  {.name = "a.machine", .devices = {}}};
  std::vector<harness::DeviceIdentity> devices_;
  Options options_;
  Heard heard_;
  Heard other_;
  std::vector<harness::EventSink*> sinks_ = {&heard_, &other_};
  std::optional<RunLedger> ledger_;
};

}  // namespace gpucheck::runner
