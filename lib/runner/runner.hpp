#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/waivers.hpp"
#include "golden/golden.hpp"
#include "harness/events.hpp"
#include "harness/exit_codes.hpp"
#include "harness/registry.hpp"
#include "harness/run_settings.hpp"

/// Runs cases in worker processes and judges them. The supervisor never touches a
/// device: it starts workers (the same binary), gives each case a deadline, replaces
/// workers that crash, hang or are contaminated, and tells its sinks what happens.
namespace gpucheck::runner {

enum class Isolation {
  worker,   ///< warm workers are used again for cases that do not need their own process
  process,  ///< a fresh process for every case
};

struct Shard {
  int index = 1;  ///< 1-based
  int count = 1;
};

/// One case to run, in the plan's order.
struct PlannedCase {
  const harness::Case* test_case = nullptr;
  /// The run's, narrowed to the case: `case_seed` of the repetition's seed and the name,
  /// and of the parameters only those that the case declares.
  harness::RunSettings settings = {};
  int repetition = 0;
};

/// What a run does. As large for a million repetitions as for one.
struct Plan {
  /// Results known before it begins, a golden file without a case for example: told first,
  /// as they are, and counted like any other. They are of no device, and tried once.
  std::vector<harness::CaseResult> ready = {};
  std::vector<PlannedCase> cases = {};  ///< of the first repetition, in its order
  int repeat = 1;
  std::uint64_t run_seed = 0;  ///< of the first repetition
  bool shuffle = false;        ///< each repetition has an order of its own

  [[nodiscard]] bool empty() const noexcept { return ready.empty() && cases.empty(); }
  /// The same cases as in the first, with their seeds.
  [[nodiscard]] std::vector<PlannedCase> repetition(int index) const;
};

struct PlanOptions {
  harness::RunSettings settings = {};  ///< parameters: applied to every case that declares the name
  int repeat = 1;
  bool shuffle = false;  ///< order from hashing each name with the seed: a subset keeps its order
  Shard shard = {};      ///< round robin over the selection as given, and then what is ready
};

/// The seed a case gets: the upper 53 bits, which every JSON reader keeps, of SplitMix64's
/// finaliser over the mixed run seed xor the FNV-1a hash of the name. Depends on nothing else, so selection, order and
/// sharding do not alter it, and `--seed` reproduces it for one case alone.
std::uint64_t case_seed(std::uint64_t run_seed, std::string_view case_name) noexcept;

/// The run seed that stands for one repetition of `--repeat`: the given one for the
/// first, then one more each time, so that repetitions try different things and each can
/// be run again by its own `--seed`.
std::uint64_t seed_of_repetition(std::uint64_t run_seed, int repetition) noexcept;

/// @param ready known whatever is repeated: each is in the plan once, of one shard.
/// @throws UsageError for a parameter that no selected case declares, with the nearest
/// names, for a text that is no value of one, and for a shard that does not exist.
Plan make_plan(std::span<const harness::Case* const> selected, const PlanOptions& options,
               std::vector<harness::CaseResult> ready = {});

struct Options {
  std::string program = {};            ///< the binary to start as worker; "/proc/self/exe" normally
  harness::RunSettings settings = {};  ///< of the run
  /// Cases side by side on one device; 0: one per core, at most 8, or 2 on CUDA, and on all
  /// devices together at most one per core, but one on each.
  int jobs = 0;
  bool every_device = true;  ///< false: each case on the first device alone, or the first neighbours
  /// How long a worker may take to tell what devices there are, or to make its contexts: a
  /// cold node with eight GPUs and no persistence daemon needs tens of seconds.
  std::chrono::milliseconds start_limit{120'000};
  Isolation isolation = Isolation::worker;
  std::optional<std::chrono::milliseconds> timeout = {};  ///< instead of each case's deadline
  bool fail_fast = false;
  int retries = 0;
  /// How often a case that failed by speed alone is measured again, `retries` or not: it fails when it never passes.
  /// Under a fault it is not.
  int remeasure = 2;
  int max_skips = -1;                      ///< more skips than this cannot be judged; -1: any number
  std::optional<int> skip_exit_code = {};  ///< the verdict on a run of nothing but skips
  std::string version = {};
  std::vector<std::string> command_line = {};
  /// Where each try of each case on each device leaves a trace of its own; empty: nowhere.
  std::string trace_folder = {};
  fleet::Waivers waivers = {};
  std::chrono::milliseconds heartbeat{30'000};  ///< how often the sinks are told that time passes
};

struct RunSummary {
  harness::Counts counts = {};
  std::vector<harness::CaseResult> results = {};  ///< in the order finished
  harness::ExitCode exit_code = harness::ExitCode::not_judged;
};

/// Runs the plan to its end, or until a signal, which stops it cleanly (signals.hpp). Blocks; call once at a time, from
/// the main thread. A device that cannot be used costs its own cases alone, each of which is an error.
/// @throws EnvironmentError when no worker can be started or no device can be had;
/// the text has the driver's own reason. @throws UsageError for a device name that means
/// nothing. Nothing has been told to the sinks then. What a sink throws comes through.
RunSummary run(const Plan& plan, const golden::GoldenSet& goldens, const Options& options,
               std::span<harness::EventSink* const> sinks);

/// Asks a worker what the devices are, without running anything.
/// @throws EnvironmentError, UsageError as `run` does.
std::vector<harness::DeviceIdentity> identify_devices(const Options& options);

}  // namespace gpucheck::runner
