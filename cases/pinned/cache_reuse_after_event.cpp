#include <chrono>
#include <thread>

#include "cases/pinned/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_pinned::cache_reuse_after_event {
namespace {

using runtime::PinnedBuffer;

PinnedBuffer<float> pinned_float(runtime::Runtime& runtime, float value) {
  PinnedBuffer<float> buffer(runtime, 1);
  buffer.host_write().front() = value;
  return buffer;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  PinnedBuffer<float> tensor = pinned_float(runtime, 1.0F);
  const float* address = tensor.data();
  tensor = {};
  tensor = pinned_float(runtime, 1.0F);
  context.observe("reused_when_unused", tensor.data() == address);

  runtime::Buffer<float> on_device(runtime, 1, stream);
  tensor::ops::fill(runtime, on_device.data(), 1, 0.0F, stream);
  keep_busy(runtime, stream);
  runtime::copy_to_device(runtime, on_device.data(), {tensor.data(), tensor.context()}, sizeof(float),
                          runtime::Transfer::non_blocking, stream);
  tensor = {};
  // Were the memory allocated again, this would overwrite what is still to be copied.
  tensor = pinned_float(runtime, 5.0F);
  context.observe("reused_while_copy_pending", tensor.data() == address);
  // By now the copy alone would be done: only the work in front of it keeps the stream busy.
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  context.observe("idle_meanwhile", is_idle(runtime, stream));
  context.observe("value_on_device", double{read_one(runtime, on_device.data(), stream)});
  context.observe("reused_after_copy", pinned_float(runtime, 7.0F).data() == address);
}

}  // namespace

harness::Case define() {
  return {
      .name = "pinned.cache_reuse_after_event",
      .summary = "Freed pinned memory is used again at once, but not before copies from it are done",
      .source = "test_cuda.py::TestCuda::test_caching_pinned_memory",
      .faults = {{.name = "event_completes_early",
                  .summary = "the event behind a copy says that it is done while the copy is pending",
                  .plan = fault::event_completes_early(fault::nth_call(1))},
                 {.name = "event_never_recorded",
                  .summary = "the event behind a copy is not recorded",
                  .plan = fault::event_never_recorded(fault::nth_call(1))},
                 {.name = "lost_copy",
                  .summary = "the copy never happens",
                  .plan = fault::copy_lost(fault::nth_call(1))},
                 {.name = "flipped_bit",
                  .summary = "one bit flips in the copy",
                  .plan = fault::copy_flips_bit(fault::nth_call(1))},
                 {.name = "lost_delay",
                  .summary = "the work in front of the copy does not run",
                  .plan = fault::kernel_lost(fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pinned::cache_reuse_after_event
