#include "cases/rng/support.hpp"

namespace gpucheck::cases::in_rng::no_reused_states {
namespace {

constexpr std::size_t count = 1'000'000;

/// How many numbers there are in two draws, one after the other, each counted once.
template <typename T, typename Draw>
std::int64_t distinct_of_two(harness::Context& context, Draw draw) {
  runtime::Runtime& runtime = context.runtime();
  Generator generator(runtime, context.seed());
  std::vector<T> both;
  for (int i = 0; i < 2; ++i) {
    Buffer<T> out = empty<T>(runtime, count);
    draw(generator, out.data());
    const std::vector<T> values = values_of(runtime, out);
    both.insert(both.end(), values.begin(), values.end());
  }
  return std::ssize(distinct(bits_of(both)));
}

template <typename T>
void observe(harness::Context& context, const std::string& type) {
  context.observe("distinct_uniform_" + type, distinct_of_two<T>(context, [](Generator& generator, T* out) {
                    tensor::ops::uniform(generator, out, count);
                  }));
  context.observe("distinct_normal_" + type, distinct_of_two<T>(context, [](Generator& generator, T* out) {
                    tensor::ops::normal(generator, out, count);
                  }));
}

/// Distinct numbers in one draw so long that each sequence has several turns at it.
std::int64_t distinct_of_a_long_draw(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  Generator generator(runtime, context.seed());
  Buffer<double> out = empty<double>(runtime, 3 * count);
  tensor::ops::uniform(generator, out.data(), out.size());
  return std::ssize(distinct(bits_of(values_of(runtime, out))));
}

void run(harness::Context& context) {
  observe<float>(context, "float");
  observe<double>(context, "double");
  context.observe("distinct_of_a_long_draw", distinct_of_a_long_draw(context));
}

}  // namespace

harness::Case define() {
  std::vector<harness::Fault> faults;
  for (const int draw : {2, 4, 6, 8}) {
    faults.push_back({.name = "lost_draw_" + std::to_string(draw),
                      .summary = "a draw is never made, and what was there is taken for it",
                      .plan = fault::kernel_lost(fault::nth_call(static_cast<std::uint64_t>(draw)))});
  }
  faults.push_back({.name = "lost_long_draw",
                    .summary = "the long draw is never made",
                    .plan = fault::kernel_lost(fault::nth_call(9))});
  return {
      .name = "rng.no_reused_states",
      .summary = "Two draws of a million uniform or normal numbers have hardly a number in common",
      .source = "test_cuda.py::TestCuda::test_random_no_reused_random_states",
      .faults = faults,
      .deadline = std::chrono::milliseconds(60'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::no_reused_states
