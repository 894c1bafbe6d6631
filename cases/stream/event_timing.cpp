#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_stream::event_timing {
namespace {

void run(harness::Context& context) {
  const Stream stream = Stream::current(context.runtime());
  Event start({.timing = true});
  Event end({.timing = true});
  context.observe("done_when_never_recorded", start.query());
  const auto elapsed_error = [](const Event& from, const Event& to) {
    return error_text<Error>([&] { static_cast<void>(from.elapsed_ms(to)); });
  };
  context.observe("unrecorded_error", elapsed_error(start, end));
  start.record(stream);
  keep_busy(stream);
  end.record(stream);
  context.observe("done_at_once", end.query());
  context.observe("pending_error", elapsed_error(start, end));
  end.synchronize();
  context.observe("done_after_synchronize", end.query());
  context.observe("elapsed_error", elapsed_error(start, end));
  context.observe("elapsed_ms", elapsed_error(start, end).empty() ? double{start.elapsed_ms(end)} : 0.0);
  const Event untimed = stream.record_event();
  context.observe("untimed_error", elapsed_error(start, untimed));
}

}  // namespace

harness::Case define() {
  return {
      .name = "stream.event_timing",
      .summary = "Two events tell when the work between them is done and how long it took",
      .source = "test_cuda.py::TestCuda::test_events",
      .faults = {completes_early(),
                 {.name = "never_recorded",
                  .summary = "the second event is never recorded",
                  .plan = fault::event_never_recorded(fault::nth_call(2))},
                 {.name = "returns_early",
                  .summary = "waiting for an event returns before its work is done",
                  .plan = fault::synchronize_returns_early(fault::nth_call(1))},
                 {.name = "no_time_passes",
                  .summary = "the time between two events is always zero",
                  .plan = fault::broken(fault::Operation::elapsed_ms, fault::Effect::wrong_answer, fault::every_call)},
                 {.name = "lost_kernel",
                  .summary = "the work between the events never happens",
                  .plan = fault::kernel_lost(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::event_timing
