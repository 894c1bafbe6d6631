#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/telemetry/gpu_telemetry.hpp"
#include "harness/values/fields.hpp"
#include "harness/values/parameter.hpp"
#include "harness/values/value.hpp"

namespace gpucheck::harness {

enum class Outcome {
  pass,
  fail,   ///< judged, and wrong: mismatches listed
  error,  ///< the tool or driver could not judge
  crash,  ///< the process died: signal or exit code
  hang,   ///< the deadline passed
  skip,   ///< something needed is absent
};

std::string_view to_text(Outcome outcome) noexcept;

/// It ran, and it is known what is wrong: a failure, a crash or a hang.
bool is_failure(Outcome outcome) noexcept;

/// One difference between the golden file and what was seen, or one broken
/// class-wide rule.
struct Mismatch {
  std::string key;           ///< observation key; "rule.<name>" for a class-wide rule
  std::string expected;      ///< as text: "true", "matches /out of memory/", "1 to 3", "nothing (key not expected)"
  std::string seen;          ///< as text; "nothing" when absent
  std::string basis;         ///< "seed", "torch", "math", "vendor" or "rule"
  std::string failure = {};  ///< the code of the kind of failure that it is (failure_kinds.hpp)
};

template <>
inline constexpr auto fields_of<Mismatch> =
    std::tuple{Field{"key", &Mismatch::key}, Field{"expected", &Mismatch::expected}, Field{"seen", &Mismatch::seen},
               Field{"basis", &Mismatch::basis}, Field{"failure", &Mismatch::failure}};
static_assert(has_every_member<Mismatch>);

/// A value that was judged by a limit (golden/limits). Numbers are in the unit that the key ends with; those that do
/// not apply are absent.
struct Measurement {
  std::string key;
  double value = 0;
  std::string verdict;  ///< "pass", "warn" or "fail"; "unknown" where no limit could be worked out
  std::optional<double> fail_below = {};
  std::optional<double> warn_below = {};
  std::optional<double> warn_above = {};
  std::optional<double> fail_above = {};
  std::optional<double> best = {};  ///< what the device could do at its best, where the limit is a share of that
  std::string source;               ///< whose word the limit is; why there is none, where it is unknown
};

template <>
inline constexpr auto fields_of<Measurement> = std::tuple{
    Field{"key", &Measurement::key},
    Field{"value", &Measurement::value},
    Field{"verdict", &Measurement::verdict},
    Field{"fail_below", &Measurement::fail_below},
    Field{"warn_below", &Measurement::warn_below},
    Field{"warn_above", &Measurement::warn_above},
    Field{"fail_above", &Measurement::fail_above},
    Field{"best", &Measurement::best},
    Field{"source", &Measurement::source},
};
static_assert(has_every_member<Measurement>);

/// A failed attempt of a case that was tried again.
struct Attempt {
  Outcome outcome = Outcome::error;
  std::string reason;
  double duration_ms = 0;
};

template <>
inline constexpr auto fields_of<Attempt> =
    std::tuple{Field{"outcome", &Attempt::outcome}, Field{"reason", &Attempt::reason},
               Field{"duration_ms", &Attempt::duration_ms}};
static_assert(has_every_member<Attempt>);

/// A failure that is known, and that somebody answers for until a date.
struct Waiver {
  std::string case_glob;
  std::string device;  ///< UUID, or "any"
  std::string reason;
  std::string owner;
  std::string expires;  ///< the last day on which it holds, UTC: "2026-12-31"
  /// The XID that is known: only failures by XIDs that waivers name are waived then. None: whatever fails.
  std::optional<std::int64_t> xid = {};
  bool operator==(const Waiver&) const = default;
};

template <>
inline constexpr auto fields_of<Waiver> = std::tuple{
    Field{"case", &Waiver::case_glob}, Field{"device", &Waiver::device},   Field{"reason", &Waiver::reason},
    Field{"owner", &Waiver::owner},    Field{"expires", &Waiver::expires}, Field{"xid", &Waiver::xid},
};
static_assert(has_every_member<Waiver>);

/// What became of a waiver in a run.
struct WaiverUse {
  Waiver waiver;
  std::string state;  ///< "used", "unused" (all that it covers passed) or "expired"
  bool operator==(const WaiverUse&) const = default;
};

template <>
inline constexpr auto fields_of<WaiverUse> = std::tuple{
    Field{"waiver", &WaiverUse::waiver},
    Field{"state", &WaiverUse::state},
};
static_assert(has_every_member<WaiverUse>);

/// Everything known about one finished case.
struct CaseResult {
  std::string name;
  std::vector<int> devices;  ///< those it is about, by their index in the run; none for the machine as a whole
  Outcome outcome = Outcome::error;
  bool flaky = false;                ///< passed, but only on a retry
  std::optional<Waiver> waiver;      ///< why its failure, crash or hang does not fail the run
  std::string reason;                ///< one line: why not a pass; empty for a pass
  double duration_ms = 0;            ///< wall time in the worker; until the end was noticed, for a crash or hang
  double deadline_extension_ms = 0;  ///< beyond its deadline; as long as it had waited for a processor
  Observations observations;         ///< kept also when the case crashed half way
  std::vector<Mismatch> mismatches;
  std::vector<Mismatch> warnings;         ///< differences that do not fail: the golden file says "warns" of the key
  std::vector<Measurement> measurements;  ///< of those observations that a limit judges
  std::vector<GpuTelemetry> telemetry;    ///< of each of its devices; none where it did not finish
  ParameterValues parameters;             ///< all of them, defaults included
  std::uint64_t seed = 0;
  std::string fault;             ///< name of the fault it ran under; empty outside `prove`
  int repetition = 0;            ///< 0-based, with --repeat
  std::optional<int> exit_code;  ///< of the worker, for a crash by exit
  std::optional<int> signal;     ///< of the worker, for a crash by signal
  std::string output_tail;       ///< last part of the process's stdout, raw bytes
  std::string error_tail;        ///< last part of its stderr, raw bytes
  std::vector<Attempt> earlier_attempts;
  std::string rerun_command;  ///< runs just this case again, same parameters and seed
};

template <>
inline constexpr auto fields_of<CaseResult> = std::tuple{
    Field{"name", &CaseResult::name},
    Field{"devices", &CaseResult::devices},
    Field{"outcome", &CaseResult::outcome},
    Field{"flaky", &CaseResult::flaky},
    Field{"waiver", &CaseResult::waiver},
    Field{"reason", &CaseResult::reason},
    Field{"duration_ms", &CaseResult::duration_ms},
    Field{"deadline_extension_ms", &CaseResult::deadline_extension_ms},
    Field{"observations", &CaseResult::observations},
    Field{"mismatches", &CaseResult::mismatches},
    Field{"warnings", &CaseResult::warnings},
    Field{"measurements", &CaseResult::measurements},
    Field{"telemetry", &CaseResult::telemetry},
    Field{"parameters", &CaseResult::parameters},
    Field{"seed", &CaseResult::seed},
    Field{"fault", &CaseResult::fault},
    Field{"repetition", &CaseResult::repetition},
    Field{"exit_code", &CaseResult::exit_code},
    Field{"signal", &CaseResult::signal},
    Field{"output_tail", &CaseResult::output_tail},
    Field{"error_tail", &CaseResult::error_tail},
    Field{"earlier_attempts", &CaseResult::earlier_attempts},
    Field{"rerun_command", &CaseResult::rerun_command},
};
static_assert(has_every_member<CaseResult>);

/// A pass with a mark: a state that warns, or a measured value beyond the limit that warns.
bool is_marked(const CaseResult& result) noexcept;

/// What the cases ran on.
struct DeviceIdentity {
  int index = 0;     ///< its place in the run's list, by which results name it
  std::string kind;  ///< "cuda" or "sim"
  int ordinal = 0;   ///< by which the driver knows it
  std::string name;
  std::string uuid;
  std::string pci_bus_id;
  std::uint64_t total_memory_bytes = 0;
  int multiprocessor_count = 0;
  int compute_capability_major = 0;
  int compute_capability_minor = 0;
  // What it could do at its best; 0 where it does not say.
  std::uint64_t multiprocessor_clock_khz = 0;
  std::uint64_t memory_clock_khz = 0;
  int memory_bus_bits = 0;
  int host_link_generation = 0;
  int host_link_lanes = 0;
  int peer_links = 0;  ///< NVLinks with the device that it has fewest with
  int peer_link_mbps = 0;
  std::string driver_version;  ///< empty when unknown
  std::string cuda_driver_version;
  std::string cuda_runtime_version;
  std::string note;     ///< why this device: "no CUDA device (…): using the simulator"; else empty
  std::string problem;  ///< why it cannot be used, in the driver's words; empty when it can
};

template <>
inline constexpr auto fields_of<DeviceIdentity> = std::tuple{
    Field{"index", &DeviceIdentity::index},
    Field{"kind", &DeviceIdentity::kind},
    Field{"ordinal", &DeviceIdentity::ordinal},
    Field{"name", &DeviceIdentity::name},
    Field{"uuid", &DeviceIdentity::uuid},
    Field{"pci_bus_id", &DeviceIdentity::pci_bus_id},
    Field{"total_memory_bytes", &DeviceIdentity::total_memory_bytes},
    Field{"multiprocessor_count", &DeviceIdentity::multiprocessor_count},
    Field{"compute_capability_major", &DeviceIdentity::compute_capability_major},
    Field{"compute_capability_minor", &DeviceIdentity::compute_capability_minor},
    Field{"multiprocessor_clock_khz", &DeviceIdentity::multiprocessor_clock_khz},
    Field{"memory_clock_khz", &DeviceIdentity::memory_clock_khz},
    Field{"memory_bus_bits", &DeviceIdentity::memory_bus_bits},
    Field{"host_link_generation", &DeviceIdentity::host_link_generation},
    Field{"host_link_lanes", &DeviceIdentity::host_link_lanes},
    Field{"peer_links", &DeviceIdentity::peer_links},
    Field{"peer_link_mbps", &DeviceIdentity::peer_link_mbps},
    Field{"driver_version", &DeviceIdentity::driver_version},
    Field{"cuda_driver_version", &DeviceIdentity::cuda_driver_version},
    Field{"cuda_runtime_version", &DeviceIdentity::cuda_runtime_version},
    Field{"note", &DeviceIdentity::note},
    Field{"problem", &DeviceIdentity::problem},
};
static_assert(has_every_member<DeviceIdentity>);

/// Where a device's share of a run's wall time went: `running_ms`, `starting_ms` and
/// `idle_ms` add up to the run's duration.
struct DeviceTime {
  int device = 0;             ///< its index
  double running_ms = 0;      ///< at least one case was under way
  double starting_ms = 0;     ///< none, but a worker was being started, or waited for its turn
  double idle_ms = 0;         ///< neither
  int processes = 0;          ///< workers started for it, each of which makes a context of its own
  double own_process_ms = 0;  ///< sum over the cases that ran in a process of their own, context included
};

template <>
inline constexpr auto fields_of<DeviceTime> =
    std::tuple{Field{"device", &DeviceTime::device},           Field{"running_ms", &DeviceTime::running_ms},
               Field{"starting_ms", &DeviceTime::starting_ms}, Field{"idle_ms", &DeviceTime::idle_ms},
               Field{"processes", &DeviceTime::processes},     Field{"own_process_ms", &DeviceTime::own_process_ms}};
static_assert(has_every_member<DeviceTime>);

struct Counts {
  int pass = 0, fail = 0, error = 0, crash = 0, hang = 0, skip = 0;
  int flaky = 0;             ///< of those that passed
  int waived = 0;            ///< of those that failed, crashed or hung
  std::int64_t not_run = 0;  ///< selected, but the run ended before them
  [[nodiscard]] int total() const noexcept { return pass + fail + error + crash + hang + skip; }
  void add(const CaseResult& result) noexcept;
  bool operator==(const Counts&) const = default;
};

template <>
inline constexpr auto fields_of<Counts> = std::tuple{
    Field{"pass", &Counts::pass},   Field{"fail", &Counts::fail},     Field{"error", &Counts::error},
    Field{"crash", &Counts::crash}, Field{"hang", &Counts::hang},     Field{"skip", &Counts::skip},
    Field{"flaky", &Counts::flaky}, Field{"waived", &Counts::waived}, Field{"not_run", &Counts::not_run},
};
static_assert(has_every_member<Counts>);

}  // namespace gpucheck::harness
