#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

#include "cases/pinned/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/host_copies.hpp"

namespace gpucheck::cases::in_pinned::noncontiguous {
namespace {

using runtime::Transfer;
using tensor::View;
using Integer = std::int64_t;

/// One digit for each, in logical order.
std::string digits(const std::vector<Integer>& elements) { return fmt::format("{}", fmt::join(elements, "")); }

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  std::vector<Integer> values(10);
  std::iota(values.begin(), values.end(), 0);
  const tensor::Layout transposed{.rank = 2, .sizes = {5, 2}, .strides = {1, 5}};

  tensor::ops::PinnedArray<Integer> pinned;
  context.observe("error", error_text<Error>([&] {
                    pinned = tensor::ops::pin_memory(runtime, View<const Integer>{values.data(), transposed});
                  }));
  if (pinned.memory.size() == 0) return;
  context.observe("pinned", runtime::is_pinned(context.device(), pinned.memory.data()));
  std::vector<Integer> in_pinned_memory;
  for (std::size_t i = 0; i < values.size(); ++i) in_pinned_memory.push_back(pinned.at(i));
  context.observe("in_pinned_memory", digits(in_pinned_memory));

  // The device, too, must see that layout.
  const runtime::Buffer<Integer> moved = runtime::to_device<Integer>(
      runtime, {pinned.memory.data(), pinned.memory.context()}, pinned.memory.size(), Transfer::non_blocking, stream);
  runtime::Buffer<Integer> laid_out(runtime, values.size(), stream);
  const tensor::Layout& layout = pinned.layout;
  tensor::ops::copy_strided(runtime,
                            {moved.data(), layout.sizes[0], layout.sizes[1], layout.strides[0], layout.strides[1]},
                            laid_out.data(), stream);
  context.observe("on_device", digits(read(runtime, laid_out.data(), laid_out.size(), stream)));
}

}  // namespace

harness::Case define() {
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

}  // namespace gpucheck::cases::in_pinned::noncontiguous
