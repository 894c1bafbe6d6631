#include "cases/rng/support.hpp"

namespace gpucheck::cases::in_rng::global_seed_seeds_devices {
namespace {

constexpr std::uint64_t seed = 2;
constexpr std::size_t elements = 4 * 4;

std::vector<float> fill(runtime::Runtime& runtime) {
  runtime::manual_seed(seed);
  return values_of(runtime, tensor::ops::rand(default_generator(runtime), elements));
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  Generator& generator = default_generator(runtime);
  generator.manual_seed(77);
  generator.set_offset(12);
  const Generator::StateBytes saved = generator.state();
  const std::vector<float> first = fill(runtime);
  context.observe("initial_seed", static_cast<std::int64_t>(generator.initial_seed()));
  const std::vector<float> second = fill(runtime);
  context.observe("first_numbers", first_of(first, 8));
  context.observe("differing_numbers", differing(first, second));
  context.observe("initial_seed_after_draws", static_cast<std::int64_t>(generator.initial_seed()));
  generator.set_state(saved);
  context.observe("seed_put_back", static_cast<std::int64_t>(generator.initial_seed()));
  context.observe("offset_put_back", static_cast<std::int64_t>(generator.offset()));
}

}  // namespace

harness::Case define() {
  return {
      .name = "rng.global_seed_seeds_devices",
      .summary = "One seed for all devices makes a device's draws repeat; a saved state can be put back",
      .source = "test_cuda.py::TestCuda::test_torch_manual_seed_seeds_cuda_devices",
      .faults = {{.name = "lost_draw",
                  .summary = "the first draw is never made",
                  .plan = fault::kernel_lost(fault::nth_call(1))},
                 {.name = "flipped_bit",
                  .summary = "one bit of what the second draw wrote flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::global_seed_seeds_devices
