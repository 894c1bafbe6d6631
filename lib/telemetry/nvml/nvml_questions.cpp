#include "telemetry/nvml/nvml_questions.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "telemetry/nvml/asker.hpp"
#include "telemetry/nvml/duration_fields.hpp"
#include "telemetry/nvml/state_questions.hpp"

namespace gpucheck::telemetry::nvml {
namespace {

/// nvmlClockType_t.
constexpr int clock_graphics = 0;
constexpr int clock_sm = 1;
constexpr int clock_memory = 2;
/// nvmlTemperatureThresholds_t.
constexpr int threshold_shutdown = 0;
constexpr int threshold_slowdown = 1;
constexpr int threshold_memory_max = 2;
constexpr int threshold_gpu_max = 3;
/// nvmlMemoryErrorType_t, nvmlEccCounterType_t, nvmlMemoryLocation_t.
constexpr int corrected = 0;
constexpr int uncorrected = 1;
constexpr int since_reset = 0;
constexpr int for_life = 1;
constexpr int dram = 2;
constexpr int sram = 7;
/// nvmlPageRetirementCause_t.
constexpr int single_bit = 0;
constexpr int double_bit = 1;
/// NVML_FI_DEV_...: MEMORY_TEMP, CLOCKS_EVENT_REASON_SW_POWER_CAP, _SYNC_BOOST, GET_GPU_RECOVERY_ACTION.
constexpr unsigned field_memory_temperature = 82;
constexpr unsigned field_power_cap = 74;
constexpr unsigned field_sync_boost = 76;
constexpr unsigned field_recovery_action = 230;
/// NVML_FI_DEV_NVLINK_...: GET_SPEED, COUNT_RCV_ERRORS, COUNT_EFFECTIVE_ERRORS, COUNT_SYMBOL_ERRORS,
/// COUNT_LINK_RECOVERY_EVENTS.
constexpr std::array<unsigned, 5> fields_of_link{164, 208, 219, 221, 215};
/// nvmlNvLinkErrorCounter_t.
constexpr int link_replays = 0;
constexpr int link_recoveries = 1;
constexpr int link_crc_flits = 2;
constexpr int link_crc_data = 3;
/// NVML_NVLINK_MAX_LINKS of CUDA 13's header, over all generations; a GPU with fewer rejects the numbers beyond.
constexpr unsigned most_links = 36;

void ask_identity(const Asker& ask, Gpu& gpu) {
  gpu[Reading::name] = ask.text("nvmlDeviceGetName");
  gpu[Reading::uuid] = ask.text("nvmlDeviceGetUUID");
  gpu[Reading::serial] = ask.text("nvmlDeviceGetSerial");
  gpu[Reading::vbios_version] = ask.text("nvmlDeviceGetVbiosVersion");
  gpu[Reading::board_part_number] = ask.text("nvmlDeviceGetBoardPartNumber");
  PciInfo pci{};
  const Return code = ask.fill("nvmlDeviceGetPciInfo_v3", pci);
  gpu[Reading::pci_address] =
      code == Return::success ? Value(std::string(pci.bus_id)) : ask.failed("nvmlDeviceGetPciInfo_v3", code);
}

/// Functions that fill two flags: now, and after the next reset.
void ask_two_flags(const Asker& ask, const char* function, Value& now, Value& pending) {
  int first = 0;
  int second = 0;
  const Return code = ask.library().call(function, ask.device(), &first, &second);
  now = code == Return::success ? Value(first != 0) : ask.failed(function, code);
  pending = code == Return::success ? Value(second != 0) : ask.failed(function, code);
}

void ask_settings(const Asker& ask, Gpu& gpu) {
  gpu[Reading::persistence_mode] = ask.flag("nvmlDeviceGetPersistenceMode");
  // nvmlComputeMode_t: 0 default, 2 prohibited, 3 exclusive process.
  gpu[Reading::compute_mode] = ask.number("nvmlDeviceGetComputeMode");
  ask_two_flags(ask, "nvmlDeviceGetMigMode", gpu[Reading::mig_enabled], gpu[Reading::mig_pending]);
  ask_two_flags(ask, "nvmlDeviceGetEccMode", gpu[Reading::ecc_enabled], gpu[Reading::ecc_pending]);
}

void ask_gauges(const Asker& ask, Gpu& gpu) {
  gpu[Reading::temperature_gpu] = ask.number("nvmlDeviceGetTemperature", 0);
  gpu[Reading::temperature_memory] = ask.fields(std::array{field_memory_temperature})[0];
  gpu[Reading::power_draw] = ask.number("nvmlDeviceGetPowerUsage");
  gpu[Reading::clock_sm] = ask.number("nvmlDeviceGetClockInfo", clock_sm);
  gpu[Reading::clock_memory] = ask.number("nvmlDeviceGetClockInfo", clock_memory);
  // The name that drivers before 535 know too.
  gpu[Reading::clock_event_reasons] = ask.large_number("nvmlDeviceGetCurrentClocksThrottleReasons");
  gpu[Reading::pcie_generation] = ask.number("nvmlDeviceGetCurrPcieLinkGeneration");
  gpu[Reading::pcie_width] = ask.number("nvmlDeviceGetCurrPcieLinkWidth");
  Utilization utilization{};
  const char* const function = "nvmlDeviceGetUtilizationRates";
  const Return code = ask.fill(function, utilization);
  const auto percent = [&](unsigned value) {
    return code == Return::success ? Value(std::int64_t{value}) : ask.failed(function, code);
  };
  gpu[Reading::utilization_gpu] = percent(utilization.gpu);
  gpu[Reading::utilization_memory] = percent(utilization.memory);
}

void ask_remapped_rows(const Asker& ask, Gpu& gpu) {
  const char* const function = "nvmlDeviceGetRemappedRows";
  std::array<unsigned, 4> rows{};
  const Return code = ask.library().call(function, ask.device(), &rows[0], &rows[1], &rows[2], &rows[3]);
  const bool known = code == Return::success;
  gpu[Reading::remapped_rows_corrected] = known ? Value(std::int64_t{rows[0]}) : ask.failed(function, code);
  gpu[Reading::remapped_rows_uncorrected] = known ? Value(std::int64_t{rows[1]}) : ask.failed(function, code);
  gpu[Reading::remap_pending] = known ? Value(rows[2] != 0) : ask.failed(function, code);
  gpu[Reading::remap_failed] = known ? Value(rows[3] != 0) : ask.failed(function, code);
}

Value ecc_total(const Asker& ask, int type, int counter) {
  return ask.large_number("nvmlDeviceGetTotalEccErrors", type, counter);
}

/// How long each slowdown lasted.
std::array<Value, 3> slowdown_durations(const Asker& ask, const Value& driver_version) {
  std::array<Value, 3> durations;
  durations.fill(is_failure(driver_version) ? driver_version : Unavailable{std::string(not_supported_text)});
  if (is_failure(driver_version)) return durations;
  const std::string* const version = text(driver_version);
  const auto first = first_duration_field(version == nullptr ? "" : *version);
  return first ? ask.fields(std::array{*first, *first + 1, *first + 2}) : durations;
}

void ask_durations_and_recovery(const Asker& ask, const Value& driver_version, Gpu& gpu) {
  std::array<Value, 3> fields = ask.fields(std::array{field_power_cap, field_sync_boost, field_recovery_action});
  gpu[Reading::clock_event_power_cap] = std::move(fields[0]);
  gpu[Reading::clock_event_sync_boost] = std::move(fields[1]);
  gpu[Reading::recovery_action] = std::move(fields[2]);
  std::array<Value, 3> durations = slowdown_durations(ask, driver_version);
  gpu[Reading::clock_event_thermal_software] = std::move(durations[0]);
  gpu[Reading::clock_event_thermal_hardware] = std::move(durations[1]);
  gpu[Reading::clock_event_power_brake] = std::move(durations[2]);
}

void ask_counters(const Asker& ask, const Value& driver_version, Gpu& gpu) {
  gpu[Reading::ecc_volatile_corrected] = ecc_total(ask, corrected, since_reset);
  gpu[Reading::ecc_volatile_uncorrected] = ecc_total(ask, uncorrected, since_reset);
  ask_remapped_rows(ask, gpu);
  gpu[Reading::retired_pages_pending] = ask.flag("nvmlDeviceGetRetiredPagesPendingStatus");
  gpu[Reading::pcie_replays] = ask.number("nvmlDeviceGetPcieReplayCounter");
  ask_durations_and_recovery(ask, driver_version, gpu);
}

void ask_power_and_temperature_limits(const Asker& ask, Gpu& gpu) {
  const char* const threshold = "nvmlDeviceGetTemperatureThreshold";
  gpu[Reading::temperature_gpu_max] = ask.number(threshold, threshold_gpu_max);
  gpu[Reading::temperature_memory_max] = ask.number(threshold, threshold_memory_max);
  gpu[Reading::temperature_slowdown] = ask.number(threshold, threshold_slowdown);
  gpu[Reading::temperature_shutdown] = ask.number(threshold, threshold_shutdown);
  gpu[Reading::power_limit] = ask.number("nvmlDeviceGetEnforcedPowerLimit");
  gpu[Reading::power_limit_default] = ask.number("nvmlDeviceGetPowerManagementDefaultLimit");
  const char* const constraints = "nvmlDeviceGetPowerManagementLimitConstraints";
  unsigned least = 0;
  unsigned most = 0;
  const Return code = ask.library().call(constraints, ask.device(), &least, &most);
  gpu[Reading::power_limit_min] = code == Return::success ? Value(std::int64_t{least}) : ask.failed(constraints, code);
  gpu[Reading::power_limit_max] = code == Return::success ? Value(std::int64_t{most}) : ask.failed(constraints, code);
}

void ask_clock_limits(const Asker& ask, Gpu& gpu) {
  gpu[Reading::clock_graphics] = ask.number("nvmlDeviceGetClockInfo", clock_graphics);
  gpu[Reading::clock_max_graphics] = ask.number("nvmlDeviceGetMaxClockInfo", clock_graphics);
  gpu[Reading::clock_max_sm] = ask.number("nvmlDeviceGetMaxClockInfo", clock_sm);
  gpu[Reading::clock_max_memory] = ask.number("nvmlDeviceGetMaxClockInfo", clock_memory);
}

/// Drivers before 510 know the first form alone, in which what the driver keeps for itself is in use.
void ask_memory(const Asker& ask, Gpu& gpu) {
  const char* function = "nvmlDeviceGetMemoryInfo_v2";
  MemoryV2 memory{};
  memory.version = version_of<MemoryV2>(2);
  Return code = ask.fill(function, memory);
  if (is_unknown_form(code)) {
    function = "nvmlDeviceGetMemoryInfo";
    Memory old{};
    code = ask.fill(function, old);
    memory.total = old.total;
    memory.free = old.free;
    memory.used = old.used;
  }
  const auto bytes = [&](unsigned long long value) {
    return code == Return::success ? Value(static_cast<std::int64_t>(value)) : ask.failed(function, code);
  };
  gpu[Reading::memory_total] = bytes(memory.total);
  gpu[Reading::memory_free] = bytes(memory.free);
  gpu[Reading::memory_used] = bytes(memory.used);
}

void ask_ecc_by_place(const Asker& ask, Gpu& gpu) {
  const auto at = [&ask](int type, int counter, int place) {
    return ask.large_number("nvmlDeviceGetMemoryErrorCounter", type, counter, place);
  };
  gpu[Reading::ecc_volatile_dram_corrected] = at(corrected, since_reset, dram);
  gpu[Reading::ecc_volatile_dram_uncorrected] = at(uncorrected, since_reset, dram);
  gpu[Reading::ecc_volatile_sram_corrected] = at(corrected, since_reset, sram);
  gpu[Reading::ecc_volatile_sram_uncorrected] = at(uncorrected, since_reset, sram);
  gpu[Reading::ecc_aggregate_corrected] = ecc_total(ask, corrected, for_life);
  gpu[Reading::ecc_aggregate_uncorrected] = ecc_total(ask, uncorrected, for_life);
  gpu[Reading::ecc_aggregate_dram_corrected] = at(corrected, for_life, dram);
  gpu[Reading::ecc_aggregate_dram_uncorrected] = at(uncorrected, for_life, dram);
  gpu[Reading::ecc_aggregate_sram_corrected] = at(corrected, for_life, sram);
  gpu[Reading::ecc_aggregate_sram_uncorrected] = at(uncorrected, for_life, sram);
}

/// How many pages were retired for one cause: asked for no addresses, the function says how many there are.
Value retired_pages(const Asker& ask, int cause) {
  const char* const function = "nvmlDeviceGetRetiredPages";
  unsigned count = 0;
  unsigned long long* const no_addresses = nullptr;
  const Return code = ask.library().call(function, ask.device(), cause, &count, no_addresses);
  if (code == Return::success || code == Return::insufficient_size) return std::int64_t{count};
  return ask.failed(function, code);
}

void ask_repairs(const Asker& ask, Gpu& gpu) {
  RowRemapperHistogram histogram{};
  const Return answer = ask.fill("nvmlDeviceGetRowRemapperHistogram", histogram);
  const auto banks = [&](unsigned count) {
    return answer == Return::success ? Value(std::int64_t{count})
                                     : ask.failed("nvmlDeviceGetRowRemapperHistogram", answer);
  };
  gpu[Reading::remap_banks_max] = banks(histogram.max);
  gpu[Reading::remap_banks_high] = banks(histogram.high);
  gpu[Reading::remap_banks_partial] = banks(histogram.partial);
  gpu[Reading::remap_banks_low] = banks(histogram.low);
  gpu[Reading::remap_banks_none] = banks(histogram.none);
  gpu[Reading::retired_pages_single_bit] = retired_pages(ask, single_bit);
  gpu[Reading::retired_pages_double_bit] = retired_pages(ask, double_bit);
}

void ask_bus(const Asker& ask, Gpu& gpu) {
  gpu[Reading::pcie_generation_max] = ask.number("nvmlDeviceGetMaxPcieLinkGeneration");
  gpu[Reading::pcie_width_max] = ask.number("nvmlDeviceGetMaxPcieLinkWidth");
  gpu[Reading::pcie_generation_device_max] = ask.number("nvmlDeviceGetGpuMaxPcieLinkGeneration");
}

void ask_link_fields(const Asker& ask, unsigned number, Link& link) {
  std::array<Value, fields_of_link.size()> values = ask.fields(fields_of_link, number);
  link[LinkReading::speed] = std::move(values[0]);
  link[LinkReading::received_errors] = std::move(values[1]);
  link[LinkReading::effective_errors] = std::move(values[2]);
  link[LinkReading::symbol_errors] = std::move(values[3]);
  link[LinkReading::recovery_events] = std::move(values[4]);
}

Link link_of(const Asker& ask, unsigned number, const Value& is_active) {
  Link link;
  link.values.fill(is_active);  // of a link without a state nothing else is known
  if (problem(is_active) != nullptr) return link;
  ask_link_fields(ask, number, link);
  const auto errors = [&](int counter) { return ask.large_number("nvmlDeviceGetNvLinkErrorCounter", number, counter); };
  link[LinkReading::replays] = errors(link_replays);
  link[LinkReading::recoveries] = errors(link_recoveries);
  link[LinkReading::crc_flit_errors] = errors(link_crc_flits);
  link[LinkReading::crc_data_errors] = errors(link_crc_data);
  return link;
}

bool has_state(const Link& link) { return problem(link[LinkReading::is_active]) == nullptr; }
bool has_failed(const Link& link) { return is_failure(link[LinkReading::is_active]); }

/// Links of which none has a state are not a list, but a reason why there is none: a failure where there is one.
void leave_out_absent(Gpu& gpu) {
  if (std::ranges::none_of(gpu.links, has_state)) {
    const auto failed = std::ranges::find_if(gpu.links, has_failed);
    const Value why = (failed == gpu.links.end() ? gpu.links.front() : *failed)[LinkReading::is_active];
    gpu.links_problem = *problem(why);
    gpu.links_failed = is_failure(why);
    gpu.links.clear();
  }
  while (!gpu.links.empty() && !has_state(gpu.links.back()) && !has_failed(gpu.links.back())) gpu.links.pop_back();
}

/// A number that the GPU does not have is rejected, and ends the links. One link that is not supported does not.
void ask_links(const Asker& ask, Gpu& gpu) {
  const char* const function = "nvmlDeviceGetNvLinkState";
  gpu.links_problem.clear();
  for (unsigned number = 0; number < most_links; ++number) {
    int active = 0;
    const Return code = ask.library().call(function, ask.device(), number, &active);
    if (code == Return::invalid_argument && number > 0) break;
    gpu.links.push_back(
        link_of(ask, number, code == Return::success ? Value(active != 0) : ask.failed(function, code)));
  }
  leave_out_absent(gpu);
}

void ask_processes(const Asker& ask, Gpu& gpu) {
  const char* const function = "nvmlDeviceGetComputeRunningProcesses_v3";
  gpu.processes_problem.clear();
  std::vector<ProcessInfo> processes(64);
  unsigned count = 0;
  const auto fill = [&] {
    count = static_cast<unsigned>(processes.size());
    return ask.library().call(function, ask.device(), &count, processes.data());
  };
  Return code = fill();
  // It has said how many there are; more may have come since.
  for (int tries = 0; code == Return::insufficient_size && tries < 3; ++tries) {
    processes.resize(count + std::size_t{16});
    code = fill();
  }
  if (code != Return::success) {
    gpu.processes_problem = code == Return::not_supported ? std::string(not_supported_text)
                                                          : fmt::format("{}: {}", function, ask.library().text(code));
    gpu.processes_failed = nvml::is_failure(code);
    return;
  }
  processes.resize(std::min<std::size_t>(count, processes.size()));
  for (const ProcessInfo& each : processes) {
    Process process{.pid = each.pid, .used_memory_bytes = {}};
    if (each.used_gpu_memory != ~0ULL) process.used_memory_bytes = static_cast<std::int64_t>(each.used_gpu_memory);
    gpu.processes.push_back(process);
  }
}

}  // namespace

Gpu ask_identity(const Library& library, Device device) {
  Gpu gpu;
  gpu.values.fill(Unavailable{std::string(not_asked)});
  gpu.links_problem = gpu.processes_problem = gpu.xids_problem = not_asked;
  gpu[Reading::handle] = device != nullptr;
  ask_identity(Asker(library, device), gpu);
  return gpu;
}

void ask(const Library& library, Device device, Subset subset, const Value& driver_version, Gpu& gpu) {
  const Asker ask(library, device);
  ask_gauges(ask, gpu);
  if (subset == Subset::gauges) return;
  ask_counters(ask, driver_version, gpu);
  if (subset == Subset::counters) return;
  ask_settings(ask, gpu);
  ask_power_and_temperature_limits(ask, gpu);
  ask_clock_limits(ask, gpu);
  ask_memory(ask, gpu);
  ask_ecc_by_place(ask, gpu);
  ask_repairs(ask, gpu);
  ask_bus(ask, gpu);
  ask_state(ask, gpu);
  ask_links(ask, gpu);
  ask_processes(ask, gpu);
}

}  // namespace gpucheck::telemetry::nvml
