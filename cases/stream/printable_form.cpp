#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_stream::printable_form {
namespace {

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  context.observe("default_stream", to_text(Stream::default_of(runtime)));
  const Stream user = Stream::current(runtime);
  context.observe("user_stream", to_text(user));
  Event event;
  context.observe("event_before_record", to_text(event));
  context.observe("record_error", error_text<Error>([&] { event.record(user); }));
  context.observe("event_after_record", to_text(event));
}

}  // namespace

harness::Case define() {
  return {
      .name = "stream.printable_form",
      .summary = "Streams and events in print name their type, device and handle; an event has none before its record",
      .source = "test_cuda.py::TestCuda::test_stream_event_repr",
      .faults = {{.name = "wrong_default_stream",
                  .summary = "the default stream is another one",
                  .plan =
                      fault::broken(fault::Operation::default_stream, fault::Effect::wrong_answer, fault::every_call)},
                 {.name = "streams_not_created",
                  .summary = "streams that were said to be created are the default one",
                  .plan = fault::broken(fault::Operation::create_stream, fault::Effect::drop, fault::every_call)},
                 {.name = "event_not_created",
                  .summary = "an event that was said to be created is none",
                  .plan = fault::broken(fault::Operation::create_event, fault::Effect::drop, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::printable_form
