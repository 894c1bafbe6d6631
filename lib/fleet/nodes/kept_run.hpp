#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fleet/waivers.hpp"
#include "harness/run/device_verdicts.hpp"
#include "harness/run/events.hpp"

/// What is kept of one run among thousands. A fleet has millions of results; what passed counts, and what did not is
/// kept whole.
namespace gpucheck::fleet {

/// Texts that runs have in common, each kept once. Thread-safe; what it gave out is valid as long as it lives.
class SharedTexts {
 public:
  const std::string* keep(std::string_view text);

 private:
  std::mutex mutex_;
  std::unordered_set<std::string> texts_;  // its elements stay where they are
};

/// What became of one case, on all devices that it ran on and in all repetitions.
struct KeptCase {
  const std::string* name = nullptr;
  harness::Counts counts = {};  ///< `not_run` counts those that the run's end names
  double duration_ms = 0;
};

/// A value that a limit judged.
struct KeptMeasurement {
  const std::string* case_name = nullptr;
  const std::string* key = nullptr;
  int device = 0;  ///< its index in the run
  double value = 0;
  bool high_is_bad = false;  ///< the limit is one above
};

/// What a case measured from each of its devices to each other one (harness/result/pair_matrix.hpp).
struct KeptPairs {
  const std::string* case_name = nullptr;
  const std::string* metric = nullptr;
  std::vector<int> devices = {};    ///< their indexes in the run
  std::vector<double> values = {};  ///< row by row
};

struct KeptRun {
  std::string file;
  bool torn = false;                                 ///< its last line was cut off
  harness::RunStarted start;                         ///< without what was selected
  harness::RunFinished end;                          ///< without what is known of each device's time
  std::vector<KeptCase> cases;                       ///< all that were selected, by name
  std::vector<harness::CaseResult> troubles;         ///< those that count against the run or are waived, as finished
  std::size_t troubles_left_out = 0;                 ///< beyond `RunKeeper::most_troubles`
  std::vector<harness::DeviceVerdict> verdicts;      ///< one for each device
  std::optional<harness::DeviceVerdict> of_machine;  ///< none where no case was about it
  std::vector<KeptMeasurement> measurements;         ///< of cases on one GPU that passed or were only slow
  std::vector<KeptPairs> pairs;                      ///< at most `most_pairs`; of several repetitions the last
  /// Results with a digest, and those with a wrong value, without all else: for Peers.
  std::vector<harness::CaseResult> comparable;
};

/// Takes the events of one run, in their order, and keeps what a fleet's verdict rests on. Used by one thread.
class RunKeeper {
 public:
  /// What one run can have wrong with it in detail; a broken node fails everything.
  static constexpr std::size_t most_troubles = 24;
  /// Matrices of pairs; gpucheck's own cases give five.
  static constexpr std::size_t most_pairs = 64;

  /// @param waivers in place of those that the run had.
  RunKeeper(std::string file, const Waivers& waivers, SharedTexts& texts);

  void on(harness::RunStarted event);
  void on(harness::CaseFinished event);
  void on(harness::RunFinished event);

  [[nodiscard]] KeptRun take(bool torn);

 private:
  KeptCase& case_named(const std::string& name);
  void keep_measurements(const harness::CaseResult& result);
  void keep_pairs(const harness::CaseResult& result);

  const Waivers& waivers_;
  SharedTexts& texts_;
  std::optional<WaiverBook> book_;
  KeptRun run_;
  std::unordered_map<std::string, std::size_t> places_;  ///< of cases, by name
  harness::DeviceVerdicts verdicts_;
  harness::Counts counts_;
  bool lacked_time_ = false;
};

}  // namespace gpucheck::fleet
