#include <fmt/format.h>

#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/memory/pinned_buffer.hpp"
#include "runtime/memory/transfer.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_stream::record_stream_delays_reuse {
namespace {

constexpr std::size_t element_count = 4;

/// Copies 1 to 4 to a block of the side stream, and on behind work that takes a while to
/// `result` on the main stream. The block is given back before that has happened; returns
/// where it was.
const void* copy_through_block(runtime::Runtime& runtime, const Stream& main, const Stream& side,
                               Buffer<float>& result) {
  const runtime::PinnedBuffer<float> source(runtime, element_count);
  for (std::size_t i = 0; i < element_count; ++i) source.host_write()[i] = static_cast<float>(i + 1);
  Buffer<float> block = runtime::to_device<float>(runtime, {source.data(), source.context()}, element_count,
                                                  runtime::Transfer::non_blocking, side.raw());
  main.wait_stream(side);
  block.record_stream(main.raw());
  keep_busy(main);
  device::check(runtime.device(),
                runtime.device().copy(result.data(), block.data(), block.size_bytes(),
                                      device::CopyKind::device_to_device, main.raw()),
                "copy");
  return block.data();
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Stream main = Stream::current(runtime);
  const Stream side = Stream::from_pool(runtime);
  Buffer<float> result(runtime, element_count, main.raw());
  const void* const block = copy_through_block(runtime, main, side, result);
  {
    Buffer<float> zeros(runtime, element_count, side.raw());
    context.observe("main_stream_idle", main.query());
    context.observe("reused_while_in_use", zeros.data() == block);
    tensor::ops::fill(runtime, zeros.data(), element_count, 0.0F, side.raw());
    context.observe("result",
                    fmt::format("{}", fmt::join(read(runtime, result.data(), element_count, main.raw()), " ")));
    // Kept until here: a block given back on the side stream would serve the next request.
    main.synchronize();
    const Buffer<float> later(runtime, element_count, side.raw());
    context.observe("reused_afterwards", later.data() == block);
  }
}

}  // namespace

harness::Case define() {
  return {
      .name = "stream.record_stream_delays_reuse",
      .summary = "A block that another stream was said to use is reused when that stream has come so far, not before",
      .source = "test_cuda.py::TestCuda::test_record_stream",
      .needs = {.caching_allocator = true},
      .faults = {completes_early(),
                 event_never_completes(),
                 {.name = "lost_transfer",
                  .summary = "the transfer to the device never happens",
                  .plan = fault::copy_lost(fault::nth_call(1))},
                 {.name = "stream_seems_idle",
                  .summary = "the stream says that it is done while it works",
                  .plan = fault::stream_seems_idle(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::record_stream_delays_reuse
