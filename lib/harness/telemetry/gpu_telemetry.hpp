#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/values/fields.hpp"

namespace gpucheck::harness {

/// How a gauge moved while a case ran.
struct GaugeSummary {
  std::string gauge;  ///< its key, with the unit: "power_draw_mw"
  std::int64_t min = 0;
  double mean = 0;
  std::int64_t max = 0;
  bool operator==(const GaugeSummary&) const = default;
};

template <>
inline constexpr auto fields_of<GaugeSummary> =
    std::tuple{Field{"gauge", &GaugeSummary::gauge}, Field{"min", &GaugeSummary::min},
               Field{"mean", &GaugeSummary::mean}, Field{"max", &GaugeSummary::max}};
static_assert(has_every_member<GaugeSummary>);

/// By how much a counter differs from what it was before a case; of a flag, 1 when it was raised and -1 when it was
/// lowered.
struct CounterChange {
  std::string counter;  ///< its key
  std::int64_t change = 0;
  bool operator==(const CounterChange&) const = default;
};

template <>
inline constexpr auto fields_of<CounterChange> =
    std::tuple{Field{"counter", &CounterChange::counter}, Field{"change", &CounterChange::change}};
static_assert(has_every_member<CounterChange>);

/// What a GPU was found like before something was measured on it.
struct IdleReport {
  bool is_idle = false;
  double waited_ms = 0;
  std::optional<std::int64_t> utilization_percent;
  std::optional<std::int64_t> temperature_celsius;
  std::optional<std::int64_t> clock_sm_mhz;
  std::optional<std::int64_t> other_processes;  ///< that compute on the GPU and are not this one
  std::string reason;                           ///< why it is not idle, or not known to be; empty where it is
  bool operator==(const IdleReport&) const = default;
};

template <>
inline constexpr auto fields_of<IdleReport> = std::tuple{Field{"is_idle", &IdleReport::is_idle},
                                                         Field{"waited_ms", &IdleReport::waited_ms},
                                                         Field{"utilization_percent", &IdleReport::utilization_percent},
                                                         Field{"temperature_celsius", &IdleReport::temperature_celsius},
                                                         Field{"clock_sm_mhz", &IdleReport::clock_sm_mhz},
                                                         Field{"other_processes", &IdleReport::other_processes},
                                                         Field{"reason", &IdleReport::reason}};
static_assert(has_every_member<IdleReport>);

/// What the driver reported of one GPU around a case.
struct GpuTelemetry {
  int device = 0;                           ///< its index, in a worker its place among the case's devices
  std::optional<IdleReport> before = {};    ///< of a case that needs an idle GPU
  std::int64_t samples = 0;                 ///< of the gauges
  std::vector<GaugeSummary> gauges = {};    ///< of a case that lasted long enough to be sampled while it ran
  std::vector<CounterChange> changes = {};  ///< of what differs; counters are compared since the GPU was last looked at
  std::vector<std::int64_t> xids = {};      ///< numbers of the critical errors that were new
  std::vector<std::int64_t> harmless_xids = {};  ///< of those: the kernel's log says that they need no action
  /// What the driver asks for at the end (telemetry::recovery); none where it does not say.
  std::optional<std::int64_t> recovery_action = {};
  std::string problem = {};  ///< why some of it is not known; empty where all is
  bool operator==(const GpuTelemetry&) const = default;
};

template <>
inline constexpr auto fields_of<GpuTelemetry> = std::tuple{Field{"device", &GpuTelemetry::device},
                                                           Field{"before", &GpuTelemetry::before},
                                                           Field{"samples", &GpuTelemetry::samples},
                                                           Field{"gauges", &GpuTelemetry::gauges},
                                                           Field{"changes", &GpuTelemetry::changes},
                                                           Field{"xids", &GpuTelemetry::xids},
                                                           Field{"harmless_xids", &GpuTelemetry::harmless_xids},
                                                           Field{"recovery_action", &GpuTelemetry::recovery_action},
                                                           Field{"problem", &GpuTelemetry::problem}};
static_assert(has_every_member<GpuTelemetry>);

/// The kind of failure (by its name) that the driver's recovery action stands for: empty where the driver asks for
/// none, or does not say.
[[nodiscard]] std::string_view recovery_asked_for(const GpuTelemetry& telemetry);

/// What only failing hardware does.
struct HardwareError {
  std::string text;          ///< "ecc_volatile_uncorrected +1", "XID 79"
  std::string_view failure;  ///< its kind, by the name in failure_kinds.hpp
};
/// New uncorrectable errors, remaps that wait or have failed, critical errors ("XIDs") but those that a program
/// causes, a recovery that the driver asks for since the case began, and a GPU that the driver says is lost or requires
/// a reset.
[[nodiscard]] std::vector<HardwareError> new_hardware_errors(const GpuTelemetry& telemetry);

}  // namespace gpucheck::harness
