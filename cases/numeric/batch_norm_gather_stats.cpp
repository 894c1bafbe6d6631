#include "cases/numeric/support.hpp"
#include "tensor/operators/layers/layers.hpp"

namespace gpucheck::cases::in_numeric::batch_norm_gather_stats {
namespace {

void run(harness::Context& context) {
  const Device device = context.runtime();
  const Tensor input = tensor::randn({1, 3, 3, 3}, DType::float32, device);
  const Tensor ones = tensor::ones({2, 3}, DType::float32, device);
  const auto [mean, inverse] = tensor::batch_norm_gather_stats(input, ones, ones, {}, {}, 0.1, 1e-5, 2);
  context.observe("mean", numbers_of(mean));
  context.observe("inverse_deviation", numbers_of(inverse));
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.batch_norm_gather_stats",
      .summary = "Statistics of two equal parts of a batch are those of each",
      .source = "test_cuda.py::TestCuda::test_batch_norm_gather_stats",
      .faults = {{.name = "lost_kernels", .summary = "no kernel is run", .plan = fault::kernel_lost(fault::every_call)},
                 {.name = "flipped_bit",
                  .summary = "one bit of the parts' statistics flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::batch_norm_gather_stats
