#include "harness/gpu_telemetry.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "telemetry/reading.hpp"

namespace gpucheck::harness {
namespace {

using telemetry::Reading;

/// What must not grow, or be raised, while a case runs, and what it comes to.
struct Watched {
  Reading reading;
  std::string_view failure;
};
constexpr std::array hardware_errors{Watched{Reading::ecc_volatile_uncorrected, "uncorrectable_memory_error"},
                                     Watched{Reading::remapped_rows_uncorrected, "uncorrectable_memory_error"},
                                     Watched{Reading::remap_pending, "row_remap_pending"},
                                     Watched{Reading::remap_failed, "row_remap_failed"},
                                     Watched{Reading::retired_pages_pending, "row_remap_pending"}};

/// Graphics engine exception, memory page fault, stopped processing, preemptive cleanup after an earlier error, video
/// processor exception, context switch timeout: after which NVIDIA's own plugin for Kubernetes goes on to use a GPU
/// (NVIDIA/k8s-device-plugin, internal/rm/health.go).
constexpr std::array<std::int64_t, 6> program_xids{13, 31, 43, 45, 68, 109};

}  // namespace

bool is_caused_by_programs(std::int64_t xid) noexcept { return std::ranges::count(program_xids, xid) > 0; }

std::vector<HardwareError> new_hardware_errors(const GpuTelemetry& telemetry) {
  std::vector<HardwareError> errors;
  for (const CounterChange& change : telemetry.changes) {
    const auto is_it = [&change](const Watched& each) {
      return telemetry::info_of(each.reading).key == change.counter;
    };
    const auto* const watched = std::ranges::find_if(hardware_errors, is_it);
    if (change.change <= 0 || watched == hardware_errors.end()) continue;
    errors.push_back({.text = fmt::format("{} +{}", change.counter, change.change), .failure = watched->failure});
  }
  for (const std::int64_t xid : telemetry.xids) {
    if (is_caused_by_programs(xid)) continue;
    errors.push_back({.text = fmt::format("XID {}", xid), .failure = "hardware_error_reported"});
  }
  return errors;
}

}  // namespace gpucheck::harness
