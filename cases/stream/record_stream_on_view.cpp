#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case.hpp"
#include "runtime/allocator/shared_buffer.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_stream::record_stream_on_view {
namespace {

using runtime::SharedBuffer;

constexpr std::size_t rows = 10;
constexpr std::size_t row_elements = 10;

const void* address_of_new_block(runtime::Runtime& runtime, const Stream& stream) {
  return Buffer<float>(runtime, rows * row_elements, stream.raw()).data();
}

// The stream that allocates is one that nobody else allocates for, so that a free block of
// the right size can only be the one given back here.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Stream allocating = Stream::from_pool(runtime);
  const Stream recorded = Stream::from_pool(runtime);
  const void* block = nullptr;
  {
    const SharedBuffer<float> base(Buffer<float>(runtime, rows * row_elements, allocating.raw()));
    const SharedBuffer<float> view = base.from(5 * row_elements);
    context.observe("view_offset_bytes",
                    reinterpret_cast<const std::byte*>(view.data()) - reinterpret_cast<const std::byte*>(base.data()));
    keep_busy(recorded);
    tensor::ops::fill(runtime, view.data(), view.size(), 1.0F, recorded.raw());
    view.record_stream(recorded.raw());
    block = base.data();
  }
  context.observe("recorded_stream_idle", recorded.query());
  context.observe("reused_while_in_use", address_of_new_block(runtime, allocating) == block);
  recorded.synchronize();
  context.observe("reused_afterwards", address_of_new_block(runtime, allocating) == block);
}

}  // namespace

harness::Case define() {
  return {
      .name = "stream.record_stream_on_view",
      .summary = "A stream that uses a part of a block keeps all of it from being reused",
      .source = "test_cuda.py::TestCuda::test_record_stream_on_shifted_view",
      .needs = {.caching_allocator = true},
      .faults = {completes_early(),
                 event_never_completes(),
                 {.name = "stream_seems_idle",
                  .summary = "the stream says that it is done while it works",
                  .plan = fault::stream_seems_idle(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::record_stream_on_view
