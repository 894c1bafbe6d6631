#include "device/kernels/support/distributions.hpp"

#include <cstdint>
#include <type_traits>

#include "cases/rng/support.hpp"
#include "tensor/ops.hpp"
#include "tensor/random/inputs.hpp"
#include "tensor/random/integers.hpp"
#include "tensor/random/multinomial.hpp"
#include "tensor/random/permutation.hpp"

namespace gpucheck::cases::in_rng {
namespace {

namespace ops = tensor::ops;
using device::kernels::convert_to;
using tensor::BFloat16;
using tensor::Half;

/// Few enough that what is drawn does not hang on the number of multiprocessors.
constexpr std::size_t count = 1000;
constexpr std::uint64_t seed = 2;

template <typename T>
using Widened = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

template <typename T>
std::vector<Widened<T>> widened(const std::vector<T>& values) {
  std::vector<Widened<T>> wide;
  for (const T value : values) wide.push_back(convert_to<Widened<T>>(value));
  return wide;
}

/// Each number times its place, from 1 on, added up; whole numbers modulo 2^64.
double placed_sum(const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += static_cast<double>(i + 1) * values[i];
  return sum;
}
std::int64_t placed_sum(const std::vector<std::int64_t>& values) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += (i + 1) * static_cast<std::uint64_t>(values[i]);
  return static_cast<std::int64_t>(sum);
}

/// What two calls in a row return, and where they leave the generator.
template <typename Draw>
void observe_draws(harness::Context& context, const std::string& name, std::uint64_t from_seed, Draw draw) {
  runtime::Runtime& runtime = context.runtime();
  Generator& generator = runtime.default_generator();
  generator.manual_seed(from_seed);
  auto numbers = widened(values_of(runtime, draw(generator)));
  const auto second = widened(values_of(runtime, draw(generator)));
  constexpr std::size_t shown = 8;
  context.observe(
      name + "_first",
      harness::Value(decltype(numbers)(
          numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(std::min(shown, numbers.size())))));
  numbers.insert(numbers.end(), second.begin(), second.end());
  context.observe(name + "_placed_sum", placed_sum(numbers));
  context.observe(name + "_offset", static_cast<std::int64_t>(generator.offset()));
}

/// The same of a call that fills so many elements.
template <typename T, typename Fill>
void observe_fills(harness::Context& context, const std::string& name, Fill fill, std::size_t size = count) {
  observe_draws(context, name, seed, [&](Generator& generator) {
    Buffer<T> out = empty<T>(generator.runtime(), size);
    fill(generator, out.data());
    return out;
  });
}

void observe_real_numbers(harness::Context& context) {
  observe_fills<float>(context, "uniform_float", [](Generator& g, float* out) { ops::uniform(g, out, count); });
  observe_fills<double>(context, "uniform_double", [](Generator& g, double* out) { ops::uniform(g, out, count); });
  observe_fills<Half>(context, "uniform_half", [](Generator& g, Half* out) { ops::uniform(g, out, count); });
  observe_fills<BFloat16>(context, "uniform_bfloat16",
                          [](Generator& g, BFloat16* out) { ops::uniform(g, out, count); });
  observe_fills<float>(context, "uniform_between",
                       [](Generator& g, float* out) { ops::uniform(g, out, count, -2, 5); });
  observe_fills<float>(context, "normal_float", [](Generator& g, float* out) { ops::normal(g, out, count, 3, 0.5); });
  observe_fills<double>(context, "normal_double",
                        [](Generator& g, double* out) { ops::normal(g, out, count, 3, 0.5); });
  observe_fills<float>(context, "log_normal", [](Generator& g, float* out) { ops::log_normal(g, out, count, 0, 0.5); });
  observe_fills<float>(context, "exponential", [](Generator& g, float* out) { ops::exponential(g, out, count, 1.5); });
  observe_fills<float>(context, "cauchy", [](Generator& g, float* out) { ops::cauchy(g, out, count, 1, 2); });
}

void observe_whole_numbers(harness::Context& context) {
  observe_fills<float>(context, "bernoulli", [](Generator& g, float* out) { ops::bernoulli(g, out, count, 0.25); });
  observe_fills<float>(context, "geometric", [](Generator& g, float* out) { ops::geometric(g, out, count, 0.3); });
  observe_fills<std::uint8_t>(context, "bytes", [](Generator& g, std::uint8_t* out) { ops::random(g, out, count); });
  const auto below = [&](const std::string& name, std::int64_t bound) {
    observe_fills<std::int64_t>(context, name,
                                [bound](Generator& g, std::int64_t* out) { ops::random(g, out, count, 0, bound); });
  };
  below("integers_below_100", 100);
  below("integers_below_2_30", std::int64_t{1} << 30);
  below("integers_below_2_40", std::int64_t{1} << 40);
  observe_fills<std::int64_t>(context, "any_integers", [](Generator& g, std::int64_t* out) {
    ops::random_from(g, out, count, std::numeric_limits<std::int64_t>::lowest());
  });
}

/// Of what hangs on an input for each number: the same one for all.
void observe_inputs(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const auto equal = [&](float value) {
    Buffer<float> values = empty<float>(runtime, count);
    ops::fill(runtime, values.data(), count, value, runtime.current_stream());
    return values;
  };
  const auto observe = [&](const std::string& name, float value, auto draw) {
    const Buffer<float> in = equal(value);
    observe_fills<float>(context, name, [&](Generator& g, float* out) { draw(g, in.data(), out); });
  };
  const auto poisson = [](Generator& g, const float* in, float* out) { ops::poisson(g, in, out, count); };
  observe("bernoulli_each", 0.3F,
          [](Generator& g, const float* in, float* out) { ops::bernoulli_each(g, in, out, count); });
  observe("poisson_3", 3, poisson);
  observe("poisson_5000", 5000, poisson);
  observe("dropout", 1, [](Generator& g, const float* in, float* out) {
    Buffer<bool> mask = empty<bool>(g.runtime(), count);
    ops::dropout(g, in, out, mask.data(), count, 0.3);
  });
  observe("randomized_relu", -1, [](Generator& g, const float* in, float* out) {
    Buffer<float> slopes = empty<float>(g.runtime(), count);
    ops::rrelu(g, in, out, slopes.data(), count);
  });
}

/// Of categories with the weights 1, 2 and so on, and of equal ones that are more than one tile of a running sum.
void observe_choices(harness::Context& context, const Buffer<float>& weights) {
  runtime::Runtime& runtime = context.runtime();
  constexpr std::uint64_t seed_of_equal_keys = 51;
  observe_draws(context, "permutation", seed_of_equal_keys, [](Generator& g) { return ops::randperm(g, count); });
  const auto observe = [&](const std::string& name, const Buffer<float>& of, std::size_t samples, bool replacement) {
    observe_fills<std::int64_t>(
        context, name,
        [&](Generator& g, std::int64_t* out) {
          ops::multinomial(g, ops::Weights<float>{of.data(), 1, of.size()}, out, samples, replacement);
        },
        samples);
  };
  observe("categories", weights, 64, true);
  observe("distinct_categories", weights, 8, false);
  observe("one_category", weights, 1, false);
  Buffer<float> equal = empty<float>(runtime, 4096);
  ops::fill(runtime, equal.data(), equal.size(), 1.0F, runtime.current_stream());
  observe("categories_of_tiles", equal, 64, true);
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  Buffer<float> weights = empty<float>(runtime, count);
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i + 1);
  write(runtime, weights.data(), numbers, runtime.current_stream());
  observe_real_numbers(context);
  observe_whole_numbers(context);
  observe_inputs(context);
  observe_choices(context, weights);
}

}  // namespace

harness::Case distributions() {
  return {
      .name = "rng.distributions",
      .summary =
          "Each distribution draws from a seed the numbers that PyTorch draws, and leaves the offset that it leaves",
      .source = "what PyTorch 2.11 draws on a CUDA device",
      .faults = {{.name = "lost_copies",
                  .summary = "no numbers are copied to the host",
                  .plan = fault::copy_lost(fault::from_call(2))},
                 {.name = "flipped_bit",
                  .summary = "one bit of what the first draw wrote flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(1))},
                 {.name = "lost_draw",
                  .summary = "the second draw is never made",
                  .plan = fault::kernel_lost(fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng
