#include "cases/health/slowdown_support.hpp"

namespace gpucheck::cases::in_health::clocks {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::int64_t> reasons_of(const std::vector<Gpu>& looks) {
  std::vector<std::int64_t> reasons;
  for (const Gpu& gpu : looks) {
    if (const auto bits = telemetry::number(gpu[Reading::clock_event_reasons])) reasons.push_back(*bits);
  }
  return reasons;
}

void run(harness::Context& context) {
  harness::GpuWatch& watch = context.telemetry();
  const Gpu before = watch.gpu(0, telemetry::Subset::counters);
  const Clock::time_point start = Clock::now();
  const std::vector<Gpu> looks = gauges_under_load(context, window(context));
  const Gpu after = watch.gpu(0, telemetry::Subset::counters);
  const double duration_ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  const std::vector<std::int64_t> reasons = reasons_of(looks);
  if (reasons.empty()) require_any(after, {Reading::clock_event_thermal_hardware});
  observe_slowdowns(context, {.before = before, .after = after, .duration_ns = duration_ns, .reasons = reasons},
                    context.parameter<double>("max_slowdown_percent"));
  tell(context, "clock_sm_mhz", looks.back()[Reading::clock_sm]);
  tell(context, "clock_memory_mhz", looks.back()[Reading::clock_memory]);
  context.observe("looks", looks.size());
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.clocks",
      .summary = "Neither heat nor the power supply holds the clocks down for a noticeable part of the time",
      .source = std::string(nvml_documentation),
      .parameters = {window_parameter(), slowdown_parameter()},
      .faults = slowdown_faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::clocks
