#pragma once

#include <cstddef>

#include "device/device.hpp"

namespace gpucheck::fault {

/// Memory that a call wrote.
struct Written {
  void* address = nullptr;
  std::size_t bytes = 0;
  bool in_host_memory = false;
};

/// Whether work given to `stream` is recorded; not, where the device cannot say.
bool is_capturing(device::Graphs& graphs, device::Stream stream);

/// The first memory that a launch writes; no bytes when it writes none.
Written first_written(const device::KernelLaunch& launch);

/// Flips one bit in the middle of `written` (which must have a byte), after the work
/// enqueued on `stream` so far.
device::Status flip_bit(device::Device& device, const Written& written, device::Stream stream);

}  // namespace gpucheck::fault
