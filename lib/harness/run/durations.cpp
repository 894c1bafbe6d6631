#include "harness/run/durations.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::harness {
namespace {

using std::chrono::milliseconds;

std::optional<milliseconds> time_at(const nlohmann::json& object, const char* key) {
  if (!object.contains(key)) return std::nullopt;
  const auto time = object.at(key).get<std::int64_t>();
  if (time < 0) throw Error(fmt::format("\"{}\" is negative", key));
  return milliseconds(time);
}

}  // namespace

Durations Durations::parse(std::string_view text) {
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    if (document.at("schema") != "gpucheck.durations/1") throw Error("another schema");
    Durations durations;
    for (const auto& [name, times] : document.at("cases").items()) {
      durations.set(name, {.on_simulator = time_at(times, "simulator_ms"), .on_gpu = time_at(times, "gpu_ms")});
    }
    return durations;
  } catch (const nlohmann::json::exception& problem) {
    throw Error(fmt::format("these are not durations: {}", problem.what()));
  }
}

std::optional<milliseconds> Durations::of(std::string_view case_name, bool on_simulator) const {
  const auto found = cases_.find(case_name);
  if (found == cases_.end()) return std::nullopt;
  return on_simulator ? found->second.on_simulator : found->second.on_gpu;
}

std::string_view to_text(Estimate::Basis basis) noexcept {
  switch (basis) {
    case Estimate::Basis::measured:
      return "measured";
    case Estimate::Basis::skipped:
      return "skipped";
    case Estimate::Basis::deadline:
      break;
  }
  return "deadline";
}

Estimate estimate(const Case& test_case, bool has_parameters, bool on_simulator, milliseconds limit,
                  const Durations& durations) {
  if (test_case.needs.simulated_device && !on_simulator) return {.time = {}, .basis = Estimate::Basis::skipped};
  const std::optional<milliseconds> measured =
      has_parameters ? std::nullopt : durations.of(test_case.name, on_simulator);
  if (measured && *measured < limit) return {.time = *measured, .basis = Estimate::Basis::measured};
  return {.time = limit, .basis = Estimate::Basis::deadline};
}

}  // namespace gpucheck::harness
