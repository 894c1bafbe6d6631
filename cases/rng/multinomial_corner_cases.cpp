#include <array>

#include "cases/rng/support.hpp"
#include "tensor/random/multinomial.hpp"

namespace gpucheck::cases::in_rng::multinomial_corner_cases {
namespace {

using tensor::ops::Weights;

/// From an old report: bins without weight before, within and after those that have some.
constexpr std::array histogram{0.0F,
                               0.0F,
                               0.0F,
                               0.0F,
                               0.0F,
                               0.0F,
                               0.0F,
                               0.0F,
                               0.0F,
                               0.03178183361887932F,
                               0.027680952101945877F,
                               0.033176131546497345F,
                               0.046052902936935425F,
                               0.07742464542388916F,
                               0.11543981730937958F,
                               0.14148041605949402F,
                               0.15784293413162231F,
                               0.13180233538150787F,
                               0.08271478116512299F,
                               0.049702685326337814F,
                               0.027557924389839172F,
                               0.018125897273421288F,
                               0.011851548217236996F,
                               0.010252203792333603F,
                               0.007422595750540495F,
                               0.005372154992073774F,
                               0.0045109698548913F,
                               0.0036087757907807827F,
                               0.0035267581697553396F,
                               0.0018864056328311563F,
                               0.0024605290964245796F,
                               0.0022964938543736935F,
                               0.0018453967059031129F,
                               0.0010662291897460818F,
                               0.0009842115687206388F,
                               0.00045109697384759784F,
                               0.0007791675161570311F,
                               0.00020504408166743815F,
                               0.00020504408166743815F,
                               0.00020504408166743815F,
                               0.00012302644609007984F,
                               0.0F,
                               0.00012302644609007984F,
                               4.100881778867915e-05F,
                               0.0F,
                               0.0F,
                               0.0F,
                               0.0F,
                               0.0F,
                               0.0F};

std::vector<std::int64_t> draw(runtime::Runtime& runtime, Generator& generator, const std::vector<float>& weights,
                               std::size_t rows, std::size_t samples, bool replacement) {
  Buffer<float> on_device = empty<float>(runtime, weights.size());
  write(runtime, on_device.data(), weights, runtime.current_stream());
  Buffer<std::int64_t> out = empty<std::int64_t>(runtime, rows * samples);
  tensor::ops::multinomial(generator, Weights<float>{on_device.data(), rows, weights.size() / rows}, out.data(),
                           samples, replacement);
  return values_of(runtime, out);
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  Generator& generator = default_generator(runtime);

  const std::vector<float> bins(histogram.begin(), histogram.end());
  generator.manual_seed(11042);
  context.observe("draws_of_empty_bins", impossible_draws(bins, draw(runtime, generator, bins, 1, 1000, true)));

  constexpr std::size_t rows = 3421;
  std::vector<float> second_columns(2 * rows);
  for (std::size_t row = 0; row < rows; ++row) second_columns[2 * row + 1] = 1.0F;
  generator.manual_seed(5214);
  const std::vector<std::int64_t> columns = draw(runtime, generator, second_columns, rows, 1, false);
  context.observe("rows_of_the_second_column", std::ranges::count(columns, 1));

  constexpr std::size_t many = 1'000'000;
  generator.manual_seed(33);
  std::vector<float> weights = values_of(runtime, tensor::ops::randn(generator, many));
  for (float& weight : weights) weight = std::max(weight, 0.0F) * 3e-5F;
  context.observe("draws_of_empty_categories",
                  impossible_draws(weights, draw(runtime, generator, weights, 1, many, true)));
}

}  // namespace

harness::Case define() {
  return {
      .name = "rng.multinomial_corner_cases",
      .summary = "What has no weight is never drawn: among 50 bins, in 3421 rows, among a million categories",
      .source = "test_cuda.py::TestCuda::test_multinomial_ext",
      .faults = {{.name = "lost_draw",
                  .summary = "what draws by the running sums is never run",
                  .plan = fault::kernel_lost(fault::nth_call(5))},
                 {.name = "lost_search",
                  .summary = "what finds the greatest of each row is never run",
                  .plan = fault::kernel_lost(fault::nth_call(9))},
                 {.name = "lost_large_draw",
                  .summary = "what draws among a million categories is never run",
                  .plan = fault::kernel_lost(fault::nth_call(15))}},
      .deadline = std::chrono::milliseconds(60'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::multinomial_corner_cases
