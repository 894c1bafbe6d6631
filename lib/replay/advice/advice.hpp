#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "replay/advice/live_at_peak.hpp"
#include "replay/advice/out_of_memory.hpp"
#include "replay/advice/search/search.hpp"
#include "replay/advice/search/setting_facts.hpp"
#include "replay/advice/usage_curve.hpp"
#include "replay/analysis/conversion.hpp"
#include "replay/verdict/verdict.hpp"

namespace gpucheck::replay {

/// What is asked of `advise`.
struct AdviceRequest {
  std::vector<std::string> settings = {};  ///< to be shown beside the recorded ones
  KeyRules rules = {};                     ///< for what is advised
  std::optional<std::uint64_t> memory_limit_bytes = std::nullopt;
  DeviceSource devices = {};  ///< simulated ones; opened from several threads
  unsigned threads = 1;
  bool wants_curves = false;  ///< also memory over time
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};
};

/// What is advised for the program that one device's events were recorded of.
struct Advice {
  std::size_t device = 0;  ///< in the snapshot
  ConversionReport recorded;
  std::string recorded_settings;  ///< as they are played: what was in force, as far as PyTorch 2.11 knows it
  /// Why these cannot be played, in PyTorch's words; empty where they can.
  std::string rejection;
  OtherSettings carried_over;  ///< of the recorded settings, into those that are advised
  std::optional<std::uint64_t> memory_limit_bytes;
  bool limit_is_recorded = false;  ///< what the file says of the device on which memory ran out
  std::size_t step_count = 0;
  SearchResult search;
  LiveAtPeak live;
  std::vector<OutOfMemory> failures;  ///< as recorded: the first and the last
  /// Where asked for: under the recorded settings, and under those that are advised.
  std::vector<UsageCurve> curves;
  /// By step: which event of the device, or Conversion::no_event.
  std::vector<std::uint32_t> recorded_events;

  /// Settings as they are to be pasted: with what was recorded and could not be played.
  [[nodiscard]] std::string to_paste(const std::string& settings) const {
    return joined_settings(settings, carried_over.unplayed);
  }
  [[nodiscard]] const RankedSettings* of(const std::string& settings) const noexcept;
  /// The settings as recorded; null where they were rejected.
  [[nodiscard]] const RankedSettings* as_recorded() const noexcept { return of(recorded_settings); }
  /// What is chosen, as `choose` says; null where nothing is: `search.outcome` says why.
  [[nodiscard]] const RankedSettings* advised() const noexcept;
  /// Memory suffices under the recorded settings; under some of the ranked ones. Both are so
  /// where there is no limit.
  [[nodiscard]] bool fits_as_recorded() const noexcept;
  [[nodiscard]] bool fits() const noexcept;
  /// What is allocated at once is more than the limit by itself: no settings can help.
  [[nodiscard]] bool is_beyond_all_settings() const noexcept {
    return memory_limit_bytes && search.least_bytes > *memory_limit_bytes;
  }
};

/// What was recorded on one device, ready to be played: what is advised is not in it yet.
struct RecordedProgram {
  Advice advice;
  Trace trace;
};

/// The snapshot's events are not needed any more afterwards, and `device`'s are given up on the
/// way: they are most of what a large file takes. @throws EnvironmentError where nothing was
/// recorded there.
RecordedProgram recorded_program(Snapshot& snapshot, std::size_t device, const AdviceRequest& request);

/// Searches the settings under which all programs are to run: of one job its processes have one
/// setting. @throws SettingsError for those asked for.
std::vector<Advice> advise(std::vector<RecordedProgram> programs, const AdviceRequest& request);

/// The same for one program.
Advice advise(Snapshot& snapshot, std::size_t device, const AdviceRequest& request);

/// Which of them needs most memory under what is advised, else as recorded, else under what
/// needs least. @pre at least one
std::size_t worst_of(const std::vector<Advice>& advices);

/// `failed` where under no settings memory suffices for all of them, which were searched together.
[[nodiscard]] Outcome outcome_of(const std::vector<Advice>& advices);

}  // namespace gpucheck::replay
