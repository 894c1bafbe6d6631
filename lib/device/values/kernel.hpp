#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "device/values/memory_access.hpp"

namespace gpucheck::device {

/// How the invocations of a block kernel are grouped. What the shared memory of a block
/// holds at its start is not defined.
struct BlockShape {
  unsigned threads = 0;          ///< of each block; the last one has what is left of the count
  std::size_t shared_bytes = 0;  ///< of each block, aligned to 16 bytes
};

/// Where and what a device-side assert found: kept by the simulated device, which prints it.
struct FailedAssertion {
  const char* expression = nullptr;  ///< null as long as none failed
  const char* file = nullptr;
  unsigned line = 0;
  std::size_t block = 0;  ///< of a block kernel
  std::size_t thread = 0;
};

/// A kind of functor that can be launched. There is one object for each
/// (`kernels::kernel<Functor>`), and its address stands for the kernel.
struct Kernel {
  std::string_view name;
  std::size_t functor_bytes = 0;
  bool by_block = false;
  /// Runs all invocations on the calling thread, one after the other, until one fails an
  /// assertion.
  void (*run_on_host)(const void* functor, std::size_t count, const BlockShape& shape,
                      FailedAssertion& failed) = nullptr;
};

/// A type-erased launch: `count` invocations of one functor.
struct KernelLaunch {
  const Kernel* kernel = nullptr;
  const void* functor = nullptr;  ///< copied before the call returns
  std::size_t count = 0;
  std::span<const MemoryAccess> accesses;  ///< copied before the call returns
  std::uint64_t spin_ns = 0;               ///< time the kernel takes beyond its memory traffic
  BlockShape block{};                      ///< of a block kernel
};

}  // namespace gpucheck::device
