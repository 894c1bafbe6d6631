#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/memory/shared_buffer.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_stream::record_stream_on_view {
namespace {

using runtime::SharedBuffer;

/// A block of floats, and where the view of its end begins.
struct Shape {
  std::size_t elements = 0;
  std::size_t first_of_view = 0;
};

const void* address_of_new_block(runtime::Runtime& runtime, const Stream& stream, std::size_t elements) {
  return Buffer<float>(runtime, elements, stream.raw()).data();
}

/// Records a stream through a view of a block's end, gives up both, and looks whether the next request gets the block.
// The stream that allocates is one that nobody else allocates for, so that a free block of
// the right size can only be the one given back here.
void observe_view(harness::Context& context, const std::string& prefix, Shape shape) {
  runtime::Runtime& runtime = context.runtime();
  const Stream allocating = Stream::from_pool(runtime);
  const Stream recorded = Stream::from_pool(runtime);
  const void* block = nullptr;
  {
    const SharedBuffer<float> base(Buffer<float>(runtime, shape.elements, allocating.raw()));
    const SharedBuffer<float> view = base.from(shape.first_of_view);
    context.observe(prefix + "_offset_bytes",
                    reinterpret_cast<const std::byte*>(view.data()) - reinterpret_cast<const std::byte*>(base.data()));
    context.observe(prefix + "_elements", view.size());
    keep_busy(recorded);
    if (view.size() != 0) tensor::ops::fill(runtime, view.data(), view.size(), 1.0F, recorded.raw());
    view.record_stream(recorded.raw());
    block = base.data();
  }
  context.observe(prefix + "_recorded_stream_idle", recorded.query());
  context.observe(prefix + "_reused_while_in_use", address_of_new_block(runtime, allocating, shape.elements) == block);
  recorded.synchronize();
  context.observe(prefix + "_reused_afterwards", address_of_new_block(runtime, allocating, shape.elements) == block);
}

void run(harness::Context& context) {
  // The seed's tensor has two elements, so that its view from the fifth on is an empty one, at the very end.
  observe_view(context, "empty_view", {.elements = 2, .first_of_view = 2});
  observe_view(context, "half_view", {.elements = 100, .first_of_view = 50});
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
                  .plan = fault::stream_seems_idle(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::record_stream_on_view
