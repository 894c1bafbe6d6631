#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "device/forwarding/operations.hpp"

/// What shall go wrong on a device, and when. A plan is data: the decorator of
/// `fault_driver.hpp` carries it out over any device.
namespace gpucheck::fault {

/// Which calls a rule counts, on all devices of a driver.
using device::Operation;
using device::operation_count;

/// What happens to a call. The comments say which operations take each effect; `inject`
/// rejects every other combination. Where a condition is named, the call is counted but
/// passes untouched as long as it does not hold, and the rule waits for the next.
enum class Effect {
  /// Return `status` without doing the call. Operations that return a Status or a value
  /// or a Status; initialize: every count of the devices and every opening of one.
  fail,
  /// Return success without doing the call; a value is then zero (a null pointer, a zero
  /// handle). Operations that return a Status or a value or a Status.
  drop,
  /// Do the call, return success whatever came back; the value of a failed call is then
  /// zero. Operations as for drop.
  report_success,
  /// Do the call, then flip one bit of the byte at `place` of the first memory it wrote: on
  /// the device ordered after it on the same stream, and recorded when that is captured; in
  /// host memory at once, after waiting for the stream (a captured copy: by a recorded
  /// host callback). Of a product: in the element in the middle of D, whatever the place.
  /// In a collective it is in what this device received.
  /// copy, fill, launch_kernel, multiply, communicate. Condition: it succeeded and wrote that byte.
  flip_bit,
  /// multiply: as flip_bit, but the lowest bit of that element. Condition: it succeeded.
  flip_low_bit,
  /// multiply: as flip_bit, but that element becomes not-a-number, and the one below it, if there
  /// is one, infinity. Condition: it succeeded, and D has elements that can be.
  not_finite,
  /// allocate: one bit of the byte at `place` of the memory is one, whatever is written:
  /// after each copy, fill and kernel of this device that writes the byte, ordered and
  /// recorded as for flip_bit. Condition: there is memory, and it has that byte.
  stick_bit,
  /// allocate: the memory's highest address line does nothing. Two of its words whose
  /// offsets differ in that bit alone are one: after each copy, fill and kernel of this
  /// device that writes one of them, both hold it (of both the higher), ordered and
  /// recorded as for flip_bit. Condition: the memory has 16 bytes or more.
  alias_address_line,
  /// Keep the stream busy for `delay`, then do the call. copy, fill, launch_kernel, multiply, communicate: the
  /// stream of this device.
  delay,
  /// allocate: return memory that an earlier allocation of at least that size still
  /// holds. The memory is freed with its last holder. Condition: there is one.
  alias,
  /// allocate: return an address 64 bytes behind the start of memory that is larger by as
  /// much; freeing that address frees the memory.
  misalign,
  /// launch_kernel: have multiprocessor 1 take more than twice as long for its blocks.
  /// Condition: the kernel reports multiprocessors apart.
  slow_multiprocessor,
  /// launch_kernel: the same, but it gets one number of each block wrong. Condition as above.
  wrong_multiprocessor,
  /// launch_kernel: run it at once, on a stream of its own, and wait for it, as well as
  /// recording it. Condition: the stream is being captured.
  run_now,
  /// node_count: one when there are none, else none. default_stream: a handle that is no
  /// stream, which every call fails with invalid_resource_handle. error_text: "unknown
  /// error". memory_info: all memory is free. pointer_info: unregistered. elapsed_ms: 0.
  /// capture_info: no capture. can_access_peer: the opposite. math_library, collective_library: there is
  /// none.
  /// initialize: the driver knows nothing of what its devices are. query_event, query_stream:
  /// success; condition: not_ready came back.
  wrong_answer,
  /// initialize: count the devices at once instead of on first use.
  eager,
  /// Never return. Any operation.
  hang,
  /// The process dies by SIGKILL. Any operation.
  kill_process,
  /// This and every later call on any device returns `status`, whatever its operation.
  /// Operations that return a Status or a value or a Status.
  lose_device,
  /// Neither this nor any later call on any device returns a sticky error: those that
  /// return a Status return success in its place (those that must give a value cannot).
  /// Operations as for lose_device.
  hide_sticky_errors,
};
inline constexpr std::size_t effect_count = static_cast<std::size_t>(Effect::hide_sticky_errors) + 1;

/// A byte of memory.
struct Place {
  enum class From { start, middle, end };
  From from = From::middle;
  /// How many bytes behind the start, or before the end, whose last byte is 0. Of the
  /// middle none: it is a byte in which no tolerance hides a change.
  std::uint64_t offset = 0;
};

/// Applies `effect` to the calls of one operation from the `first`-th (1-based) on,
/// `times` of them; 0 times means all that follow. Of several rules that apply to one
/// call, the first in the plan does.
struct Rule {
  Operation operation;
  Effect effect;
  std::uint64_t first = 1;
  std::uint64_t times = 1;
  device::Status status = device::Status::unknown;
  Place place = {};
  std::chrono::nanoseconds delay{0};
};

struct Plan {
  std::vector<Rule> rules;
  [[nodiscard]] bool empty() const noexcept { return rules.empty(); }
};

/// @throws Error naming the rule that makes no sense: an effect its operation cannot
/// take, a first call of 0, a failure whose status is success, a delay of no time, or a
/// place beside the middle. A plan that passes
/// does something as soon as the calls it names are made.
void check(const Plan& plan);

/// The names of the enumerators, for messages.
using device::to_text;
std::string_view to_text(Effect effect) noexcept;

}  // namespace gpucheck::fault
