#include "cases/shared/health_support.hpp"

namespace gpucheck::cases::in_health::pcie_replay {
namespace {

void run(harness::Context& context) {
  harness::GpuWatch& watch = context.telemetry();
  const auto count = [&watch] {
    return required_number(watch.gpu(0, telemetry::Subset::counters), Reading::pcie_replays);
  };
  const std::int64_t before = count();
  const std::vector<Gpu> looks = gauges_under_load(context, window(context));
  const std::int64_t after = count();
  context.observe("new_replays_over_limit", over(context.parameter<std::int64_t>("max_new_replays"), after - before));
  context.observe("new_replays", after - before);
  context.observe("replays", after);
  context.observe("looks", looks.size());
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.pcie_replay",
      .summary = "The PCIe link carries a load without having to send again what arrived damaged",
      .source = std::string(nvml_documentation),
      .parameters = {window_parameter(),
                     {.name = "max_new_replays",
                      .summary = "Replays while the load goes on that are accepted",
                      .default_value = std::int64_t{80},
                      .minimum = 0}},
      .faults = {{.name = "replays_rise",
                  .summary = "the link sends again and again",
                  .telemetry = telemetry::rising(Reading::pcie_replays, 100)},
                 {.name = "gpu_lost",
                  .summary = "the driver fails to answer",
                  .telemetry = telemetry::failing(Reading::pcie_replays)}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::pcie_replay
