#include "cases/rng/support.hpp"
#include "tensor/random/integers.hpp"

namespace gpucheck::cases::in_rng::randint_large_range_no_reuse {
namespace {

void run(harness::Context& context) {
  constexpr std::size_t count = 1'000'000;
  constexpr std::int64_t range = 6'000'000'000;
  runtime::Runtime& runtime = context.runtime();
  Generator generator(runtime, context.seed());
  std::vector<std::int64_t> both;
  for (int draw = 0; draw < 2; ++draw) {
    Buffer<std::int64_t> out = empty<std::int64_t>(runtime, count);
    tensor::ops::random(generator, out.data(), count, 0, range);
    const std::vector<std::int64_t> values = values_of(runtime, out);
    both.insert(both.end(), values.begin(), values.end());
  }
  const std::vector<std::uint64_t> numbers = distinct(bits_of(both));
  context.observe("distinct_numbers", std::ssize(numbers));
  context.observe("numbers_out_of_range", out_of_range(both, range));
  context.observe("numbers_above_32_bits",
                  std::ranges::count_if(numbers, [](std::uint64_t n) { return n >= std::uint64_t{1} << 32; }));
}

}  // namespace

harness::Case define() {
  return {
      .name = "rng.randint_large_range_no_reuse",
      .summary = "Two draws of a million numbers below 6,000,000,000 have hardly a number in common",
      .source = "test_cuda.py::TestCuda::test_randint_randomness_for_large_range",
      .faults = {{.name = "lost_draw",
                  .summary = "a draw is never made",
                  .plan = fault::kernel_lost(fault::nth_call(1))},
                 {.name = "lost_copy",
                  .summary = "the numbers of the second draw are never copied",
                  .plan = fault::copy_lost(fault::nth_call(2))}},
      .deadline = std::chrono::milliseconds(30'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::randint_large_range_no_reuse
