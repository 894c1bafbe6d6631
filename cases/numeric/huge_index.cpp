#include "cases/numeric/support.hpp"

namespace gpucheck::cases::in_numeric::huge_index {
namespace {

void run(harness::Context& context) {
  need_gpu(context, "675 million elements");
  const Device device = context.runtime();
  constexpr std::int64_t rows = 15000000;
  const Tensor source = tensor::empty({rows, 45}, DType::int64, device);
  tensor::random_(source, 0, std::int64_t{1} << 22);
  const Tensor order = tensor::randperm(rows, device);
  // Sums of rows, weighted by column, tell rows apart without a second copy of all on the host.
  const Tensor picked = tensor::index(source, {order});
  const Tensor weights = tensor::to(tensor::arange(1, 46), device);
  const Tensor sums = tensor::sum(tensor::mul(source, weights), 1);
  const Tensor picked_sums = tensor::sum(tensor::mul(picked, weights), 1);
  context.observe("wrong_rows", differing(picked_sums, tensor::index(tensor::to(sums, tensor::host),
                                                                     {tensor::to(order, tensor::host)})));
  context.observe("last_row_differs",
                  differing(tensor::select(picked, 0, rows - 1),
                            tensor::select(source, 0, tensor::item(tensor::select(order, 0, rows - 1)).to_int())));
  context.observe("rows_picked", tensor::item(tensor::sum(order)).to_int());
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.huge_index",
      .summary = "Rows of 5.4 GB picked in a random order are those that the host picks",
      .source = "test_cuda.py::TestCuda::test_huge_index",
      .needs = {.memory_bytes = std::uint64_t{20} << 30},
      .faults = {{.name = "lost_kernels",
                  .summary = "from the third on no kernel is run",
                  .plan = fault::kernel_lost(fault::from_call(3))},
                 {.name = "lost_copy",
                  .summary = "the first copy of results to the host is never made",
                  .plan = fault::copy_lost(fault::nth_call(2))}},
      .deadline = std::chrono::milliseconds(120'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::huge_index
