#pragma once

#include <fmt/format.h>
#include <initializer_list>
#include <string>

#include "base/error.hpp"
#include "harness/case/context.hpp"
#include "harness/case/needs.hpp"
#include "telemetry/machine/machine.hpp"

/// Readings of a GPU as cases use them: what is essential is there, or the case says why it cannot judge.
namespace gpucheck::cases {

/// "temperature_gpu_celsius: not supported".
inline std::string without_value(const telemetry::Gpu& gpu, telemetry::Reading reading) {
  const std::string* const reason = telemetry::problem(gpu[reading]);
  return fmt::format("{}: {}", telemetry::info_of(reading).key, reason == nullptr ? "not a number" : *reason);
}

/// A reading that the case is about.
/// @throws harness::Skip where the driver does not offer it; EnvironmentError where it failed to answer.
inline std::int64_t required_number(const telemetry::Gpu& gpu, telemetry::Reading reading) {
  if (const auto value = telemetry::number(gpu[reading])) return *value;
  if (telemetry::is_failure(gpu[reading])) throw EnvironmentError(without_value(gpu, reading));
  throw harness::Skip(without_value(gpu, reading));
}

/// The same of a flag.
inline bool required_flag(const telemetry::Gpu& gpu, telemetry::Reading reading) {
  if (const auto value = telemetry::flag(gpu[reading])) return *value;
  if (telemetry::is_failure(gpu[reading])) throw EnvironmentError(without_value(gpu, reading));
  throw harness::Skip(without_value(gpu, reading));
}

/// Readings of which the case needs one at least. @throws as `required_number`; the text names all.
inline void require_any(const telemetry::Gpu& gpu, std::initializer_list<telemetry::Reading> readings) {
  std::string reasons;
  bool has_failed = false;
  for (const telemetry::Reading reading : readings) {
    if (telemetry::problem(gpu[reading]) == nullptr) return;
    has_failed = has_failed || telemetry::is_failure(gpu[reading]);
    reasons += (reasons.empty() ? "" : "; ") + without_value(gpu, reading);
  }
  if (has_failed) throw EnvironmentError(reasons);
  throw harness::Skip(reasons);
}

/// Observes a reading that is reported, not judged: its value, or why there is none.
inline void tell(harness::Context& context, const std::string& key, const telemetry::Value& value) {
  if (const auto number = telemetry::number(value)) return context.observe(key, *number);
  if (const auto flag = telemetry::flag(value)) return context.observe(key, harness::Value(*flag));
  const std::string* const text = telemetry::text(value);
  context.observe(key, harness::Value(text == nullptr ? *telemetry::problem(value) : *text));
}

}  // namespace gpucheck::cases
