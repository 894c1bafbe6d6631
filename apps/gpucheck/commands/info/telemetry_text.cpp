#include "commands/info/telemetry_text.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text/count_text.hpp"
#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"

namespace gpucheck::application {
namespace {

using telemetry::Gpu;
using telemetry::LinkReading;
using telemetry::Reading;
using telemetry::Value;

/// "?" for what is not known.
std::string shown(const Value& value) {
  if (const auto number = telemetry::number(value)) return fmt::format("{}", *number);
  if (const auto flag = telemetry::flag(value)) return *flag ? "on" : "off";
  const std::string* const text = telemetry::text(value);
  return text == nullptr ? "?" : one_line(*text, 80);
}

/// Or why it is not known.
std::string version(const Value& value) {
  const std::string* const problem = telemetry::problem(value);
  return problem == nullptr ? shown(value) : fmt::format("not known: {}", one_line(*problem, 80));
}

std::string watts(const Value& milliwatts) {
  const auto number = telemetry::number(milliwatts);
  return number ? fmt::format("{:.0f}", static_cast<double>(*number) / 1000) : "?";
}

std::string bytes(const Value& value) {
  const auto number = telemetry::number(value);
  return number && *number >= 0 ? format_bytes(static_cast<std::uint64_t>(*number)) : "?";
}

std::string links_text(const Gpu& gpu) {
  // The last that is asked: what does not answer before is not asked for its links.
  if (gpu.links.empty() && telemetry::is_failure(gpu[Reading::pcie_generation_max])) return "NVLinks not known";
  if (gpu.links_failed) return "NVLinks not known: " + gpu.links_problem;
  if (gpu.links.empty()) return "no NVLink";
  const auto active = std::ranges::count_if(
      gpu.links, [](const auto& link) { return telemetry::flag(link[LinkReading::is_active]) == true; });
  return fmt::format("{} of {} NVLinks up", active, gpu.links.size());
}

std::string processes_text(const Gpu& gpu) {
  if (!gpu.processes_problem.empty()) return "processes not known";
  return count_text(gpu.processes.size(), "process", "processes");
}

std::string gpu_text(const Gpu& gpu) {
  const auto at = [&gpu](Reading which) { return shown(gpu[which]); };
  if (const std::string* const problem = telemetry::problem(gpu[Reading::handle])) {
    return fmt::format("  {}  not known: {}\n", at(Reading::pci_address), one_line(*problem));
  }
  std::string text = fmt::format("  {}  {}, {}, VBIOS {}\n", at(Reading::pci_address), at(Reading::name),
                                 at(Reading::uuid), at(Reading::vbios_version));
  text += fmt::format("    {} C (memory {} C), {} of {} W, SM clock {} of {} MHz, memory clock {} of {} MHz\n",
                      at(Reading::temperature_gpu), at(Reading::temperature_memory), watts(gpu[Reading::power_draw]),
                      watts(gpu[Reading::power_limit]), at(Reading::clock_sm), at(Reading::clock_max_sm),
                      at(Reading::clock_memory), at(Reading::clock_max_memory));
  text += fmt::format(
      "    {} of {} used, {}; ECC {}, {} uncorrected errors since the reset and {} for life, {} rows remapped\n",
      bytes(gpu[Reading::memory_used]), bytes(gpu[Reading::memory_total]), processes_text(gpu),
      at(Reading::ecc_enabled), at(Reading::ecc_volatile_uncorrected), at(Reading::ecc_aggregate_uncorrected),
      at(Reading::remapped_rows_uncorrected));
  text += fmt::format("    PCIe generation {} of {}, {} of {} lanes, {} replays; {}\n", at(Reading::pcie_generation),
                      at(Reading::pcie_generation_max), at(Reading::pcie_width), at(Reading::pcie_width_max),
                      at(Reading::pcie_replays), links_text(gpu));
  return text;
}

}  // namespace

std::string telemetry_text(const telemetry::Machine& machine) {
  std::string text = fmt::format("state of the GPUs (driver {}, NVML {}, CUDA {})\n", version(machine.driver_version),
                                 version(machine.nvml_version), version(machine.cuda_version));
  if (machine.gpus.empty()) text += "  the driver sees none\n";
  for (const Gpu& gpu : machine.gpus) text += gpu_text(gpu);
  return text;
}

}  // namespace gpucheck::application
