#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gpucheck::device {

enum class AccessMode : std::uint8_t { read, write, read_write };

/// One stretch of memory a launch reads or writes. The simulated device refuses
/// accesses outside live allocations and reports races from these.
struct MemoryAccess {
  const void* address = nullptr;
  std::size_t bytes = 0;
  AccessMode mode = AccessMode::read;
};

constexpr MemoryAccess reads(const void* address, std::size_t bytes) { return {address, bytes, AccessMode::read}; }
constexpr MemoryAccess writes(const void* address, std::size_t bytes) { return {address, bytes, AccessMode::write}; }
constexpr MemoryAccess updates(const void* address, std::size_t bytes) {
  return {address, bytes, AccessMode::read_write};
}

/// Position of a kernel in `KernelList` (`kernels/kernel_list.hpp`).
enum class KernelId : std::uint16_t {};

/// A type-erased launch: `count` independent invocations of one functor.
struct KernelLaunch {
  KernelId kernel{};
  const void* functor = nullptr;  ///< copied before the call returns
  std::size_t functor_bytes = 0;
  std::size_t count = 0;
  std::span<const MemoryAccess> accesses;  ///< copied before the call returns
  std::uint64_t spin_ns = 0;               ///< time the kernel takes beyond its memory traffic
};

}  // namespace gpucheck::device
