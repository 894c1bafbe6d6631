#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/graphs/graph.hpp"

namespace gpucheck::cases::in_stream::event_misuse {
namespace {

constexpr runtime::EventOptions timed{.timing = true};

std::string elapsed_error(const Event& from, const Event& to) {
  return error_text<Error>([&] { static_cast<void>(from.elapsed_ms(to)); });
}

void observe_elapsed(harness::Context& context, const Stream& stream) {
  Event start(timed);
  Event end(timed);
  start.record(stream);
  context.observe("end_unrecorded_error", elapsed_error(start, end));
  context.observe("unrecorded_and_untimed_error", elapsed_error(Event(), Event()));
  keep_busy(stream);
  end.record(stream);
  context.observe("end_pending_error", elapsed_error(start, end));
  context.observe("start_pending_error", elapsed_error(end, start));
  end.synchronize();
  const Event untimed = stream.record_event();
  context.observe("start_untimed_error", elapsed_error(untimed, end));
  context.observe("end_untimed_error", elapsed_error(start, untimed));
}

/// An event that was recorded in a capture is one of the graph's edges, and gives the host no answer.
void observe_captured(harness::Context& context, const Stream& stream) {
  runtime::Runtime& runtime = context.runtime();
  Event event(timed);
  runtime::Graph graph(runtime);
  graph.capture_begin();
  event.record(stream);
  keep_busy(stream, std::chrono::microseconds{1});
  graph.capture_end();
  context.observe("captured_query_error", error_text<Error>([&] { static_cast<void>(event.query()); }));
  context.observe("captured_synchronize_error", error_text<Error>([&] { event.synchronize(); }));
  context.observe("captured_elapsed_error", elapsed_error(event, event));
  context.observe("captured_wait_error", error_text<Error>([&] { event.wait(stream); }));
}

void run(harness::Context& context) {
  const Stream stream = Stream::current(context.runtime());
  observe_elapsed(context, stream);
  observe_captured(context, stream);
}

}  // namespace

harness::Case define() {
  return {
      .name = "stream.event_misuse",
      .summary = "Events that cannot say what they are asked say why, in PyTorch's words",
      .source = "torch.cuda.Event of PyTorch 2.11",
      .faults = {completes_early(),
                 event_never_completes(),
                 {.name = "waits_for_nothing",
                  .summary = "waiting for an event is said to be done",
                  .plan = fault::synchronize_returns_early(fault::every_call)},
                 {.name = "stream_waits_for_nothing",
                  .summary = "a stream that is asked to wait for an event is said to do so",
                  .plan = fault::broken(fault::Operation::wait, fault::Effect::report_success, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::event_misuse
