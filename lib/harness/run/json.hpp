#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/case/case.hpp"
#include "harness/result/failure_kinds.hpp"
#include "harness/result/result.hpp"
#include "harness/run/events.hpp"
#include "harness/values/run_settings.hpp"

/// The parts of results as JSON, for reports and for the pipe between supervisor and
/// worker. Every text comes out as valid UTF-8 (what is not is replaced by U+FFFD), so
/// that no later `dump()` can fail. Numbers stay numbers; JSON has none that are not
/// finite, so those become the strings "nan", "inf" and "-inf".
///
/// The `*_from_json` functions @throw Error naming what is wrong with the document.
namespace gpucheck::harness {

nlohmann::ordered_json to_json(const Value& value);
nlohmann::ordered_json to_json(const ParameterValue& value);
/// An object, in name order.
nlohmann::ordered_json to_json(const ParameterValues& values);
/// `{"key": …, "kind": …, "value": …}`: `kind` makes the way back exact, also for an
/// empty array and a real that is not finite.
nlohmann::ordered_json to_json(const Observation& observation);
/// An object of key and value, in the order observed.
nlohmann::ordered_json to_json(const Observations& observations);
nlohmann::ordered_json to_json(const Needs& needs);
nlohmann::ordered_json to_json(const RunSettings& settings);
nlohmann::ordered_json to_json(const Mismatch& mismatch);
nlohmann::ordered_json to_json(const Attempt& attempt);
nlohmann::ordered_json to_json(const Measurement& measurement);
nlohmann::ordered_json to_json(const FailureKind& kind);
nlohmann::ordered_json to_json(const DeviceIdentity& device);
nlohmann::ordered_json to_json(const DeviceTime& time);
nlohmann::ordered_json to_json(const GpuTelemetry& telemetry);
nlohmann::ordered_json to_json(const SelectedCase& selected);
nlohmann::ordered_json to_json(const Configuration& configuration);
nlohmann::ordered_json to_json(const Job& job);
nlohmann::ordered_json to_json(const SiteCase& site_case);
nlohmann::ordered_json to_json(const Counts& counts);
nlohmann::ordered_json to_json(const Waiver& waiver);
nlohmann::ordered_json to_json(const WaiverUse& use);
/// With the kind of failure in place of its code; null where nothing fails.
nlohmann::ordered_json to_json(const Comparison& comparison);

/// A scalar or an array of one kind. A whole number is an integer unless it is written
/// as a real (`1.0`) or stands in an array with reals. An empty array counts as one of
/// integers.
Value value_from_json(const nlohmann::ordered_json& json);
ParameterValue parameter_value_from_json(const nlohmann::ordered_json& json);
ParameterValues parameter_values_from_json(const nlohmann::ordered_json& json);
Observation observation_from_json(const nlohmann::ordered_json& json);
Mismatch mismatch_from_json(const nlohmann::ordered_json& json);
GpuTelemetry gpu_telemetry_from_json(const nlohmann::ordered_json& json);
DeviceIdentity device_identity_from_json(const nlohmann::ordered_json& json);
/// @throws UsageError too, for an allocator that is none.
RunSettings run_settings_from_json(const nlohmann::ordered_json& json);

}  // namespace gpucheck::harness
