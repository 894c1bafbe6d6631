#include "harness/telemetry/gpu_telemetry.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "harness/xid/judge.hpp"
#include "telemetry/machine/gpu_loss.hpp"
#include "telemetry/machine/reading.hpp"

namespace gpucheck::harness {
namespace {

using telemetry::Reading;

/// What must not grow, or be raised, while a case runs, and which failure that is.
struct Watched {
  Reading reading;
  std::string_view failure;
};
constexpr std::array hardware_errors{Watched{Reading::ecc_volatile_uncorrected, "uncorrectable_memory_error"},
                                     Watched{Reading::remapped_rows_uncorrected, "uncorrectable_memory_error"},
                                     Watched{Reading::remap_pending, "row_remap_pending"},
                                     Watched{Reading::remap_failed, "row_remap_failed"},
                                     Watched{Reading::retired_pages_pending, "row_remap_pending"}};

}  // namespace

std::string_view recovery_asked_for(const GpuTelemetry& telemetry) {
  return telemetry.recovery_action ? failure_of_recovery(*telemetry.recovery_action) : std::string_view();
}

std::vector<HardwareError> new_hardware_errors(const GpuTelemetry& telemetry) {
  std::vector<HardwareError> errors;
  for (const CounterChange& change : telemetry.changes) {
    if (change.counter == telemetry::info_of(Reading::recovery_action).key) {
      const std::string_view failure = recovery_asked_for(telemetry);
      if (failure.empty()) continue;
      errors.push_back({.text = fmt::format("{} {}", change.counter, *telemetry.recovery_action), .failure = failure});
      continue;
    }
    const auto is_it = [&change](const Watched& each) {
      return telemetry::info_of(each.reading).key == change.counter;
    };
    const auto* const watched = std::ranges::find_if(hardware_errors, is_it);
    if (change.change <= 0 || watched == hardware_errors.end()) continue;
    errors.push_back({.text = fmt::format("{} +{}", change.counter, change.change), .failure = watched->failure});
  }
  for (const std::int64_t xid : telemetry.xids) {
    const std::string_view failure = failure_while_running(xid);
    if (failure.empty() || std::ranges::count(telemetry.harmless_xids, xid) > 0) continue;
    errors.push_back({.text = fmt::format("XID {}", xid), .failure = failure});
  }
  if (const auto loss = telemetry::loss_in(telemetry.problem)) {
    const bool is_lost = *loss == telemetry::GpuLoss::lost;
    errors.push_back({.text = telemetry.problem, .failure = is_lost ? "gpu_lost" : "gpu_reset_required"});
  }
  return errors;
}

}  // namespace gpucheck::harness
