#include <array>
#include <ctime>
#include <vector>

#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_stream::event_flags {
namespace {

/// Keeps what kinds of events it was asked for.
class AskedDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  device::Result<device::Event> create_event(device::EventKind kind) override {
    asked_.push_back(static_cast<std::int64_t>(kind));
    return ForwardingDevice::create_event(kind);
  }
  [[nodiscard]] const std::vector<std::int64_t>& asked() const noexcept { return asked_; }

 private:
  std::vector<std::int64_t> asked_;
};

/// The calling thread's processor time, in milliseconds.
double processor_ms() {
  std::timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// Waits for an event behind work that takes a while; returns how much processor time that took.
double wait_for_work(const Stream& stream, bool blocking) {
  Event event({.blocking = blocking});
  event.record(stream);  // made here, not while the time is taken
  keep_busy(stream, 4 * delay);
  event.record(stream);
  const double before = processor_ms();
  event.synchronize();
  return processor_ms() - before;
}

void observe_kinds(harness::Context& context) {
  AskedDevice device(context.driver().open(context.device().ordinal()).value());
  runtime::Runtime runtime(device);
  const Stream stream = Stream::from_pool(runtime);
  constexpr std::array<runtime::EventOptions, 6> options{{{},
                                                          {.timing = true},
                                                          {.blocking = true},
                                                          {.timing = true, .blocking = true},
                                                          {.interprocess = true},
                                                          {.blocking = true, .interprocess = true}}};
  for (const runtime::EventOptions& wanted : options) Event(wanted).record(stream);
  Event both({.timing = true, .interprocess = true});
  context.observe("timing_and_interprocess_error", error_text<Error>([&] { both.record(stream); }));
  context.observe("is_made_after_the_error", both.is_created());
  context.observe("flags", device.asked());
  stream.synchronize();
}

void run(harness::Context& context) {
  observe_kinds(context);
  const Stream stream = Stream::current(context.runtime());
  context.observe("blocking_wait_processor_ms", wait_for_work(stream, true));
  context.observe("idle_after_the_blocking_wait", stream.query());
  context.observe("spinning_wait_processor_ms", wait_for_work(stream, false));
  Event start({.timing = true, .blocking = true});
  Event end({.timing = true});
  start.record(stream);
  keep_busy(stream);
  end.record(stream);
  end.synchronize();
  context.observe("elapsed_ms", double{start.elapsed_ms(end)});
}

}  // namespace

harness::Case define() {
  return {
      .name = "stream.event_flags",
      .summary = "Events are made as they were asked for; one that blocks is waited for without a processor's work",
      .source = "torch.cuda.Event(enable_timing, blocking, interprocess) of PyTorch 2.11",
      .faults = {{.name = "every_event_is_made",
                  .summary = "the device makes events that it cannot make",
                  .plan =
                      fault::broken(fault::Operation::create_event, fault::Effect::report_success, fault::every_call)},
                 {.name = "returns_early",
                  .summary = "waiting for an event returns before its work is done",
                  .plan = fault::synchronize_returns_early(fault::nth_call(3))},
                 {.name = "no_time_passes",
                  .summary = "the time between two events is always zero",
                  .plan = fault::broken(fault::Operation::elapsed_ms, fault::Effect::wrong_answer, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::event_flags
