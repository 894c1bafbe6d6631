#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/result/result.hpp"
#include "harness/rules/comparison.hpp"
#include "harness/run/configuration.hpp"
#include "harness/run/job.hpp"
#include "harness/values/run_settings.hpp"

namespace gpucheck::harness {

/// One case on the devices it gets: what gives one result.
struct SelectedCase {
  std::string name;
  std::vector<int> devices = {};  ///< as in CaseResult
  int repetition = 0;

  auto operator<=>(const SelectedCase&) const = default;
};

template <>
inline constexpr auto fields_of<SelectedCase> =
    std::tuple{Field{"name", &SelectedCase::name}, Field{"devices", &SelectedCase::devices},
               Field{"repetition", &SelectedCase::repetition}};
static_assert(has_every_member<SelectedCase>);

/// What the result is of.
inline SelectedCase selected_case(const CaseResult& result) {
  return {.name = result.name, .devices = result.devices, .repetition = result.repetition};
}

/// A case of the site's own that a run selected.
struct SiteCase {
  std::string name;
  std::string digest;  ///< as harness::Program has it

  auto operator<=>(const SiteCase&) const = default;
};

template <>
inline constexpr auto fields_of<SiteCase> =
    std::tuple{Field{"name", &SiteCase::name}, Field{"digest", &SiteCase::digest}};
static_assert(has_every_member<SiteCase>);

/// The first event of a run: what is about to happen, and on what.
struct RunStarted {
  std::string version;                    ///< gpucheck's own
  std::vector<std::string> command_line;  ///< as typed, program name first
  std::chrono::system_clock::time_point start_time;
  std::string host_name;                ///< as the engine that started the run calls this machine, where one did
  std::vector<DeviceIdentity> devices;  ///< each at its index; none when interrupted before they were known
  RunSettings settings;
  int jobs = 1;        ///< side by side on one device
  int max_skips = -1;  ///< more skips than this cannot be judged; -1: any number
  /// To run, in order; with many repetitions, the first of them. What runs in later ones is
  /// known when it starts, so that a run of a million repetitions is not a list of millions.
  std::vector<SelectedCase> selected;
  std::size_t total = 0;  ///< results there will be, of all repetitions
  /// What it is to mean that nothing was selected: "pass", "warn" or "fail". Empty where something was.
  std::string no_cases = {};
  std::optional<Configuration> configuration = {};  ///< absent where no configuration file is in force
  std::optional<Job> job = {};                      ///< absent where no engine started the run
  std::vector<SiteCase> site_cases = {};            ///< of those selected
  std::string golden_digest = {};  ///< of the golden files and limits that judge; see GoldenSet::digest
};

template <>
inline constexpr auto fields_of<RunStarted> = std::tuple{
    Field{"version", &RunStarted::version},
    Field{"command_line", &RunStarted::command_line},
    Field{"start_time", &RunStarted::start_time},
    Field{"host_name", &RunStarted::host_name},
    Field{"devices", &RunStarted::devices},
    Field{"settings", &RunStarted::settings},
    Field{"jobs", &RunStarted::jobs},
    Field{"max_skips", &RunStarted::max_skips},
    Field{"selected", &RunStarted::selected},
    Field{"total", &RunStarted::total},
    Field{"no_cases", &RunStarted::no_cases},
    Field{"config", &RunStarted::configuration},
    Field{"job", &RunStarted::job},
    Field{"site_cases", &RunStarted::site_cases},
    Field{"golden_digest", &RunStarted::golden_digest},
};
static_assert(has_every_member<RunStarted>);

struct CaseStarted {
  std::string name;
  int repetition = 0;
  std::size_t running = 0;   ///< cases under way, this one included
  std::size_t finished = 0;  ///< so far
  std::size_t total = 0;
  std::vector<int> devices = {};  ///< as in CaseResult
};

template <>
inline constexpr auto fields_of<CaseStarted> = std::tuple{
    Field{"name", &CaseStarted::name},       Field{"repetition", &CaseStarted::repetition},
    Field{"running", &CaseStarted::running}, Field{"finished", &CaseStarted::finished},
    Field{"total", &CaseStarted::total},     Field{"devices", &CaseStarted::devices},
};
static_assert(has_every_member<CaseStarted>);

struct CaseFinished {
  CaseResult result;
  std::size_t finished = 0;  ///< so far, this one included
  std::size_t total = 0;
};

template <>
inline constexpr auto fields_of<CaseFinished> = std::tuple{
    Field{"result", &CaseFinished::result},
    Field{"finished", &CaseFinished::finished},
    Field{"total", &CaseFinished::total},
};
static_assert(has_every_member<CaseFinished>);

/// The last event, also of an interrupted run.
struct RunFinished {
  Counts counts;
  double duration_ms = 0;
  /// Never finished, of the cases named when the run started or since; `counts.not_run` is
  /// of all.
  std::vector<SelectedCase> not_run;
  std::vector<SelectedCase> running;  ///< of those, what had been started
  std::string incomplete;             ///< why this is not the run's own last word; empty when it is
  std::vector<WaiverUse> waivers;     ///< those that had to do with the cases that finished
  /// Repetitions that never began for want of time are none that the run lacks: whoever set its deadline allows that.
  bool may_lack_repetitions = false;
  std::vector<int> unproven_devices;  ///< of which every result is a skip: nothing is known of them
  /// Devices of one model with each other; worked out from the results, so that no journal carries it.
  std::vector<Comparison> comparisons = {};
  /// Measured again after all else, because a device was far slower than its peers: no results of the run besides, but
  /// the speeds in them count in the comparisons instead of the first ones.
  std::vector<CaseResult> remeasured = {};
  std::vector<DeviceTime> device_times;  ///< one for each device, in their order; none when incomplete
  int interrupted_by_signal = 0;         ///< SIGINT for example; 0 when not interrupted
  int exit_code = 0;
};

template <>
inline constexpr auto fields_of<RunFinished> = std::tuple{
    Field{"counts", &RunFinished::counts},
    Field{"duration_ms", &RunFinished::duration_ms},
    Field{"not_run", &RunFinished::not_run},
    Field{"running", &RunFinished::running},
    Field{"incomplete", &RunFinished::incomplete},
    Field{"waivers", &RunFinished::waivers},
    Field{"may_lack_repetitions", &RunFinished::may_lack_repetitions},
    Field{"unproven_devices", &RunFinished::unproven_devices},
    Derived{"comparisons", &RunFinished::comparisons},
    Field{"remeasured", &RunFinished::remeasured},
    Field{"device_times", &RunFinished::device_times},
    Field{"interrupted_by_signal", &RunFinished::interrupted_by_signal},
    Field{"exit_code", &RunFinished::exit_code},
};
static_assert(has_every_member<RunFinished>);

/// Consumes a run's events, in order, on one thread: one RunStarted, then for each case
/// on each device CaseStarted and CaseFinished, then one RunFinished.
class EventSink {
 public:
  EventSink() = default;
  EventSink(const EventSink&) = delete;
  EventSink& operator=(const EventSink&) = delete;
  virtual ~EventSink() = default;

  virtual void on(const RunStarted& event) = 0;
  virtual void on(const CaseStarted& event) = 0;
  virtual void on(const CaseFinished& event) = 0;
  virtual void on(const RunFinished& event) = 0;
  /// Time has passed, whether or not anything happened: called again and again between
  /// RunStarted and RunFinished, for whoever must show that the run is alive.
  virtual void on_heartbeat() {}
};

/// Informs every sink, also those behind one that throws: a report that cannot be written
/// costs no other report. Then throws what the first one threw.
template <typename Event>
void tell(std::span<EventSink* const> sinks, const Event& event) {
  std::exception_ptr first;
  for (EventSink* sink : sinks) {
    try {
      sink->on(event);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace gpucheck::harness
