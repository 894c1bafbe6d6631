#include <utility>
#include <vector>

#include "cases/stress/support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"

namespace gpucheck::cases::in_stress::pulse {
namespace {

/// How many products fill half a period, by the time that a few take.
std::size_t products_of(Load& load, Clock& clock, double half_ms) {
  constexpr std::size_t tried = 8;
  const device::UniqueEvent start = clock.now();
  load.add(tried);
  const device::UniqueEvent end = clock.now();
  return products_within(half_ms, clock.elapsed_ms(start, end) / tried);
}

struct Pulse {
  device::UniqueEvent begin;
  device::UniqueEvent end_of_load;
  device::UniqueEvent end;
};

void observe_pulses(harness::Context& context, Clock& clock, const std::vector<Pulse>& pulses, double half_ms) {
  constexpr double enough = 0.5;  // the estimate is of products that ran at other clocks
  std::int64_t whole = 0;
  std::int64_t without_load = 0;
  std::int64_t without_rest = 0;
  double load_ms = 0;
  double rest_ms = 0;
  for (const Pulse& pulse : pulses) {
    const double load = clock.elapsed_ms(pulse.begin, pulse.end_of_load);
    const double rest = clock.elapsed_ms(pulse.end_of_load, pulse.end);
    const bool has_load = load >= enough * half_ms;
    const bool has_rest = rest >= enough * half_ms;
    whole += has_load && has_rest ? 1 : 0;
    without_load += has_load ? 0 : 1;
    without_rest += has_rest ? 0 : 1;
    load_ms += load;
    rest_ms += rest;
  }
  context.observe("pulses", whole);
  context.observe("pulses_without_load", without_load);
  context.observe("pulses_without_rest", without_rest);
  context.observe("period_ms", (load_ms + rest_ms) / static_cast<double>(pulses.size()));
  context.observe("load_share", load_ms + rest_ms > 0 ? load_ms / (load_ms + rest_ms) : 0);
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  device::Device& device = runtime.device();
  const device::Stream stream = runtime.current_stream();
  const Rhythm rhythm = rhythm_of(context);
  Load load(context, stream);
  Clock clock(device, stream);
  const std::size_t products = products_of(load, clock, rhythm.half_ms);
  // One thread that waits leaves all the rest of the chip without work, and keeps time by itself.
  const device::kernels::Spin rest{static_cast<std::uint64_t>(rhythm.half_ms * 1e6)};
  std::vector<Pulse> pulses;
  for (std::size_t i = 0; i < rhythm.pulses; ++i) {
    Pulse pulse{.begin = clock.now(), .end_of_load = {}, .end = {}};
    load.add(products);
    pulse.end_of_load = clock.now();
    device::check(device, device::launch(device, rest, 1, stream), "spin");
    pulse.end = clock.now();
    pulses.push_back(std::move(pulse));
  }
  load.observe(context);
  observe_pulses(context, clock, pulses, rhythm.half_ms);
}

std::vector<harness::Fault> faults() {
  std::vector<harness::Fault> all = load_faults();
  // Behind the seven kernels that fill in what is multiplied, and those of the products tried: two for each of seven,
  // one for the known one; then come the first pulse's.
  all.push_back({.name = "kernels_lost",
                 .summary = "from the first pulse on no kernel but the library's is ever run",
                 .plan = fault::kernel_lost(fault::from_call(23))});
  return all;
}

}  // namespace

harness::Case define() {
  return {
      .name = "stress.pulse",
      .summary = "Load and rest in turns, as power supplies like least: every product is right",
      .source = "DCGM pulse_test",
      .needs = {.exclusive = true},
      .parameters = {{.name = "period_ms",
                      .summary = "of load and rest, half each; 0: 100 on a GPU, 0.05 on the simulated device",
                      .default_value = 0.0,
                      .unit = "ms",
                      .minimum = 0,
                      .maximum = 60000},
                     {.name = "pulses",
                      .summary = "how many; 0: 20 on a GPU, 4 on the simulated device",
                      .default_value = std::int64_t{0},
                      .minimum = 0,
                      .maximum = 100000},
                     type_parameter(),
                     in_gemm::size_parameter()},
      .faults = faults(),
      .deadline = std::chrono::minutes(2),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stress::pulse
