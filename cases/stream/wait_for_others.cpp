#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_stream::wait_for_others {
namespace {

/// A stream that takes a while to write a value, and another one that is to add to it.
struct Pair {
  Stream writing;
  Stream adding;
};

/// The value after both; `wait` makes one wait for the other. Observes whether the waiting stream
/// has work to wait for.
template <typename Wait>
void observe_order(harness::Context& context, const std::string& name, const Pair& streams, Wait wait) {
  runtime::Runtime& runtime = context.runtime();
  Buffer<std::int32_t> value(runtime, 1, streams.writing.raw());
  tensor::ops::fill(runtime, value.data(), 1, 0, streams.writing.raw());
  keep_busy(streams.writing);
  tensor::ops::fill(runtime, value.data(), 1, 40, streams.writing.raw());
  wait();
  context.observe(name + "_idle_at_once", streams.adding.query());
  tensor::ops::add(runtime, value.data(), value.data(), 1, 2, streams.adding.raw());
  streams.adding.synchronize();
  context.observe(name + "_others_work_done", streams.writing.query());
  streams.writing.synchronize();
  context.observe(name + "_value", read_one(runtime, value.data(), streams.adding.raw()));
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Pair streams{Stream::current(runtime), Stream::from_pool(runtime)};
  const Stream bystander = Stream::from_pool(runtime);
  observe_order(context, "stream", streams, [&] { streams.adding.wait_stream(streams.writing); });
  observe_order(context, "event", streams, [&] {
    streams.adding.wait_event(streams.writing.record_event());
    context.observe("bystander_idle", bystander.query());
  });
}

}  // namespace

harness::Case define() {
  return {
      .name = "stream.wait_for_others",
      .summary = "A stream that waits for another, or for its event, works on what that one left; others go on",
      .source = "torch.cuda.Stream.wait_stream and wait_event of PyTorch 2.11",
      .faults = {{.name = "does_not_wait_for_streams",
                  .summary = "the first wait, for a stream, never happens",
                  .plan = fault::broken(fault::Operation::wait, fault::Effect::drop, fault::nth_call(1))},
                 {.name = "does_not_wait_for_events",
                  .summary = "the second wait, for an event, never happens",
                  .plan = fault::broken(fault::Operation::wait, fault::Effect::drop, fault::nth_call(2))},
                 {.name = "never_recorded",
                  .summary = "no event is recorded",
                  .plan = fault::event_never_recorded(fault::every_call)},
                 {.name = "bystander_seems_busy",
                  .summary = "a stream that was given nothing says that it has work left",
                  .plan = fault::stream_seems_busy(fault::nth_call(3))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::wait_for_others
