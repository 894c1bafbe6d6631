#include "telemetry/nvml/state_questions.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace gpucheck::telemetry::nvml {
namespace {

/// NVML_FI_DEV_...: GET_GPU_RECOVERY_ACTION, TEMPERATURE_SLOWDOWN_TLIMIT.
constexpr unsigned field_slowdown_margin = 194;

/// nvmlDeviceValidateInforom fills nothing: its answer is the code.
Value inforom_valid(const Asker& ask) {
  const char* const function = "nvmlDeviceValidateInforom";
  const Return code = ask.library().call(function, ask.device());
  if (code == Return::corrupted_inforom) return false;
  return code == Return::success ? Value(true) : ask.failed(function, code);
}

Value sram_threshold_exceeded(const Asker& ask) {
  const char* const function = "nvmlDeviceGetSramEccErrorStatus";
  EccSramErrorStatus status{};
  status.version = version_of<EccSramErrorStatus>(1);
  const Return code = ask.fill(function, status);
  return code == Return::success ? Value(status.threshold_exceeded != 0) : ask.failed(function, code);
}

Value margin(const Asker& ask) {
  const char* const function = "nvmlDeviceGetMarginTemperature";
  MarginTemperature temperature{};
  temperature.version = version_of<MarginTemperature>(1);
  const Return code = ask.fill(function, temperature);
  return code == Return::success ? Value(std::int64_t{temperature.margin_celsius}) : ask.failed(function, code);
}

/// "1a2b…": 32 digits; a cluster that has no name is all zeros.
std::string hexadecimal(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

/// The newest form that the driver knows, and whether it holds a mask and a summary.
struct Fabric {
  GpuFabricInfoV info{};
  Return code = Return::not_supported;
  const char* function = "nvmlDeviceGetGpuFabricInfoV";
  bool has_mask = false;
  bool has_summary = false;
};

Fabric ask_for_fabric(const Asker& ask) {
  Fabric fabric;
  for (const unsigned version : {fabric_info_3, fabric_info_2}) {
    fabric.info.version = version;
    fabric.code = ask.fill(fabric.function, fabric.info);
    fabric.has_mask = fabric.code == Return::success;
    fabric.has_summary = fabric.has_mask && version == fabric_info_3;
    if (!is_unknown_form(fabric.code)) return fabric;
  }
  // Drivers before 545 know neither.
  GpuFabricInfo old{};
  fabric.function = "nvmlDeviceGetGpuFabricInfo";
  fabric.code = ask.fill(fabric.function, old);
  std::ranges::copy(old.cluster_uuid, fabric.info.cluster_uuid);
  fabric.info.status = old.status;
  fabric.info.clique_id = old.clique_id;
  fabric.info.state = old.state;
  return fabric;
}

void ask_fabric(const Asker& ask, Gpu& gpu) {
  const Fabric fabric = ask_for_fabric(ask);
  const bool known = fabric.code == Return::success && fabric.info.state != 0;  // 0: the GPU has no fabric
  const Value none = fabric.code == Return::success ? Unavailable{std::string(not_supported_text)}
                                                    : ask.failed(fabric.function, fabric.code);
  const auto told = [&](bool is_there, const Value& value) { return known && is_there ? value : none; };
  const auto number = [&](bool is_there, std::int64_t value) { return told(is_there, Value(value)); };
  gpu[Reading::fabric_state] = number(true, fabric.info.state);
  gpu[Reading::fabric_status] = number(true, fabric.info.status);
  gpu[Reading::fabric_clique] = number(true, fabric.info.clique_id);
  gpu[Reading::fabric_cluster] = told(true, Value(hexadecimal(fabric.info.cluster_uuid)));
  gpu[Reading::fabric_health_mask] = number(fabric.has_mask, fabric.info.health_mask);
  gpu[Reading::fabric_health_summary] = number(fabric.has_summary, fabric.info.health_summary);
}

/// All that programs with a picture hold: a desktop computes nothing and uses memory.
Value graphics_memory(const Asker& ask) {
  const char* const function = "nvmlDeviceGetGraphicsRunningProcesses_v3";
  std::vector<ProcessInfo> processes(64);
  auto count = static_cast<unsigned>(processes.size());
  const Return code = ask.library().call(function, ask.device(), &count, processes.data());
  if (code != Return::success) return ask.failed(function, code);
  processes.resize(std::min<std::size_t>(count, processes.size()));
  std::int64_t bytes = 0;
  for (const ProcessInfo& each : processes) {
    if (each.used_gpu_memory == ~0ULL) return Unavailable{"the driver does not say how much a graphics program uses"};
    bytes += static_cast<std::int64_t>(each.used_gpu_memory);
  }
  return bytes;
}

}  // namespace

void ask_state(const Asker& ask, Gpu& gpu) {
  gpu[Reading::temperature_margin_slowdown] = ask.fields(std::array{field_slowdown_margin})[0];
  gpu[Reading::temperature_margin] = margin(ask);
  const std::string* const why_not = problem(gpu[Reading::inforom_valid]);
  if (why_not != nullptr && *why_not == not_asked) gpu[Reading::inforom_valid] = inforom_valid(ask);
  gpu[Reading::ecc_sram_threshold_exceeded] = sram_threshold_exceeded(ask);
  gpu[Reading::memory_graphics] = graphics_memory(ask);
  ask_fabric(ask, gpu);
}

}  // namespace gpucheck::telemetry::nvml
