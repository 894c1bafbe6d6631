#include "cases/health/support.hpp"

namespace gpucheck::cases::in_health::xid {
namespace {

void run(harness::Context& context) {
  const telemetry::Machine machine = context.telemetry().machine();
  const telemetry::Host& host = machine.host;
  if (!host.kernel_log_problem.empty())
    throw harness::Skip("the kernel's log cannot be read: " + host.kernel_log_problem);
  const std::string own = telemetry::normal_pci_address(context.telemetry().gpus().front().pci_address);
  std::vector<std::string> of_hardware;
  std::int64_t of_programs = 0;
  for (const telemetry::KernelXid& found : host.kernel_xids) {
    if (telemetry::normal_pci_address(found.pci_address) != own) continue;
    if (harness::is_caused_by_programs(found.xid)) {
      ++of_programs;
    } else {
      of_hardware.push_back(found.text);
    }
  }
  context.observe("xids", of_hardware);
  context.observe("xids_caused_by_programs", of_programs);
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.xid",
      .summary = "The kernel's log holds no critical error (XID) of the GPU but those that programs cause",
      .source = "NVIDIA's catalogue of XIDs",
      .faults = {{.name = "fallen_off_the_bus",
                  .summary = "the log says that the GPU has fallen off its bus",
                  .telemetry = telemetry::always(Aspect::kernel_xid, std::int64_t{79})}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::xid
