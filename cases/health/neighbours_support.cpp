#include "cases/health/neighbours_support.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "cases/shared/health_support.hpp"

namespace gpucheck::cases::in_health {
namespace {

bool is_same_gpu(const Gpu& one, const Gpu& other) {
  return one[Reading::uuid] == other[Reading::uuid] && one[Reading::pci_address] == other[Reading::pci_address];
}

bool is_at_same_load(const Gpu& one, const Gpu& other) {
  constexpr std::int64_t percent_points = 10;
  const auto use = telemetry::number(one[Reading::utilization_gpu]);
  const auto other_use = telemetry::number(other[Reading::utilization_gpu]);
  if (telemetry::is_failure(other[Reading::power_draw])) return false;
  const auto power = telemetry::number(one[Reading::power_draw]);
  const auto other_power = telemetry::number(other[Reading::power_draw]);
  if (!use || !other_use || std::abs(*use - *other_use) > percent_points) return false;
  // Not every board measures its power.
  return !power || !other_power || (*power <= 2 * *other_power && *other_power <= 2 * *power);
}

}  // namespace

std::optional<std::int64_t> degrees_above_neighbours(const telemetry::Machine& machine, const Gpu& gpu) {
  // Without its own readings nothing is compared; a neighbour without its has a verdict of its own.
  for (const Reading reading : {Reading::name, Reading::temperature_gpu, Reading::utilization_gpu, Reading::power_draw})
    static_cast<void>(is_offered(gpu, reading));
  const auto own = telemetry::number(gpu[Reading::temperature_gpu]);
  std::vector<std::int64_t> others;
  for (const Gpu& other : machine.gpus) {
    const auto celsius = telemetry::number(other[Reading::temperature_gpu]);
    const bool is_neighbour = !is_same_gpu(gpu, other) && other[Reading::name] == gpu[Reading::name];
    if (celsius && is_neighbour && is_at_same_load(gpu, other)) others.push_back(*celsius);
  }
  if (!own || others.empty()) return {};
  const auto middle = others.begin() + std::ssize(others) / 2;
  std::ranges::nth_element(others, middle);
  return *own - *middle;
}

}  // namespace gpucheck::cases::in_health
