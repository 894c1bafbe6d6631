#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "device/device.hpp"

namespace gpucheck::runtime::detail {

/// The allocator at the moment in which a request failed. Bytes.
struct OutOfMemoryState {
  int device_ordinal = 0;
  std::uint64_t segment_bytes = 0;  ///< asked of the device
  device::MemoryInfo memory;
  std::optional<std::uint64_t> limit;
  std::uint64_t allocated = 0;
  std::uint64_t reserved = 0;
  std::uint64_t private_free = 0;  ///< free blocks of private pools, which no other request can have
};

/// PyTorch 2.11's words. `process_bytes`: what this process uses of the device, if that is known.
[[nodiscard]] std::string out_of_memory_text(const OutOfMemoryState& state, std::optional<std::uint64_t> process_bytes);

}  // namespace gpucheck::runtime::detail
