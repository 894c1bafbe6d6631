#include <algorithm>
#include <fmt/ranges.h>
#include <map>
#include <set>

#include "cases/health/support.hpp"

namespace gpucheck::cases::in_health::inventory {
namespace {

using telemetry::Machine;
using Texts = std::vector<std::string>;

/// "/dev/nvidia0", not "/dev/nvidiactl".
bool is_of_a_gpu(const telemetry::NamedState& file) {
  constexpr std::string_view prefix = "/dev/nvidia";
  return file.name.starts_with(prefix) && file.name.size() > prefix.size() &&
         file.name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

/// GPUs on the bus to which no driver is bound: those of another container have theirs.
Texts unbound(const telemetry::Host& host) {
  Texts addresses;
  for (const telemetry::PciGpu& gpu : host.pci_gpus) {
    if (gpu.driver.empty()) addresses.push_back(gpu.address);
  }
  return addresses;
}

/// A device file for each GPU that the driver found, and those that it did not.
std::int64_t expected_by_host(const telemetry::Host& host) {
  if (!host.device_files_problem.empty()) {
    throw harness::Skip(
        fmt::format("how many GPUs there should be is not known ({}): say expected_gpus", host.device_files_problem));
  }
  return std::ranges::count_if(host.device_files, is_of_a_gpu) + static_cast<std::int64_t>(unbound(host).size());
}

/// Those that the library lists and gives no handle for.
Texts unreachable(const Machine& machine) {
  Texts reasons;
  for (const Gpu& gpu : machine.gpus) {
    if (telemetry::flag(gpu[Reading::handle]) == true) continue;
    reasons.push_back(without_value(gpu, Reading::handle));
  }
  return reasons;
}

std::string shown(const telemetry::Value& value) {
  const std::string* const text = telemetry::text(value);
  return text == nullptr ? "?" : *text;
}

/// Models of which the GPUs do not all have the same VBIOS.
Texts mixed_vbios(const Machine& machine) {
  std::map<std::string, std::set<std::string>> versions;
  for (const Gpu& gpu : machine.gpus) {
    if (const std::string* const vbios = telemetry::text(gpu[Reading::vbios_version])) {
      versions[shown(gpu[Reading::name])].insert(*vbios);
    }
  }
  Texts mixed;
  for (const auto& [model, found] : versions) {
    if (found.size() > 1) mixed.push_back(fmt::format("{}: {}", model, fmt::join(found, ", ")));
  }
  return mixed;
}

/// The loaded driver and the library that speaks to it, where they are not of one version.
Texts mixed_drivers(const Machine& machine) {
  const std::string& loaded = machine.host.kernel_module_version;
  if (loaded.empty() || loaded == machine.driver_version) return {};
  return {fmt::format("the loaded driver is {}, its library is of {}", loaded, machine.driver_version)};
}

void run(harness::Context& context) {
  const Machine machine = context.telemetry().machine();
  const auto given = context.parameter<std::int64_t>("expected_gpus");
  const std::int64_t expected = given > 0 ? given : expected_by_host(machine.host);
  const Texts lost = unreachable(machine);
  const auto reachable = static_cast<std::int64_t>(machine.gpus.size() - lost.size());
  context.observe("gpus_missing", over(reachable, expected));
  context.observe("unreachable", lost);
  context.observe("without_driver", unbound(machine.host));
  context.observe("mixed_vbios", mixed_vbios(machine));
  context.observe("mixed_drivers", mixed_drivers(machine));
  context.observe("gpus", reachable);
  context.observe("gpus_expected", expected);
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.inventory",
      .summary = "All GPUs are there and answer, with one driver, and with one VBIOS for each model",
      .source = std::string(nvml_documentation),
      .needs = {.devices = 0},
      .parameters = {{.name = "expected_gpus",
                      .summary =
                          "GPUs that the machine must have; 0: as many as there are device files, and on the PCI "
                          "bus without a driver",
                      .default_value = std::int64_t{0},
                      .minimum = 0,
                      .maximum = 1024}},
      .faults = {{.name = "gpu_lost",
                  .summary = "the driver lists a GPU no more",
                  .telemetry = telemetry::always(Aspect::gpu, {})},
                 {.name = "no_handle",
                  .summary = "a GPU is listed and cannot be reached",
                  .telemetry = telemetry::failing(Reading::handle)},
                 {.name = "without_driver",
                  .summary = "the driver has not taken a GPU that is on the bus",
                  .telemetry = telemetry::always(Aspect::unbound_gpu, "0000:ee:00.0")},
                 {.name = "another_vbios",
                  .summary = "two GPUs of one model differ in their VBIOS",
                  .telemetry = telemetry::always(Aspect::neighbour, {}) +
                               telemetry::always(Reading::vbios_version, "00.00.00.00.00")},
                 {.name = "another_driver",
                  .summary = "the library is not of the driver that is loaded",
                  .telemetry = telemetry::always(Aspect::kernel_module_version, "1.2.3")}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::inventory
