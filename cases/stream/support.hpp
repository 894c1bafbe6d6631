#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "harness/case/case.hpp"
#include "runtime/streams/event.hpp"
#include "runtime/streams/stream.hpp"

/// What the cases of streams and events share.
namespace gpucheck::cases::in_stream {

using runtime::Buffer;
using runtime::Event;
using runtime::Stream;
using runtime::StreamScope;

/// Work that takes a while: long beside the host's own steps, which take microseconds.
inline constexpr std::chrono::milliseconds delay{50};

/// Gives `stream` work that takes at least `duration`. @throws DeviceError.
inline void keep_busy(const Stream& stream, std::chrono::nanoseconds duration = delay) {
  device::Device& device = stream.runtime().device();
  const device::kernels::Spin spin{static_cast<std::uint64_t>(duration.count())};
  device::check(device, device::launch(device, spin, 1, stream.raw()), "spin");
}

// Faults of several of these cases.
inline harness::Fault completes_early() {
  return {.name = "completes_early",
          .summary = "an event says that it is complete while work before it goes on",
          .plan = fault::event_completes_early(fault::every_call)};
}
inline harness::Fault event_never_completes() {
  return {.name = "event_never_completes",
          .summary = "an event is never complete",
          .plan = fault::failing(fault::Operation::query_event, device::Status::not_ready, fault::every_call)};
}

}  // namespace gpucheck::cases::in_stream
