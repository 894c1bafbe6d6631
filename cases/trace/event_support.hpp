#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "cases/trace/support.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/streams/event.hpp"
#include "runtime/streams/stream.hpp"

/// What the cases of the GPU trace's hooks for events and streams share.
namespace gpucheck::cases::in_trace {

using runtime::Event;
using runtime::Stream;

/// What hooks for streams, for events, and for events in streams, were called with.
using Streams = std::vector<device::Stream>;
using Events = std::vector<device::Event>;
struct EventInStream {
  device::Event event;
  device::Stream stream;
};
using EventsInStreams = std::vector<EventInStream>;

inline bool is_event(device::Event given, device::Event expected) {
  return given == expected && given != device::Event{};
}

/// Observes how often a hook was called and whether it was given the event's handle.
inline void observe_calls(harness::Context& context, const Events& calls, device::Event event) {
  context.observe("calls", calls.size());
  context.observe("event_given", !calls.empty() && is_event(calls.front(), event));
}
/// And which stream's.
inline void observe_calls(harness::Context& context, const EventsInStreams& calls, device::Event event) {
  context.observe("calls", calls.size());
  context.observe("event_given", !calls.empty() && is_event(calls.front().event, event));
  context.observe("stream", calls.empty() ? "none" : fmt::format("{:#x}", calls.front().stream.value));
}

/// Observes how often a hook was called and whether it was given the stream's handle, which is not the default one's.
inline void observe_calls(harness::Context& context, const Streams& calls, device::Stream stream) {
  context.observe("calls", calls.size());
  context.observe("stream_given", !calls.empty() && calls.front() == stream && stream != device::Stream{});
}

/// Gives `stream` work that takes a while. @throws DeviceError.
inline void keep_busy(const Stream& stream) {
  constexpr std::chrono::nanoseconds duration = std::chrono::milliseconds(50);
  device::Device& device = stream.runtime().device();
  const device::kernels::Spin spin{static_cast<std::uint64_t>(duration.count())};
  device::check(device, device::launch(device, spin, 1, stream.raw()), "spin");
}

inline harness::Fault event_not_created() {
  return {.name = "event_not_created",
          .summary = "an event that was said to be created is none",
          .plan = fault::broken(fault::Operation::create_event, fault::Effect::drop, fault::every_call)};
}
inline harness::Fault event_creation_fails() {
  return {.name = "event_creation_fails",
          .summary = "the device creates no event",
          .plan = fault::failing(fault::Operation::create_event, device::Status::out_of_memory, fault::every_call)};
}
inline harness::Fault record_fails() {
  return {.name = "record_fails",
          .summary = "the device records no event",
          .plan = fault::failing(fault::Operation::record, device::Status::unknown, fault::every_call)};
}
inline harness::Fault wrong_default_stream() {
  return {.name = "wrong_default_stream",
          .summary = "the default stream is another one",
          .plan = fault::broken(fault::Operation::default_stream, fault::Effect::wrong_answer, fault::every_call)};
}
/// What a hook that is called before the host waits can see, and what can be seen afterwards.
inline std::vector<harness::Fault> waiting_faults() {
  return {{.name = "returns_early",
           .summary = "waiting returns before the work is done",
           .plan = fault::synchronize_returns_early(fault::every_call)},
          {.name = "stream_seems_idle",
           .summary = "the stream says that it is done while it works",
           .plan = fault::stream_seems_idle(fault::every_call)},
          {.name = "waiting_fails",
           .summary = "waiting for the device fails",
           .plan = fault::failing(fault::Operation::synchronize, device::Status::unknown, fault::nth_call(1))}};
}
inline std::vector<harness::Fault> with_event_not_created(std::vector<harness::Fault> faults) {
  faults.push_back(event_not_created());
  return faults;
}
inline std::vector<harness::Fault> with_streams_not_created(std::vector<harness::Fault> faults) {
  faults.push_back({.name = "streams_not_created",
                    .summary = "streams that were said to be created are the default one",
                    .plan = fault::broken(fault::Operation::create_stream, fault::Effect::drop, fault::every_call)});
  return faults;
}

}  // namespace gpucheck::cases::in_trace
