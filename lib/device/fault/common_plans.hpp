#pragma once

#include "device/fault/plan.hpp"

/// Plans for what goes wrong in many cases, by the names of what goes wrong. Each breaks
/// one operation; which calls of it, counted from the case's first, is given.
namespace gpucheck::fault {

/// Which calls of an operation.
struct Calls {
  std::uint64_t first = 1;  ///< from this one on, counted from 1
  std::uint64_t times = 1;  ///< so many of them; 0: all that follow
};
constexpr Calls nth_call(std::uint64_t number) noexcept { return {number, 1}; }
constexpr Calls from_call(std::uint64_t number) noexcept { return {number, 0}; }
inline constexpr Calls every_call{1, 0};

/// A plan of one rule, for what has no name here. `status` is for effects that return one.
inline Plan broken(Operation operation, Effect effect, Calls calls, device::Status status = device::Status::unknown) {
  return {{{.operation = operation, .effect = effect, .first = calls.first, .times = calls.times, .status = status}}};
}
inline Plan failing(Operation operation, device::Status status, Calls calls) {
  return broken(operation, Effect::fail, calls, status);
}

// Memory.
inline Plan allocation_fails(Calls calls) { return failing(Operation::allocate, device::Status::out_of_memory, calls); }
/// Success, and a null pointer.
inline Plan allocation_lost(Calls calls) { return broken(Operation::allocate, Effect::drop, calls); }
/// Memory that is in use already.
inline Plan memory_allocated_twice(Calls calls) { return broken(Operation::allocate, Effect::alias, calls); }
/// Memory that begins where no kernel expects it to.
inline Plan memory_misaligned(Calls calls) { return broken(Operation::allocate, Effect::misalign, calls); }
inline Plan free_lost(Calls calls) { return broken(Operation::free, Effect::drop, calls); }
/// A bit of what is allocated is always one.
inline Plan bit_stuck(Calls calls, Place place = {}) {
  Plan plan = broken(Operation::allocate, Effect::stick_bit, calls);
  plan.rules.front().place = place;
  return plan;
}
/// Words of what is allocated whose offsets differ in the highest bit are one word.
inline Plan address_line_aliased(Calls calls) { return broken(Operation::allocate, Effect::alias_address_line, calls); }
inline Plan memory_info_fails(Calls calls) { return failing(Operation::memory_info, device::Status::unknown, calls); }

// Host memory.
inline Plan registration_lost(Calls calls) { return broken(Operation::register_host, Effect::drop, calls); }
inline Plan registration_fails(Calls calls) {
  return failing(Operation::register_host, device::Status::out_of_memory, calls);
}
inline Plan unregistration_lost(Calls calls) { return broken(Operation::unregister_host, Effect::drop, calls); }
/// Pinned memory passes for pageable memory.
inline Plan pinned_memory_unknown(Calls calls) { return broken(Operation::pointer_info, Effect::wrong_answer, calls); }

// Work.
inline Plan kernel_lost(Calls calls) { return broken(Operation::launch_kernel, Effect::drop, calls); }
/// One bit of what it wrote.
inline Plan kernel_flips_bit(Calls calls, Place place = {}) {
  Plan plan = broken(Operation::launch_kernel, Effect::flip_bit, calls);
  plan.rules.front().place = place;
  return plan;
}
inline Plan copy_lost(Calls calls) { return broken(Operation::copy, Effect::drop, calls); }
inline Plan copy_flips_bit(Calls calls) { return broken(Operation::copy, Effect::flip_bit, calls); }
/// It takes longer by so much.
inline Plan copy_delayed(Calls calls, std::chrono::nanoseconds delay) {
  Plan plan = broken(Operation::copy, Effect::delay, calls);
  plan.rules.front().delay = delay;
  return plan;
}
inline Plan replay_lost(Calls calls) { return broken(Operation::launch_graph, Effect::drop, calls); }
/// Kernels that tell multiprocessors apart find one that is slow.
inline Plan slow_multiprocessor(Calls calls) {
  return broken(Operation::launch_kernel, Effect::slow_multiprocessor, calls);
}
/// The same, and it multiplies wrongly.
inline Plan wrong_multiprocessor(Calls calls) {
  return broken(Operation::launch_kernel, Effect::wrong_multiprocessor, calls);
}
/// From the first kernel on, no call returns a sticky error.
inline Plan sticky_errors_hidden() { return broken(Operation::launch_kernel, Effect::hide_sticky_errors, nth_call(1)); }

// Products of matrices.
inline Plan product_fails(Calls calls) { return failing(Operation::multiply, device::Status::launch_failure, calls); }
inline Plan product_lost(Calls calls) { return broken(Operation::multiply, Effect::drop, calls); }
/// It takes longer by so much.
inline Plan product_delayed(Calls calls, std::chrono::nanoseconds delay) {
  Plan plan = broken(Operation::multiply, Effect::delay, calls);
  plan.rules.front().delay = delay;
  return plan;
}
/// The same bit each time: the same wrong element.
inline Plan product_flips_bit(Calls calls) { return broken(Operation::multiply, Effect::flip_bit, calls); }
/// The last bit of one element.
inline Plan product_flips_low_bit(Calls calls) { return broken(Operation::multiply, Effect::flip_low_bit, calls); }
/// One element is not a number, another infinite.
inline Plan product_not_finite(Calls calls) { return broken(Operation::multiply, Effect::not_finite, calls); }

// Order.
inline Plan event_completes_early(Calls calls) { return broken(Operation::query_event, Effect::wrong_answer, calls); }
inline Plan event_never_recorded(Calls calls) { return broken(Operation::record, Effect::drop, calls); }
inline Plan stream_seems_idle(Calls calls) { return broken(Operation::query_stream, Effect::wrong_answer, calls); }
inline Plan stream_seems_busy(Calls calls) {
  return failing(Operation::query_stream, device::Status::not_ready, calls);
}
/// Waiting for a stream, an event or the device returns at once.
inline Plan synchronize_returns_early(Calls calls) { return broken(Operation::synchronize, Effect::drop, calls); }

}  // namespace gpucheck::fault
