#include "cases/numeric/support.hpp"

namespace gpucheck::cases::in_numeric::max_large_axis {
namespace {

void run(harness::Context& context) {
  need_gpu(context, "2^32 elements");
  constexpr std::int64_t count = std::int64_t{1} << 32;
  const Tensor x = tensor::zeros({count}, DType::int8, context.runtime());
  tensor::fill_(tensor::select(x, 0, count - 1), 1);
  const auto [value, index] = tensor::max(x, 0);
  context.observe("value", tensor::item(value).to_int());
  context.observe("index", tensor::item(index).to_int());
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.max_large_axis",
      .summary = "The index of a maximum beyond 2^31 elements has 64 bits",
      .source = "test_cuda.py::TestCuda::test_max_large_axis",
      .needs = {.memory_bytes = std::uint64_t{5} << 30},
      .faults = {{.name = "lost_kernel",
                  .summary = "the last element is never set",
                  .plan = fault::kernel_lost(fault::from_call(2))}},
      .deadline = std::chrono::milliseconds(60'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::max_large_axis
