#include "telemetry/machine/stand_in.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <utility>

#include "base/text/pci_address.hpp"
#include "telemetry/machine/machine_file.hpp"
#include "telemetry/machine/recorded_files.hpp"

namespace gpucheck::telemetry {
namespace {

std::string address_of(const Gpu& gpu) {
  const std::string* const address = text(gpu[Reading::pci_address]);
  return address == nullptr ? "" : normal_pci_address(*address);
}

/// More of the only GPU, and of what the operating system has for it.
void multiply(Machine& machine, std::size_t count) {
  const Gpu gpu = machine.gpus.front();
  const std::string address = address_of(gpu);
  for (std::size_t i = 1; i < count; ++i) {
    Gpu& copy = machine.gpus.emplace_back(gpu);
    const std::string own_address = fmt::format("copy {} of {}", i, address);
    copy[Reading::pci_address] = own_address;
    const auto on_bus = std::ranges::find(machine.host.pci_gpus, address, &PciGpu::address);
    if (on_bus != machine.host.pci_gpus.end())
      machine.host.pci_gpus.push_back({own_address, std::string(on_bus->driver)});
    if (!machine.host.device_files.empty()) {
      machine.host.device_files.push_back({fmt::format("/dev/nvidia{}", i), machine.host.device_files.back().problem});
    }
  }
}

/// The host speaks of the same GPU by its PCI address.
void rename(Host& host, const std::string& from, const std::string& to) {
  for (PciGpu& gpu : host.pci_gpus) {
    if (normal_pci_address(gpu.address) == from) gpu.address = to;
  }
  for (KernelEvent& event : host.kernel_events) {
    if (event.pci_address == from) event.pci_address = normal_pci_address(to);
  }
}

void identify(Machine& machine, Gpu& gpu, const StandInFor& device) {
  rename(machine.host, address_of(gpu), device.id.pci_address);
  gpu[Reading::uuid] = device.id.uuid;
  gpu[Reading::pci_address] = device.id.pci_address;
  if (!number(gpu[Reading::memory_total])) return;
  // What a recording has in use stays in use, be it more than the device has: the case that looks for it knows bytes.
  gpu[Reading::memory_total] = device.memory_bytes;
  gpu[Reading::memory_free] =
      std::max<std::int64_t>(device.memory_bytes - number(gpu[Reading::memory_used]).value_or(0), 0);
}

}  // namespace

Machine healthy_machine() {
  const RecordedFile& file = embedded_recordings().front();
  return parse_machine(file.text, std::string(file.path));
}

Machine stand_in(Machine recorded, const std::vector<StandInFor>& devices, std::int64_t pid) {
  if (recorded.gpus.size() == 1) multiply(recorded, devices.size());
  const std::size_t count = std::min(recorded.gpus.size(), devices.size());
  for (std::size_t i = 0; i < count; ++i) {
    Gpu& gpu = recorded.gpus[i];
    identify(recorded, gpu, devices[i]);
    if (gpu.processes_problem.empty()) gpu.processes.push_back({.pid = pid, .used_memory_bytes = 0});
  }
  return recorded;
}

void stand_in(std::vector<KernelEvent>& log, const Machine& machine) {
  std::vector<std::string> simulated;
  for (const Gpu& gpu : machine.gpus) simulated.push_back(address_of(gpu));
  const auto is_simulated = [](const std::string& address) { return address.starts_with("sim:"); };
  if (!std::ranges::all_of(simulated, is_simulated)) return;
  std::map<std::string, std::string> renamed;
  for (const KernelEvent& event : log) {
    const bool is_of_a_gpu = event.kind != KernelEventKind::switch_error && !event.pci_address.empty();
    if (is_of_a_gpu && std::ranges::count(simulated, event.pci_address) == 0) renamed[event.pci_address];
  }
  auto next = simulated.begin();
  for (auto& [from, to] : renamed) to = next == simulated.end() ? from : *next++;
  for (KernelEvent& event : log) {
    if (const auto found = renamed.find(event.pci_address); found != renamed.end()) event.pci_address = found->second;
  }
}

}  // namespace gpucheck::telemetry
