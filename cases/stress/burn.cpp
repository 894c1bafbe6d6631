#include <utility>

#include "cases/gpu_faults.hpp"
#include "cases/shared/slowdown_support.hpp"
#include "cases/stress/strain_support.hpp"
#include "cases/stress/support.hpp"
#include "device/fault/common_plans.hpp"

namespace gpucheck::cases::in_stress::burn {
namespace {

/// Enqueued at once; the next ones are, before these are done.
constexpr std::size_t batch = 16;

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  const double asked_ms = seconds_of(context) * 1e3;
  Load load(context, stream);
  Strain strain(context);
  Clock clock(runtime.device(), stream);
  const device::UniqueEvent start = clock.now();
  load.add(batch);
  device::UniqueEvent end_of_batch = clock.now();
  double held_ms = 0;
  for (bool goes_on = true; goes_on;) {
    load.add(batch);
    device::UniqueEvent end_of_next = clock.now();
    const double now_ms = clock.elapsed_ms(start, end_of_batch);
    const bool stands_still = now_ms <= held_ms;
    held_ms = now_ms;
    goes_on = held_ms < asked_ms && !stands_still;
    end_of_batch = std::move(end_of_next);
  }
  strain.look();
  const double all_ms = clock.elapsed_ms(start, end_of_batch);
  load.observe(context);
  context.observe("held_share", held_ms / asked_ms);
  context.observe("held_seconds", held_ms / 1e3);
  const double operations = load.operations() * static_cast<double>(load.products());
  context.observe("mean_tflops", all_ms > 0 ? operations / all_ms / 1e9 : 0);
  strain.observe(context);
}

}  // namespace

harness::Case define() {
  std::vector<harness::Fault> faults = load_faults();
  const std::vector<harness::Fault> told = strain_faults();
  faults.insert(faults.end(), told.begin(), told.end());
  faults.push_back({.name = "slow_products",
                    .summary = "each product takes a tenth of a second longer",
                    .plan = fault::product_delayed(fault::every_call, std::chrono::milliseconds(100))});
  return {
      .name = "stress.burn",
      .summary =
          "Under load for as long as asked, every product is right, the speed is what the GPU can keep up, and neither "
          "heat nor the power supply slows it down",
      .source = "gpu-burn",
      .needs = {.exclusive = true},
      .parameters = {{.name = "seconds",
                      .summary = "how long; 0: 5 on a GPU, 0.0002 of its own time on the simulated device",
                      .default_value = 0.0,
                      .unit = "s",
                      .minimum = 0,
                      .maximum = 86400,
                      .smallest = 0.0002},
                     type_parameter(),
                     in_gemm::size_parameter(),
                     in_health::slowdown_parameter()},
      .faults = with_gpu_faults(std::move(faults)),
      .deadline = std::chrono::minutes(2),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stress::burn
