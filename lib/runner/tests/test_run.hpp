#pragma once

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "harness/run/events.hpp"
#include "runner/runner.hpp"

namespace gpucheck::runner::testing {

/// A folder of its own for one test, known to the processes it starts by an environment
/// variable; removed at the end.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Number of processes that left the mark.
  [[nodiscard]] std::size_t marks(const std::string& name) const;
  bool wait_for_mark(const std::string& name) const;
  /// Processes alive that were started, by whomever, for this test.
  [[nodiscard]] std::vector<pid_t> processes() const;
  /// True when all of them are gone within ten seconds.
  [[nodiscard]] bool no_process_left() const;

 private:
  std::string path_;
};

/// Everything reported to a sink, as one line each.
class RecordingSink final : public harness::EventSink {
 public:
  void on(const harness::RunStarted& event) override;
  void on(const harness::CaseStarted& event) override;
  void on(const harness::CaseFinished& event) override;
  void on(const harness::RunFinished& event) override;
  void on_heartbeat() override { ++heartbeats; }

  harness::RunStarted started;
  harness::RunFinished finished;
  std::vector<std::string> lines;
  std::vector<std::size_t> totals;  ///< as reported with each case that finished
  int heartbeats = 0;
  std::function<void()> on_every_event;
};

/// One run of misbehaving cases in a folder of its own.
struct TestRun {
  TestRun();
  /// Runs the cases with these names, in this order.
  const RunSummary& run(const std::vector<std::string>& names);
  const RunSummary& run_plan(const Plan& plan);
  [[nodiscard]] Plan plan(const std::vector<std::string>& names, std::vector<harness::CaseResult> ready = {}) const;
  /// The result of the case with this name. @throws std::runtime_error when there is none.
  [[nodiscard]] const harness::CaseResult& result(const std::string& name) const;
  /// Names of the cases that were not run.
  [[nodiscard]] std::vector<std::string> not_run() const;
  /// "pass", "fail", ... of every result, in the order finished, with names.
  [[nodiscard]] std::vector<std::string> outcomes() const;

  TestFolder folder;
  harness::Registry registry;
  golden::GoldenSet goldens;
  Options options{.host_name = "n7"};
  PlanOptions plan_options;
  RecordingSink sink;
  RunSummary summary;
  double seconds = 0;
};

/// Value of an observation, as text; "nothing" when it was not made.
std::string observed(const harness::CaseResult& result, const std::string& key);

}  // namespace gpucheck::runner::testing
