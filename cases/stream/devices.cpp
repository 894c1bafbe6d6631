#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_stream::devices {
namespace {

using runtime::current_device;
using runtime::Runtime;

void observe_current_device(harness::Context& context, Runtime& second) {
  const runtime::CurrentDeviceGuard on_first(context.device(0).ordinal());
  {
    const StreamScope scope = Stream::current(second).make_current();
    context.observe("current_in_scope_is_the_streams", current_device() == context.device(1).ordinal());
  }
  context.observe("current_after_scope_as_before", current_device() == context.device(0).ordinal());
}

/// The second device's stream waits for what the first one's was given.
void observe_waiting(harness::Context& context, const Stream& first, const Stream& second) {
  keep_busy(first);
  const Event event = first.record_event();
  context.observe("idle_before_the_wait", second.query());
  context.observe("wait_error", error_text<Error>([&] { event.wait(second); }));
  context.observe("idle_after_the_wait", second.query());
  second.synchronize();
  context.observe("first_done_when_second_is", first.query());
}

void observe_events(harness::Context& context, const Stream& first, const Stream& second) {
  Event event({.timing = true});
  event.record(first);
  context.observe("record_on_another_error", error_text<Error>([&] { event.record(second); }));
  Event other({.timing = true});
  other.record(second);
  for (const Event* recorded : {&event, &other}) recorded->synchronize();
  context.observe("elapsed_across_error", error_text<Error>([&] { static_cast<void>(event.elapsed_ms(other)); }));
}

void run(harness::Context& context) {
  Runtime& first = context.runtime(0);
  Runtime& second = context.runtime(1);
  context.observe("default_streams_equal", Stream::default_of(first) == Stream::default_of(second));
  const runtime::StreamHandle handle = Stream::current(second).handle();
  context.observe("handle_refused_by_the_other",
                  !error_text<Error>([&] { static_cast<void>(Stream::from_handle(first, handle)); }).empty());
  observe_current_device(context, second);
  observe_waiting(context, Stream::current(first), Stream::current(second));
  observe_events(context, Stream::current(first), Stream::current(second));
}

}  // namespace

harness::Case define() {
  return {
      .name = "stream.devices",
      .summary = "Streams of two devices differ and wait for one another; an event stays with its first device",
      .source = "torch.cuda.Event and Stream of PyTorch 2.11",
      .needs = {.devices = 2},
      .faults = {{.name = "does_not_wait",
                  .summary = "a stream that is asked to wait for another device's event does not",
                  .plan = fault::broken(fault::Operation::wait, fault::Effect::drop, fault::every_call)},
                 {.name = "wait_fails",
                  .summary = "a stream cannot be made to wait for another device's event",
                  .plan = fault::failing(fault::Operation::wait, device::Status::unknown, fault::every_call)},
                 {.name = "stream_seems_busy",
                  .summary = "a stream without work says that it has some left",
                  .plan = fault::stream_seems_busy(fault::nth_call(1))},
                 {.name = "times_across_devices",
                  .summary = "the time between two devices' events is reported",
                  .plan =
                      fault::broken(fault::Operation::elapsed_ms, fault::Effect::report_success, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::devices
