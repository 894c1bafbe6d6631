#include "cases/rng/support.hpp"
#include "tensor/ops.hpp"
#include "tensor/random/inputs.hpp"

namespace gpucheck::cases::in_rng::device_seed {
namespace {

constexpr std::size_t elements = 4 * 4;

struct Draws {
  std::vector<float> uniform;
  std::vector<float> bernoulli;
};

Draws draw(runtime::Runtime& runtime) {
  Generator& generator = default_generator(runtime);
  generator.manual_seed(2);
  const Buffer<float> uniform = tensor::ops::rand(generator, elements);
  Buffer<float> halves = empty<float>(runtime, elements);
  Buffer<float> bernoulli = empty<float>(runtime, elements);
  tensor::ops::fill(runtime, halves.data(), elements, 0.5F, runtime.current_stream());
  tensor::ops::bernoulli_each(generator, halves.data(), bernoulli.data(), elements);
  return {values_of(runtime, uniform), values_of(runtime, bernoulli)};
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Draws first = draw(runtime);
  context.observe("initial_seed", static_cast<std::int64_t>(default_generator(runtime).initial_seed()));
  const Draws second = draw(runtime);
  context.observe("first_uniform", first_of(first.uniform, 8));
  context.observe("differing_uniform", differing(first.uniform, second.uniform));
  context.observe("differing_bernoulli", differing(first.bernoulli, second.bernoulli));
  context.observe("offset_after_both", static_cast<std::int64_t>(default_generator(runtime).offset()));
}

}  // namespace

harness::Case define() {
  auto faults = drawing_faults();
  faults.push_back({.name = "flipped_bit_of_bernoulli",
                    .summary = "one bit of what the first Bernoulli draw wrote flips",
                    .plan = fault::kernel_flips_bit(fault::nth_call(3))});
  return {
      .name = "rng.device_seed",
      .summary = "Seeding a device's generator makes a uniform fill and a Bernoulli draw after it repeat",
      .source = "test_cuda.py::TestCuda::test_manual_seed",
      .faults = faults,
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::device_seed
