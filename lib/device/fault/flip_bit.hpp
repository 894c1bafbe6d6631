#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device.hpp"
#include "device/fault/plan.hpp"
#include "device/values/memory_access.hpp"

namespace gpucheck::fault {

/// Memory that a call wrote: a run of bytes, or a pattern of runs.
struct Written {
  void* address = nullptr;
  std::size_t bytes = 0;  ///< of each run
  bool in_host_memory = false;
  device::Repetitions repetitions{};  ///< of the run

  [[nodiscard]] device::MemoryAccess access() const noexcept {
    return {address, bytes, device::AccessMode::write, 1, repetitions};
  }
};

/// In device memory.
inline Written written_by(const device::MemoryAccess& access) noexcept {
  return {const_cast<void*>(access.address), access.bytes, false, access.repetitions};
}

/// In the last byte of a number this bit is part of a real's exponent and far above an
/// integer's rounding errors: no tolerance hides it.
inline constexpr std::uint8_t high_bit = 0x40;

/// Whether work given to `stream` is recorded; not, where the device cannot say.
bool is_capturing(device::Graphs& graphs, device::Stream stream);

/// The first memory that a launch writes; no bytes when it writes none.
Written first_written(const device::KernelLaunch& launch);

/// Flips the bits of `mask` in one byte of device memory, after the work enqueued on `stream` so far.
device::Status flip(device::Device& device, void* byte, std::uint8_t mask, device::Stream stream);

/// The byte of `written` at a place, which is counted in what was written, without gaps; null
/// where it has none there.
void* byte_at(const Written& written, const Place& place);

/// Flips one bit of the first byte of `written`, after the work enqueued on `stream` so far.
device::Status flip_bit(device::Device& device, const Written& written, device::Stream stream);

}  // namespace gpucheck::fault
