#include "cases/health/network/network_support.hpp"
#include "telemetry/network/gpu_distance.hpp"

namespace gpucheck::cases::in_health::network_gpudirect {
namespace {

using Texts = std::vector<std::string>;

void run(harness::Context& context) {
  const telemetry::NetworkFiles network = network_of(context);
  require_ports(looked_at(context, network));
  const telemetry::GpuDirect found = telemetry::gpudirect(network);
  if (!found.has_gpu) throw harness::Skip("no GPU of NVIDIA's is on the bus");
  if (!found.has_driver)
    throw harness::Skip(
        "whether adapters can reach GPUs is not known: NVIDIA's driver shows no version (/proc/driver/nvidia/version)");
  context.observe("missing", found.ways.empty() ? found.hints : Texts{});
  context.observe("ways", found.ways);
  context.observe("nearest_adapters", telemetry::nearest_adapters(network));
}

telemetry::FaultPlan file(const char* what) { return telemetry::always(Aspect::network_file, std::string(what)); }

std::vector<harness::Fault> faults() {
  return {{.name = "closed_modules",
           .summary = "the driver's modules are not the open ones, and nvidia_peermem is not loaded",
           .telemetry = file("/proc/driver/nvidia/version=NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.1")},
          {.name = "old_kernel",
           .summary = "the kernel has no dma-buf for adapters, and nvidia_peermem is not loaded",
           .telemetry = file("/proc/sys/kernel/osrelease=5.11.0-generic")}};
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.network_gpudirect",
      .summary = "Network adapters can reach the memory of GPUs (GPUDirect RDMA)",
      .source = "NVIDIA's documentation of GPUDirect RDMA",
      .needs = {.devices = 0},
      .parameters = {adapters_parameter()},
      .faults = faults(),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::network_gpudirect
