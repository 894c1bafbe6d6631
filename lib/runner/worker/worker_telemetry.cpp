#include "runner/worker/worker_telemetry.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "telemetry/fault/fault_source.hpp"
#include "telemetry/machine/machine_file.hpp"
#include "telemetry/machine/stand_in.hpp"
#include "telemetry/machine_source.hpp"

namespace gpucheck::runner {
namespace {

bool is_simulated(const device::Driver& driver) { return driver.kind() == "sim"; }

/// The simulated devices that there are; asked of a driver of their own, since a case may be about the first use of
/// its.
std::vector<telemetry::StandInFor> devices_of(device::Driver& driver) {
  std::vector<telemetry::StandInFor> devices;
  const auto count = driver.device_count();
  for (int ordinal = 0; count && ordinal < *count; ++ordinal) {
    const auto properties = driver.properties(ordinal);
    if (!properties) continue;
    devices.push_back({.id = {.uuid = properties->uuid, .pci_address = properties->pci_bus_id},
                       .memory_bytes = static_cast<std::int64_t>(properties->total_memory_bytes)});
  }
  return devices;
}

}  // namespace

const telemetry::Machine& WorkerTelemetry::machine_for(const harness::RunSettings& settings) {
  const std::string wanted = fmt::format("{} {}", settings.device, settings.telemetry);
  if (machine_ && machine_for_ == wanted) return *machine_;
  telemetry::Machine recorded = settings.telemetry.empty() ? telemetry::healthy_machine()
                                                           : telemetry::parse_machine(recording_, settings.telemetry);
  machine_ = telemetry::stand_in(std::move(recorded), devices_of(*make_driver_(settings.device, 0).driver), ::getpid());
  machine_for_ = wanted;
  return *machine_;
}

void WorkerTelemetry::use_recording(std::string text) {
  recording_ = std::move(text);
  machine_.reset();
  kept_.reset();
}

telemetry::Sampler::Open WorkerTelemetry::source_of(const device::Driver& driver,
                                                    const harness::RunSettings& settings) {
  if (!is_simulated(driver)) return [silent = silent_gpus_] { return telemetry::open_machine({.silent = silent}); };
  return [machine = machine_for(settings)] { return telemetry::open_recording(machine); };
}

void WorkerTelemetry::prepare(const device::Driver& driver, const std::vector<telemetry::GpuId>& gpus) {
  if (is_simulated(driver)) return;
  watch(driver, {}, gpus, nullptr)->prepare();
}

std::shared_ptr<harness::GpuWatch> WorkerTelemetry::watch(const device::Driver& driver,
                                                          const harness::RunSettings& settings,
                                                          const std::vector<telemetry::GpuId>& gpus,
                                                          const harness::Fault* fault) {
  telemetry::Sampler::Open open = source_of(driver, settings);
  if (fault != nullptr && !fault->telemetry.empty()) {
    const telemetry::GpuId first = gpus.empty() ? telemetry::GpuId{} : gpus.front();
    return std::make_shared<harness::GpuWatch>(
        [open, plan = fault->telemetry, first] { return telemetry::inject(open(), plan, first); }, gpus);
  }
  // On GPUs the library knows all there are; simulated ones are what the settings make them.
  const std::string wanted = is_simulated(driver) ? fmt::format("{} {}", settings.device, settings.telemetry) : "";
  if (kept_ == nullptr || kept_for_ != wanted || kept_->gpus() != gpus) {
    kept_ = std::make_shared<harness::GpuWatch>(std::move(open), gpus);
    kept_for_ = wanted;
  }
  return kept_;
}

}  // namespace gpucheck::runner
