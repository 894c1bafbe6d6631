#include "cases/numeric/support.hpp"

namespace gpucheck::cases::in_numeric::bincount {
namespace {

void observe_counts(harness::Context& context, const std::string& name, const Tensor& numbers, const Tensor& weights) {
  const Tensor numbers_on_host = tensor::to(numbers, tensor::host);
  context.observe(name + "_wrong_counts", differing(tensor::bincount(numbers), tensor::bincount(numbers_on_host)));
  const Tensor sums = tensor::to(tensor::bincount(numbers, weights), tensor::host);
  const Tensor expected = tensor::bincount(numbers_on_host, tensor::to(weights, tensor::host));
  const Tensor distance = tensor::abs(tensor::sub(sums, expected));
  context.observe(name + "_greatest_distance_of_sums", number_of(tensor::amax(distance)));
  context.observe(name + "_counted", tensor::item(tensor::sum(tensor::bincount(numbers))).to_int());
}

void run(harness::Context& context) {
  const Device device = context.runtime();
  constexpr std::int64_t count = 100000;
  const Tensor weights = tensor::randn({count}, DType::float64, device);
  observe_counts(context, "few_bins", tensor::randint(0, 50, {count}, DType::int8, device), weights);
  observe_counts(context, "many_bins", tensor::randint(0, 50000, {count}, DType::int64, device), weights);
  const Tensor far = tensor::zeros({10}, DType::int32, device);
  tensor::fill_(tensor::select(far, 0, 0), 35488);
  context.observe("counted_far_out", tensor::item(tensor::sum(tensor::bincount(far, {}, 65536))).to_int());
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.bincount",
      .summary = "Numbers are counted, and their weights summed, as the host does it, in few bins and in many",
      .source = "test_cuda.py::TestCuda::test_bincount_ext",
      .faults = {{.name = "lost_kernels", .summary = "no kernel is run", .plan = fault::kernel_lost(fault::every_call)},
                 {.name = "lost_weights_of_few",
                  .summary = "the weights of the few bins are never summed",
                  .plan = fault::kernel_lost(fault::nth_call(14))},
                 {.name = "lost_weights_of_many",
                  .summary = "the weights of the many bins are never summed",
                  .plan = fault::kernel_lost(fault::nth_call(34))}},
      .deadline = std::chrono::milliseconds(60'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::bincount
