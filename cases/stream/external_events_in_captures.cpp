#include <fmt/format.h>

#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/graphs/graph.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_stream::external_events_in_captures {
namespace {

using runtime::Graph;
using runtime::Runtime;

constexpr runtime::EventOptions external{.timing = true, .external = true};

std::string elapsed_error(const Event& from, const Event& to) {
  return error_text<Error>([&] { static_cast<void>(from.elapsed_ms(to)); });
}

/// "done", "pending", or why that cannot be known.
std::string state_of(const Event& event) {
  bool done = false;
  const std::string error = error_text<Error>([&] { done = event.query(); });
  return error.empty() ? (done ? "done" : "pending") : error;
}

/// Captures `work` on the current stream.
template <typename Work>
void capture(Graph& graph, Work work) {
  graph.capture_begin();
  work();
  graph.capture_end();
}

/// Where nothing is captured, they are events like others.
void observe_outside(harness::Context& context, const Stream& stream) {
  Event event(external);
  context.observe("outside_record_error", error_text<Error>([&] { event.record(stream); }));
  context.observe("outside_wait_error", error_text<Error>([&] { event.wait(stream); }));
  stream.synchronize();
}

/// The graph records two, with work that takes a while between them.
void observe_records(harness::Context& context, const Stream& stream) {
  Event start(external);
  Event end(external);
  Graph graph(context.runtime());
  capture(graph, [&] {
    start.record(stream);
    keep_busy(stream);
    end.record(stream);
  });
  context.observe("state_after_the_capture", state_of(end));
  context.observe("elapsed_after_the_capture_error", elapsed_error(start, end));
  graph.replay();
  context.observe("state_after_the_replay", state_of(end));
  stream.synchronize();
  const std::string error = elapsed_error(start, end);
  context.observe("elapsed_error", error);
  context.observe("elapsed_ms", error.empty() ? double{start.elapsed_ms(end)} : 0.0);
}

/// A graph waits for an event that another stream records anew before each launch, when it has
/// written a value: what the graph makes of the values.
std::vector<std::int32_t> increase_what_others_write(Runtime& runtime, const Stream& stream, const Stream& other) {
  Event event(external);
  event.record(other);  // one that was never recorded is waited for by nobody
  Buffer<std::int32_t> value(runtime, 1, stream.raw());
  tensor::ops::fill(runtime, value.data(), 1, 0, stream.raw());
  Graph graph(runtime);
  capture(graph, [&] {
    event.wait(stream);
    tensor::ops::add(runtime, value.data(), value.data(), 1, 1, stream.raw());
  });
  std::vector<std::int32_t> results;
  for (const std::int32_t written : {10, 20}) {
    stream.synchronize();
    keep_busy(other);
    tensor::ops::fill(runtime, value.data(), 1, written, other.raw());
    event.record(other);
    graph.replay();
    stream.synchronize();
    other.synchronize();
    results.push_back(read_one(runtime, value.data(), stream.raw()));
  }
  return results;
}

void observe_waits(harness::Context& context, const Stream& stream) {
  Runtime& runtime = context.runtime();
  const Stream other = Stream::from_pool(runtime);
  const std::size_t races = context.driver().races().size();
  std::vector<std::int32_t> results;
  context.observe("wait_error",
                  error_text<Error>([&] { results = increase_what_others_write(runtime, stream, other); }));
  context.observe("values", fmt::format("{}", fmt::join(results, " ")));
  if (context.driver().notices_races()) context.observe("races", context.driver().races().size() - races);
}

/// The runtime looks at the current stream, not at the one that is asked to record.
void observe_beside(harness::Context& context, const Stream& stream) {
  Runtime& runtime = context.runtime();
  const Stream other = Stream::from_pool(runtime);
  Event event(external);
  Graph graph(runtime);
  capture(graph, [&] {
    keep_busy(stream, std::chrono::microseconds{1});
    context.observe("other_stream_error", error_text<Error>([&] { event.record(other); }));
  });
}

void run(harness::Context& context) {
  const Stream stream = Stream::current(context.runtime());
  observe_outside(context, stream);
  observe_records(context, stream);
  observe_waits(context, stream);
  observe_beside(context, stream);
}

}  // namespace

harness::Case define() {
  return {
      .name = "stream.external_events_in_captures",
      .summary =
          "A launch of a graph records and waits for the external events captured in it; elsewhere they are "
          "like others",
      .source = "torch.cuda.Event(external=True) of PyTorch 2.11",
      .faults = {{.name = "record_fails",
                  .summary = "the device fails to record an event",
                  .plan = fault::failing(fault::Operation::record, device::Status::unknown, fault::nth_call(1))},
                 {.name = "wait_fails",
                  .summary = "the device fails to make a stream wait for an event",
                  .plan = fault::failing(fault::Operation::wait, device::Status::unknown, fault::nth_call(1))},
                 {.name = "event_not_in_the_graph",
                  .summary = "recording the second event does not reach the graph",
                  .plan = fault::event_never_recorded(fault::nth_call(3))},
                 {.name = "wait_not_in_the_graph",
                  .summary = "waiting for the event does not reach the graph",
                  .plan = fault::broken(fault::Operation::wait, fault::Effect::drop, fault::nth_call(2))},
                 completes_early(),
                 {.name = "no_time_passes",
                  .summary = "the device says that no time passed between the events",
                  .plan = fault::broken(fault::Operation::elapsed_ms, fault::Effect::wrong_answer, fault::every_call)},
                 {.name = "record_said_to_be_done",
                  .summary = "recording in a stream that is not captured is said to be done",
                  .plan = fault::broken(fault::Operation::record, fault::Effect::report_success, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::external_events_in_captures
