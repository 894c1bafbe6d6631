#include <algorithm>
#include <limits>

#include "cases/assert/support.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/random/multinomial.hpp"

namespace gpucheck::cases::in_assert::multinomial_invalid_probs {
namespace {

/// Draws category numbers, with replacement, by these weights.
std::vector<std::int64_t> draw(harness::Context& context, const std::vector<float>& weights, std::size_t samples) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  runtime::Buffer<float> device_weights(runtime, weights.size(), stream);
  runtime::Buffer<std::int64_t> drawn(runtime, samples, stream);
  write(runtime, device_weights.data(), weights, stream);
  tensor::Generator generator(runtime, context.seed());
  tensor::ops::multinomial(generator, tensor::ops::Weights<float>{device_weights.data(), 1, weights.size()},
                           drawn.data(), samples, true);
  return read(runtime, drawn.data(), samples, stream);
}

constexpr float infinity = std::numeric_limits<float>::infinity();

int negative(harness::Context& context) {
  static_cast<void>(draw(context, {1, -1, 1}, 2));
  return 0;
}
int infinite(harness::Context& context) {
  static_cast<void>(draw(context, {1, infinity, 1}, 2));
  return 0;
}
int minus_infinite(harness::Context& context) {
  static_cast<void>(draw(context, {1, -infinity, 1}, 2));
  return 0;
}
int not_a_number(harness::Context& context) {
  static_cast<void>(draw(context, {1, 1, std::numeric_limits<float>::quiet_NaN()}, 2));
  return 0;
}

void run(harness::Context& context) {
  std::vector<std::int64_t> drawn;
  context.observe("valid_weights_error", error_text<Error>([&] { drawn = draw(context, {1, 0, 1}, 1000); }));
  context.observe("draws_of_the_first", std::ranges::count(drawn, 0));
  context.observe("draws_of_the_last", std::ranges::count(drawn, 2));
  context.observe("valid_draws_of_probability_zero", std::ranges::count(drawn, 1));
  context.observe("valid_draws_out_of_range",
                  std::ranges::count_if(drawn, [](std::int64_t n) { return n < 0 || n > 2; }));

  for (const char* name : {"negative", "infinite", "minus_infinite", "not_a_number"}) {
    observe_child(context, name, context.run_child(name, std::chrono::seconds(10)));
  }
}

}  // namespace

harness::Case define() {
  return {
      .name = "assert.multinomial_invalid_probs",
      .summary = "Drawing by weights that are negative, infinite or not a number is a device-side assert",
      .source = "test_cuda.py::TestCuda::test_multinomial_invalid_probs_cuda",
      .needs = needs_of_asserts(),
      .faults = {{.name = "draw_lost",
                  .summary = "the kernels that check and draw are never launched",
                  .plan = fault::kernel_lost(fault::every_call)},
                 {.name = "error_swallowed",
                  .summary = "every call reports success after an assert",
                  .plan = fault::sticky_errors_hidden()},
                 {.name = "flipped_bit",
                  .summary = "one bit of what was drawn flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(5))},
                 {.name = "weight_altered",
                  .summary = "one bit of the weight of zero flips on its way to the device",
                  .plan = fault::copy_flips_bit(fault::nth_call(1))},
                 {.name = "weights_lost",
                  .summary = "the weights never reach the device",
                  .plan = fault::copy_lost(fault::nth_call(1))}},
      .deadline = std::chrono::seconds(60),
      .run = run,
      .children = {{"negative", negative},
                   {"infinite", infinite},
                   {"minus_infinite", minus_infinite},
                   {"not_a_number", not_a_number}},
  };
}

}  // namespace gpucheck::cases::in_assert::multinomial_invalid_probs
