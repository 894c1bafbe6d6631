#include <algorithm>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>

#include "base/text/pci_address.hpp"
#include "cases/shared/health_support.hpp"
#include "telemetry/machine/driver_state.hpp"

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

/// GPUs whose device files the job's cgroup forbids: they are another job's.
std::int64_t not_ours(const telemetry::Host& host) {
  return std::ranges::count_if(host.device_files, [](const telemetry::NamedState& file) {
    return is_of_a_gpu(file) && file.problem == telemetry::operation_not_permitted;
  });
}

/// A device file for each GPU that the driver found and that this job may use, and those that it did not find.
std::int64_t expected_by_host(const telemetry::Host& host) {
  if (!host.device_files_problem.empty()) {
    throw harness::Skip(
        fmt::format("how many GPUs there should be is not known ({}): say expected_gpus", host.device_files_problem));
  }
  const std::int64_t forbidden = not_ours(host);
  const std::int64_t ours = std::ranges::count_if(host.device_files, is_of_a_gpu) - forbidden;
  if (ours == 0 && forbidden > 0) {
    throw harness::Skip(
        fmt::format("the job's device rules allow none of the {} GPUs: ask for GPUs, or say expected_gpus", forbidden));
  }
  const std::int64_t expected = ours + static_cast<std::int64_t>(unbound(host).size());
  if (expected == 0) {  // an empty list is not evidence
    throw harness::Skip(
        "how many GPUs there should be is not known (no device file of a GPU is listed): say expected_gpus");
  }
  return expected;
}

std::string known_address(const Gpu& gpu) {
  const std::string* const address = telemetry::text(gpu[Reading::pci_address]);
  return address == nullptr ? "" : normal_pci_address(*address);
}

/// Those that the library lists and gives no handle for.
Texts unreachable(const Machine& machine) {
  Texts reasons;
  for (const Gpu& gpu : machine.gpus) {
    if (telemetry::flag(gpu[Reading::handle]) == true) continue;
    const std::string address = known_address(gpu);
    reasons.push_back((address.empty() ? "" : address + ": ") + without_value(gpu, Reading::handle));
  }
  return reasons;
}

/// The PCI addresses of those: as the driver still knows them, else by elimination, as the GPUs on the bus with a
/// driver that the library does not reach. None where that does not say which.
Texts unreachable_addresses(const Machine& machine) {
  std::set<std::string> reached;
  std::set<std::string> known;
  std::size_t unknown = 0;
  for (const Gpu& gpu : machine.gpus) {
    const std::string address = known_address(gpu);
    if (telemetry::flag(gpu[Reading::handle]) == true) {
      reached.insert(address);
    } else if (!address.empty()) {
      known.insert(address);
    } else {
      ++unknown;
    }
  }
  std::set<std::string> left;
  for (const telemetry::PciGpu& gpu : machine.host.pci_gpus) {
    const std::string address = normal_pci_address(gpu.address);
    if (gpu.driver == "nvidia" && !reached.contains(address) && !known.contains(address)) left.insert(address);
  }
  if (left.size() == unknown) known.merge(left);
  return {known.begin(), known.end()};
}

std::string shown(const telemetry::Value& value) {
  const std::string* const text = telemetry::text(value);
  return text == nullptr ? "?" : *text;
}

/// Models of which the GPUs do not all have the same VBIOS. None where none is known of any GPU.
/// @throws EnvironmentError where the driver failed to answer.
std::optional<Texts> mixed_vbios(const Machine& machine) {
  std::map<std::string, std::set<std::string>> versions;
  for (const Gpu& gpu : machine.gpus) {
    // One that is absent is reported elsewhere.
    if (telemetry::flag(gpu[Reading::handle]) != true) continue;
    const bool has_both = is_offered(gpu, Reading::vbios_version) && is_offered(gpu, Reading::name);
    if (!has_both) continue;
    versions[shown(gpu[Reading::name])].insert(*telemetry::text(gpu[Reading::vbios_version]));
  }
  if (versions.empty()) return {};
  Texts mixed;
  for (const auto& [model, found] : versions) {
    if (found.size() > 1) mixed.push_back(fmt::format("{}: {}", model, fmt::join(found, ", ")));
  }
  return mixed;
}

/// The loaded driver and the library that speaks to it, where they are not of one version; none where one is not known.
/// @throws EnvironmentError where one failed to be read.
std::optional<Texts> mixed_drivers(const Machine& machine) {
  const std::string& loaded = machine.host.kernel_module_version;
  if (telemetry::is_failure(machine.driver_version))
    throw EnvironmentError("the driver's version cannot be read: " + *telemetry::problem(machine.driver_version));
  if (const std::string& problem = machine.host.kernel_module_problem; !problem.empty())
    throw EnvironmentError("the version of the loaded driver cannot be read: " + problem);
  const std::string* const library = telemetry::text(machine.driver_version);
  if (loaded.empty() || library == nullptr) return {};
  if (loaded == *library) return Texts{};
  return Texts{fmt::format("the loaded driver is {}, its library is of {}", loaded, *library)};
}

/// A bus on which no GPU is listed says nothing.
std::optional<Texts> without_driver(const telemetry::Host& host) {
  if (host.pci_gpus.empty()) return {};
  return unbound(host);
}

bool is_fine(const std::optional<Texts>& complaints) { return !complaints || complaints->empty(); }

void run(harness::Context& context) {
  const Machine machine = context.telemetry().machine();
  const auto given = context.parameter<std::int64_t>("expected_gpus");
  const std::int64_t expected = given > 0 ? given : expected_by_host(machine.host);
  const Texts lost = unreachable(machine);
  const auto reachable = static_cast<std::int64_t>(machine.gpus.size() - lost.size());
  const std::int64_t missing = over(reachable, expected);
  const std::optional<Texts> free = without_driver(machine.host);
  const std::optional<Texts> versions = mixed_vbios(machine);
  const std::optional<Texts> drivers = mixed_drivers(machine);
  // What is wrong with the machine as a whole is not charged to a GPU.
  const bool is_about_lost_alone =
      missing <= std::ssize(lost) && is_fine(free) && is_fine(versions) && is_fine(drivers);
  context.observe("gpus_missing", missing);
  context.observe("unreachable", lost);
  observe_known(context, "without_driver", free);
  observe_known(context, "mixed_vbios", versions);
  observe_known(context, "mixed_drivers", drivers);
  context.observe("suspects", is_about_lost_alone ? unreachable_addresses(machine) : Texts{});
  context.observe("gpus", reachable);
  context.observe("gpus_expected", expected);
  context.observe("gpus_not_ours", not_ours(machine.host));
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.inventory",
      .summary = "All GPUs are there and answer, with one driver, and with one VBIOS for each model",
      .source = std::string(nvml_documentation),
      .needs = {.devices = 0},
      .parameters = {{.name = "expected_gpus",
                      .summary = "GPUs that the machine, or the job's share of it, must have; 0: as many as there are "
                                 "device files that its cgroup allows, and on the PCI bus without a driver",
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
                 {.name = "vbios_fails",
                  .summary = "the driver fails to say which VBIOS a GPU has",
                  .telemetry = telemetry::failing(Reading::vbios_version)},
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
