#include "cases/pinned/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/host_copies.hpp"

namespace gpucheck::cases::in_pinned::copy_type_conversion {
namespace {

using runtime::Buffer;
using runtime::PinnedBuffer;
using runtime::Transfer;

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  Buffer<float> a(runtime, 1, stream);
  tensor::ops::fill(runtime, a.data(), 1, 1.0F, stream);
  PinnedBuffer<float> b(runtime, 1);
  b.host_write().front() = 0.0F;
  Buffer<std::int64_t> c(runtime, 1, stream);
  tensor::ops::fill(runtime, c.data(), 1, std::int64_t{-1}, stream);

  keep_busy(runtime, stream);
  runtime::copy_to_host(runtime, {b.data(), b.context()}, a.data(), sizeof(float), Transfer::non_blocking, stream);
  tensor::ops::copy_converted<float>(runtime, c.data(), {b.data(), b.context()}, 1, Transfer::non_blocking, stream);
  context.observe("idle_after_submitting", is_idle(runtime, stream));
  context.observe("converted", read_one(runtime, c.data(), stream));
  context.observe("on_host", double{b.host_read().front()});
}

}  // namespace

harness::Case define() {
  return {
      .name = "pinned.copy_type_conversion",
      .summary = "A converting copy from pinned memory takes place after a pending copy into that memory",
      .source = "test_cuda.py::TestCuda::test_copy_non_blocking_type_conversion",
      .faults = {{.name = "lost_first_copy",
                  .summary = "the copy into pinned memory never happens",
                  .plan = fault::copy_lost(fault::nth_call(1))},
                 {.name = "lost_second_copy",
                  .summary = "the copy out of pinned memory never happens",
                  .plan = fault::copy_lost(fault::nth_call(2))},
                 {.name = "lost_conversion",
                  .summary = "the values are never converted",
                  .plan = fault::kernel_lost(fault::nth_call(4))},
                 {.name = "flipped_bit",
                  .summary = "one bit flips in the copy out of pinned memory",
                  .plan = fault::copy_flips_bit(fault::nth_call(2))},
                 {.name = "stream_seems_idle",
                  .summary = "the stream says that it is done while work is pending",
                  .plan = fault::stream_seems_idle(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pinned::copy_type_conversion
