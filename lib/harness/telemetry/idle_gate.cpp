#include "harness/telemetry/idle_gate.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace gpucheck::harness {
namespace {

using telemetry::Gpu;
using telemetry::Reading;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_looks{20};

/// What holds clocks down although the chip could go faster.
constexpr std::int64_t held_down =
    telemetry::clock_event::hardware_slowdown | telemetry::clock_event::hardware_thermal_slowdown |
    telemetry::clock_event::hardware_power_brake | telemetry::clock_event::software_thermal_slowdown;

/// Why the GPU is not idle; empty where it is.
std::string why_busy(const Gpu& gpu, const IdleLimits& limits) {
  const auto utilization = telemetry::number(gpu[Reading::utilization_gpu]);
  if (!utilization)
    return fmt::format("utilization is not known: {}", *telemetry::problem(gpu[Reading::utilization_gpu]));
  if (*utilization > limits.utilization_percent) return fmt::format("utilization is {} %", *utilization);
  const telemetry::Value& events = gpu[Reading::clock_event_reasons];
  if (telemetry::is_failure(events))
    return fmt::format("what holds the clocks down is not known: {}", *telemetry::problem(events));
  const std::int64_t reasons =
      telemetry::number(events).value_or(0);  // a driver that offers none holds nothing against
  if ((reasons & held_down) != 0) return fmt::format("clocks are held down (event reasons {:#x})", reasons);
  return {};
}

std::optional<std::int64_t> count_others(const Gpu& gpu) {
  if (!gpu.processes_problem.empty()) return {};
  const auto is_other = [](const telemetry::Process& process) { return process.pid != ::getpid(); };
  return std::ranges::count_if(gpu.processes, is_other);
}

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

IdleReport wait_until_idle(GpuWatch& watch, std::size_t index, const IdleLimits& limits) {
  IdleReport report;
  const Clock::time_point start = Clock::now();
  try {
    report.other_processes = count_others(watch.gpu(index));
    while (true) {
      const Gpu gpu = watch.gpu(index, telemetry::Subset::gauges);
      report.utilization_percent = telemetry::number(gpu[Reading::utilization_gpu]);
      report.temperature_celsius = telemetry::number(gpu[Reading::temperature_gpu]);
      report.clock_sm_mhz = telemetry::number(gpu[Reading::clock_sm]);
      report.reason = why_busy(gpu, limits);
      report.is_idle = report.reason.empty();
      if (report.is_idle || !report.utilization_percent || Clock::now() - start >= limits.patience) break;
      std::this_thread::sleep_for(between_looks);
    }
  } catch (const Error& error) {
    report.is_idle = false;
    report.reason = error.what();
  }
  report.waited_ms = milliseconds_since(start);
  return report;
}

}  // namespace gpucheck::harness
