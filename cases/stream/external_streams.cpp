#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/owned.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_stream::external_streams {
namespace {

using runtime::DeviceType;
using runtime::StreamHandle;

bool is_known_by_its_handle(const Stream& stream) {
  return stream.id() == static_cast<std::int64_t>(stream.raw().value);
}

/// A stream of the pool that is named by its handle is another one for whoever asks.
void observe_names(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Stream pooled = Stream::from_pool(runtime);
  const Stream external = Stream::external(runtime, pooled.raw());
  context.observe("id_is_the_handle", is_known_by_its_handle(external));
  context.observe("equals_the_pooled_one", external == pooled);
  const StreamScope scope = external.make_current();
  context.observe("current_id_is_the_handle", is_known_by_its_handle(Stream::current(runtime)));
}

/// Work given to a stream that is not of the pool, before the one who made it destroys it.
void observe_work(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  device::Device& device = runtime.device();
  const auto made =
      device::own<device::UniqueStream>(device, device.create_stream(device::StreamKind::non_blocking, 0));
  const Stream stream = Stream::external(runtime, made.get());
  const StreamScope scope = stream.make_current();
  Buffer<std::int32_t> value(runtime, 1, runtime.current_stream());
  keep_busy(stream);
  tensor::ops::fill(runtime, value.data(), 1, 7, runtime.current_stream());
  context.observe("idle_while_it_works", stream.query());
  stream.synchronize();
  context.observe("idle_afterwards", stream.query());
  context.observe("value", read_one(runtime, value.data(), stream.raw()));
}

/// What a handle says is taken as PyTorch takes it: of the position five bits count, and of
/// the levels one stands for handles.
void observe_handles(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const int ordinal = context.device().ordinal();
  const auto error_of = [&](StreamHandle handle) {
    return error_text<Error>([&] { static_cast<void>(Stream::from_handle(runtime, handle)); });
  };
  const auto raw_of = [&](std::int64_t id) {
    device::Stream raw;
    const std::string error =
        error_text<Error>([&] { raw = Stream::from_handle(runtime, {.id = id, .device_index = ordinal}).raw(); });
    return error.empty() ? raw : device::Stream{};
  };
  context.observe("id_31_means", raw_of(31).value);
  context.observe("id_1059_as_35", raw_of(1059) == raw_of(35));
  context.observe("id_1_error", error_of({.id = 1, .device_index = ordinal}));
  context.observe("id_11_error", error_of({.id = 11, .device_index = ordinal}));
  context.observe("host_stream_error", error_of({.id = 3, .device_index = ordinal, .device_type = DeviceType::cpu}));
  context.observe("other_device_refused", !error_of({.id = 3, .device_index = ordinal + 1}).empty());
}

void run(harness::Context& context) {
  observe_names(context);
  observe_work(context);
  observe_handles(context);
}

}  // namespace

harness::Case define() {
  return {
      .name = "stream.external_streams",
      .summary = "A stream that somebody else made is known by its handle; handles of no stream are refused",
      .source = "torch.cuda.ExternalStream and Stream(stream_id=...) of PyTorch 2.11",
      .faults = {{.name = "streams_not_created",
                  .summary = "streams that were said to be created are the default one",
                  .plan = fault::broken(fault::Operation::create_stream, fault::Effect::drop, fault::every_call)},
                 {.name = "stream_seems_idle",
                  .summary = "the stream says that it is done while it works",
                  .plan = fault::stream_seems_idle(fault::nth_call(1))},
                 {.name = "stream_seems_busy",
                  .summary = "the stream says that it has work left when all of it is done",
                  .plan = fault::stream_seems_busy(fault::nth_call(2))},
                 {.name = "lost_kernel",
                  .summary = "the value is never written",
                  .plan = fault::kernel_lost(fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::external_streams
