#include "device/kernels/support/distributions.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <type_traits>

#include "cases/rng/support.hpp"
#include "tensor/random/inputs.hpp"
#include "tensor/random/integers.hpp"
#include "tensor/random/multinomial.hpp"
#include "tensor/random/permutation.hpp"

namespace gpucheck::cases::in_rng::distributions {
namespace {

namespace ops = tensor::ops;
using device::kernels::convert_to;
using tensor::BFloat16;
using tensor::Half;

/// Few enough that what is drawn does not depend on the number of multiprocessors.
constexpr std::size_t count = 1000;
constexpr std::uint64_t seed = 2;

template <typename T>
using Widened = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

template <typename T>
std::vector<Widened<T>> widened(const std::vector<T>& values) {
  std::vector<Widened<T>> wide;
  wide.reserve(values.size());
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
  Generator& generator = default_generator(runtime);
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

/// Draws as many floats as the device's threads draw with four numbers each, and one more.
void observe_rounds(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const auto& properties = context.device().properties();
  const auto threads = static_cast<std::size_t>(properties.multiprocessor_count) *
                       static_cast<std::size_t>(properties.max_threads_per_multiprocessor);
  Buffer<float> out = empty<float>(runtime, 4 * threads + 1);
  Generator generator(runtime);
  ops::uniform(generator, out.data(), 4 * threads);
  context.observe("offset_of_a_round", static_cast<std::int64_t>(generator.offset()));
  generator.set_offset(0);
  ops::uniform(generator, out.data(), 4 * threads + 1);
  context.observe("offset_of_more_than_a_round", static_cast<std::int64_t>(generator.offset()));
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
  observe_fills<float>(context, "whole_floats", [](Generator& g, float* out) { ops::random(g, out, count); });
  observe_fills<float>(context, "whole_floats_below_2_40",
                       [](Generator& g, float* out) { ops::random(g, out, count, 0, std::int64_t{1} << 40); });
  observe_fills<Half>(context, "whole_halves_around_0",
                      [](Generator& g, Half* out) { ops::random(g, out, count, -100, 100); });
  observe_fills<BFloat16>(context, "whole_bfloat16_from_10",
                          [](Generator& g, BFloat16* out) { ops::random_from(g, out, count, 10); });
}

template <typename T>
Buffer<T> upload(runtime::Runtime& runtime, const std::vector<T>& values) {
  Buffer<T> on_device = empty<T>(runtime, values.size());
  write(runtime, on_device.data(), values, runtime.current_stream());
  return on_device;
}

/// What draws depend on. All of it is on the device before the first.
struct Inputs {
  explicit Inputs(runtime::Runtime& runtime) {
    for (const float value : {0.3F, 3.0F, 100.0F, 5000.0F, 1.0F, -1.0F}) {
      equal.emplace(value, upload(runtime, std::vector<float>(most, value)));
    }
    half_ones = upload(runtime, std::vector<Half>(most, Half(1.0F)));
    tiles = upload(runtime, std::vector<float>(4096, 1.0F));
    std::vector<float> weights(3 * count);
    std::iota(weights.begin(), weights.end(), 1.0F);
    rising = upload(runtime, weights);
  }
  static constexpr std::uint64_t copies = 9;
  static constexpr std::size_t most = count + 1;
  std::map<float, Buffer<float>> equal;
  Buffer<Half> half_ones;
  Buffer<float> tiles;   ///< weights that are more than one tile of a running sum
  Buffer<float> rising;  ///< weights of three rows
};

template <typename T>
void drop_out(Generator& generator, const T* in, T* out, std::size_t size) {
  Buffer<bool> mask = empty<bool>(generator.runtime(), size);
  ops::dropout(generator, in, out, mask.data(), size, 0.3);
}

void observe_inputs(harness::Context& context, const Inputs& inputs) {
  const auto observe = [&](const std::string& name, float value, auto draw, std::size_t size = count) {
    const float* const in = inputs.equal.at(value).data();
    observe_fills<float>(
        context, name, [&](Generator& g, float* out) { draw(g, in, out, size); }, size);
  };
  observe("bernoulli_each", 0.3F, ops::bernoulli_each<float, float>);
  observe("poisson_3", 3, ops::poisson<float>);
  observe("poisson_100", 100, ops::poisson<float>);
  observe("poisson_5000", 5000, ops::poisson<float>);
  observe("dropout", 1, drop_out<float>);
  observe("dropout_of_an_odd_count", 1, drop_out<float>, count + 1);
  observe("randomized_relu", -1, [](Generator& g, const float* in, float* out, std::size_t size) {
    Buffer<float> slopes = empty<float>(g.runtime(), size);
    ops::rrelu(g, in, out, slopes.data(), size);
  });
  observe_fills<Half>(context, "dropout_half",
                      [&](Generator& g, Half* out) { drop_out(g, inputs.half_ones.data(), out, count); });
}

void observe_choices(harness::Context& context, const Inputs& inputs) {
  constexpr std::uint64_t seed_of_equal_keys = 51;
  observe_draws(context, "permutation", seed_of_equal_keys, [](Generator& g) { return ops::randperm(g, count); });
  const auto observe = [&](const std::string& name, const ops::Weights<float>& weights, std::size_t samples,
                           bool replacement) {
    observe_fills<std::int64_t>(
        context, name,
        [&](Generator& g, std::int64_t* out) { ops::multinomial(g, weights, out, samples, replacement); },
        weights.rows * samples);
  };
  const ops::Weights<float> row{inputs.rising.data(), 1, count};
  const ops::Weights<float> rows{inputs.rising.data(), 3, count};
  observe("categories", row, 64, true);
  observe("categories_of_tiles", {inputs.tiles.data(), 1, inputs.tiles.size()}, 64, true);
  observe("categories_of_rows", rows, 8, true);
  observe("distinct_categories", row, 8, false);
  observe("distinct_categories_of_rows", rows, 4, false);
  observe("one_category", row, 1, false);
  observe("one_category_of_rows", rows, 1, false);
}

void run(harness::Context& context) {
  const Inputs inputs(context.runtime());
  observe_real_numbers(context);
  observe_whole_numbers(context);
  observe_inputs(context, inputs);
  observe_choices(context, inputs);
  observe_rounds(context);
}

}  // namespace

harness::Case define() {
  return {
      .name = "rng.distributions",
      .summary =
          "Each distribution draws from a seed the numbers that PyTorch draws, and leaves the offset that it leaves",
      .source = "what PyTorch 2.11 draws on a CUDA device",
      .faults = {{.name = "lost_copies",
                  .summary = "no numbers are copied to the host",
                  .plan = fault::copy_lost(fault::from_call(Inputs::copies + 1))},
                 {.name = "flipped_bit",
                  .summary = "one bit of what the first draw wrote flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(1))},
                 {.name = "lost_draw",
                  .summary = "the second draw is never made",
                  .plan = fault::kernel_lost(fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::distributions
