#include <numeric>

#include "cases/pinned/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_pinned {
namespace {

using tensor::ops::StridedMatrix;
using Integer = std::int64_t;

/// Element by element into memory with the same strides, as pinning a tensor does.
void copy_layout(const StridedMatrix<Integer>& from, Integer* to) {
  for (std::size_t row = 0; row < from.rows; ++row) {
    for (std::size_t column = 0; column < from.columns; ++column) {
      const std::size_t at = row * from.row_stride + column * from.column_stride;
      to[at] = from.data[at];
    }
  }
}

/// The elements in logical order, one digit each.
std::string digits(const StridedMatrix<Integer>& matrix) {
  std::string text;
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      text += std::to_string(matrix.data[row * matrix.row_stride + column * matrix.column_stride]);
    }
  }
  return text;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  std::vector<Integer> values(10);
  std::iota(values.begin(), values.end(), 0);
  const StridedMatrix<Integer> transposed{values.data(), 5, 2, 1, 5};

  const runtime::PinnedBuffer<Integer> pinned(runtime, values.size());
  std::ranges::fill(pinned.span(), Integer{-1});
  copy_layout(transposed, pinned.data());
  context.observe("pinned", runtime::is_pinned(context.device(), pinned.data()));
  context.observe("in_pinned_memory", digits({pinned.data(), 5, 2, 1, 5}));

  // The device, too, must see that layout.
  runtime::Buffer<Integer> moved(runtime, values.size(), stream);
  runtime::Buffer<Integer> laid_out(runtime, values.size(), stream);
  runtime::copy_to_device(runtime, moved.data(), {pinned.data(), pinned.context()}, pinned.size_bytes(),
                          runtime::Transfer::non_blocking, stream);
  tensor::ops::copy_strided(runtime, {moved.data(), 5, 2, 1, 5}, laid_out.data(), stream);
  const std::vector<Integer> seen = read(runtime, laid_out.data(), laid_out.size(), stream);
  context.observe("on_device", digits({seen.data(), 5, 2, 2, 1}));
}

}  // namespace

harness::Case noncontiguous() {
  return {
      .name = "pinned.noncontiguous",
      .summary = "A transposed matrix keeps its values and its layout in pinned memory and on the device",
      .source = "test_cuda.py::TestCuda::test_noncontiguous_pinned_memory",
      .faults = {{.name = "pinned_memory_unknown",
                  .summary = "the driver does not recognise pinned memory",
                  .plan = fault::pinned_memory_unknown(fault::nth_call(1))},
                 {.name = "no_pinned_memory",
                  .summary = "the driver has no pinned memory left",
                  .plan = fault::failing(fault::Operation::allocate_pinned, device::Status::out_of_memory,
                                         fault::nth_call(1))},
                 {.name = "lost_copy",
                  .summary = "the copy from pinned memory never happens",
                  .plan = fault::copy_lost(fault::nth_call(1))},
                 {.name = "flipped_bit",
                  .summary = "one bit flips in the copy from pinned memory",
                  .plan = fault::copy_flips_bit(fault::nth_call(1))},
                 {.name = "lost_layout",
                  .summary = "the elements are never laid out on the device",
                  .plan = fault::kernel_lost(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pinned
