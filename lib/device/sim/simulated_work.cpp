#include <algorithm>
#include <cstring>
#include <numeric>

#include "device/sim/simulated_device.hpp"

namespace gpucheck::sim {

using device::CopyKind;
using device::Status;

namespace {

/// A copy from pageable memory up to this size is read before the call returns and goes
/// on without the host; the host stays with a larger one until it is done.
constexpr std::size_t staged_copy_bytes = std::size_t{64} << 10;

std::string_view copy_name(CopyKind kind) {
  switch (kind) {
    case CopyKind::host_to_device:
      return "copy host_to_device";
    case CopyKind::device_to_host:
      return "copy device_to_host";
    case CopyKind::device_to_device:
      return "copy device_to_device";
    case CopyKind::host_to_host:
      return "copy host_to_host";
  }
  return {};
}

}  // namespace

SimulatedDevice::Place SimulatedDevice::place(const void* pointer, std::size_t bytes, const StreamState& stream) const {
  const Range range{reinterpret_cast<std::uintptr_t>(pointer), bytes};
  if (const Context* owner = machine_->world.owner(range.begin)) {
    const bool captured = stream.capture && stream.capture->allocations.contains(range);
    return captured || owner->allocations.contains(range) ? Place::device : Place::nowhere;
  }
  if (machine_->world.host.find(pointer)) {
    return machine_->world.host.contains(range) ? Place::page_locked : Place::nowhere;
  }
  return pointer == nullptr ? Place::nowhere : Place::pageable;
}

Status SimulatedDevice::copy(void* destination, const void* source, std::size_t bytes, CopyKind kind,
                             device::Stream on) {
  return call(Operation::copy, [&] {
    // Copies alone may be sent to another device's stream.
    const StreamState* const known = machine_->streams.find(on);
    const auto stream = target(on, known != nullptr ? known->device : index_);
    if (!stream) return stream.error();
    if (copy_name(kind).empty()) return Status::invalid_memcpy_direction;
    if (bytes == 0) return Status::success;
    const Place to = place(destination, bytes, **stream);
    const Place from = place(source, bytes, **stream);
    const bool to_device = kind == CopyKind::host_to_device || kind == CopyKind::device_to_device;
    const bool from_device = kind == CopyKind::device_to_host || kind == CopyKind::device_to_device;
    // Page-locked memory passes for either side, pageable memory never for a device's.
    if (to == Place::nowhere || (to == Place::pageable && to_device)) return Status::invalid_value;
    if (from == Place::nowhere || (from == Place::pageable && from_device)) return Status::invalid_value;
    return copy_now(**stream, {.destination = destination, .source = source, .bytes = bytes, .staged = {}}, kind, from,
                    to);
  });
}

Status SimulatedDevice::copy_now(StreamState& stream, CopyBytes copy, CopyKind kind, Place from, Place to) {
  const std::size_t bytes = copy.bytes;
  Work work{.name = copy_name(kind), .action = {}, .accesses = {}};
  if (from != Place::pageable) work.accesses.push_back(device::reads(copy.source, bytes));
  if (to != Place::pageable) work.accesses.push_back(device::writes(copy.destination, bytes));
  const bool within_devices = from == Place::device && to == Place::device;
  const bool within_host = from != Place::device && to != Place::device;
  work.duration_ns = within_devices ? memory_ns(2 * bytes) : costs::transfer_ns(bytes, costs::host_link_bytes_per_ns);
  const bool staged = from == Place::pageable && to == Place::device && bytes <= staged_copy_bytes;
  if (staged && !stream.capture) {
    const auto* first = static_cast<const std::byte*>(copy.source);
    copy.staged.assign(first, first + bytes);
  }
  work.action = std::move(copy);
  submit(stream, std::move(work));
  const bool blocks = within_host || from == Place::pageable || to == Place::pageable;
  if (stream.capture || staged || !blocks) return Status::success;
  const VectorClock clock = stream.clock;
  timeline().wait_until(stream.ready_ns);
  // That a large copy from pageable memory is waited for is not a promise to build on.
  if (to != Place::device) timeline().host_learns(clock);
  return context_.sticky;
}

Status SimulatedDevice::fill(void* destination, std::uint8_t value, std::size_t bytes, device::Stream on) {
  return call(Operation::fill, [&] {
    const auto stream = target(on);
    if (!stream) return stream.error();
    if (bytes == 0) return Status::success;
    const Place where = place(destination, bytes, **stream);
    if (where != Place::device && where != Place::page_locked) return Status::invalid_value;
    submit(**stream, {.name = "fill",
                      .action = FillBytes{destination, value, bytes},
                      .accesses = {device::writes(destination, bytes)},
                      .duration_ns = memory_ns(bytes)});
    return Status::success;
  });
}

/// Whether a block can be as a launch wants it.
Status SimulatedDevice::check_shape(const device::KernelLaunch& launch) const {
  if (!launch.kernel->by_block) return Status::success;
  const unsigned threads = launch.block.threads;
  const bool is_block = threads > 0 && threads <= static_cast<unsigned>(properties_.max_threads_per_block);
  const bool fits = launch.block.shared_bytes <= properties_.max_shared_bytes_per_block;
  // Not invalid_configuration: what CUDA 13's cudaLaunchKernel returns on an H200.
  return is_block && fits ? Status::success : Status::invalid_value;
}

Status SimulatedDevice::launch(const device::KernelLaunch& launch, device::Stream on) {
  return call(Operation::launch_kernel, [&] {
    const auto stream = target(on);
    if (!stream) return stream.error();
    if (launch.kernel == nullptr) return Status::invalid_value;
    if (launch.count == 0) return Status::success;
    if (const Status status = check_shape(launch); status != Status::success) return status;
    Work work{.name = launch.kernel->name, .action = {}, .accesses = {}};
    work.accesses.reserve(launch.accesses.size());
    std::copy_if(launch.accesses.begin(), launch.accesses.end(), std::back_inserter(work.accesses),
                 [](const device::MemoryAccess& access) { return device::extent_bytes(access) != 0; });
    const auto traffic =
        std::accumulate(work.accesses.begin(), work.accesses.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const auto& access) { return sum + device::traffic_bytes(access); });
    work.duration_ns = launch.spin_ns + memory_ns(traffic);
    const auto* first = static_cast<const std::byte*>(launch.functor);
    work.action = RunKernel{launch.kernel, {first, first + launch.kernel->functor_bytes}, launch.count, launch.block};
    submit(**stream, std::move(work));
    return Status::success;
  });
}

Status SimulatedDevice::host_callback(device::Stream on, device::HostFunction function, void* argument) {
  return call(Operation::host_callback, [&] {
    const auto stream = target(on);
    if (!stream) return stream.error();
    if (function == nullptr) return Status::invalid_value;
    submit(**stream, {.name = "host_callback",
                      .action = CallHost{function, argument},
                      .accesses = {},
                      .duration_ns = costs::host_function_ns});
    return Status::success;
  });
}

}  // namespace gpucheck::sim
