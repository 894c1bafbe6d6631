#include <numeric>
#include <optional>

#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/memory/transfer.hpp"
#include "tensor/view_ops.hpp"

namespace gpucheck::cases::in_stream::generic_handles {
namespace {

constexpr std::size_t element_count = 1000;

std::vector<float> values_from(float first) {
  std::vector<float> values(element_count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// The sum of `a` and `b` on the current stream, and what it was on the host: how many
/// elements differ.
std::size_t wrong_sums(runtime::Runtime& runtime, const std::vector<float>& a, const std::vector<float>& b,
                       const Buffer<float>& sum) {
  const std::vector<float> seen = read(runtime, sum.data(), element_count, runtime.current_stream());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < element_count; ++i) wrong += seen[i] == a[i] + b[i] ? 0U : 1U;
  return wrong;
}

void observe_work(harness::Context& context, const Stream& stream) {
  runtime::Runtime& runtime = context.runtime();
  Event first({.timing = true});
  Event second({.timing = true});
  context.observe("event_id_before_record", first.raw().value);
  const std::vector<float> a = values_from(0.5F);
  const std::vector<float> b = values_from(1000.0F);
  const auto to_device = [&](const std::vector<float>& values) {
    return runtime::to_device<float>(runtime, values.data(), element_count, runtime::Transfer::non_blocking,
                                     runtime.current_stream());
  };
  std::optional<Buffer<float>> on_device_a;
  std::optional<Buffer<float>> on_device_b;
  {
    const StreamScope guard = stream.make_current();
    context.observe("current_id_in_scope", Stream::current(runtime).id());
    on_device_a = to_device(a);
    on_device_b = to_device(b);
  }
  first.record(stream);
  first.synchronize();
  context.observe("first_event_done", first.query());
  // Out of the scope: the sum and the second event are on another stream, and the time between the events is that
  // between two streams.
  const tensor::Layout layout = tensor::contiguous_layout({element_count});
  const Buffer<float> sum =
      tensor::ops::add(runtime, {on_device_a->data(), layout}, {on_device_b->data(), layout}, runtime.current_stream());
  second.record(Stream::current(runtime));
  second.synchronize();
  context.observe("second_event_done", second.query());
  context.observe("event_ids_equal", first.raw() == second.raw());
  context.observe("wrong_sums", wrong_sums(runtime, a, b, sum));
  context.observe("elapsed_above_zero", first.elapsed_ms(second) > 0);
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const runtime::StreamHandle handle = Stream::from_pool(runtime, -1).handle();
  context.observe("on_the_device", handle.device_index == context.device().ordinal());
  context.observe("id", handle.id);
  context.observe("device_type", static_cast<int>(handle.device_type));
  std::optional<Stream> rebuilt;
  context.observe("error", error_text<Error>([&] { rebuilt = Stream::from_handle(runtime, handle); }));
  const Stream stream = rebuilt.value_or(Stream::current(runtime));
  context.observe("id_when_rebuilt", stream.id());
  context.observe("is_the_current_one", stream == Stream::current(runtime));
  observe_work(context, stream);
}

}  // namespace

harness::Case define() {
  return {
      .name = "stream.generic_handles",
      .summary = "A stream rebuilt from id, device and kind of device is the same, and work given to it is done",
      .source = "test_cuda.py::TestCuda::test_generic_stream_event",
      .faults = {{.name = "no_time_passes",
                  .summary = "the time between two events is always zero",
                  .plan = fault::broken(fault::Operation::elapsed_ms, fault::Effect::wrong_answer, fault::every_call)},
                 {.name = "returns_early",
                  .summary = "waiting for an event returns before its work is done",
                  .plan = fault::synchronize_returns_early(fault::nth_call(1))},
                 {.name = "returns_early_again",
                  .summary = "waiting for the second event returns before its work is done",
                  .plan = fault::synchronize_returns_early(fault::nth_call(2))},
                 {.name = "streams_not_created",
                  .summary = "streams that were said to be created are the default one",
                  .plan = fault::broken(fault::Operation::create_stream, fault::Effect::drop, fault::every_call)},
                 {.name = "lost_transfer",
                  .summary = "a transfer to the device never happens",
                  .plan = fault::copy_lost(fault::nth_call(1))},
                 {.name = "lost_kernel",
                  .summary = "the addition never happens",
                  .plan = fault::kernel_lost(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::generic_handles
