#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/sim/machine/state.hpp"
#include "device/sim/memory/host_memory.hpp"
#include "device/sim/work/work.hpp"

namespace gpucheck::sim {

/// All memory that work can touch.
struct World {
  std::vector<std::unique_ptr<Context>> contexts;
  HostMemory host;
  /// Grows whenever work or a host function may have written host memory.
  std::uint64_t host_writes = 0;

  /// The context whose addresses `address` is one of; null for host memory.
  [[nodiscard]] Context* owner(std::uintptr_t address) const noexcept;
};

/// Carries out what `work` does, all at once. illegal_address when it would touch
/// memory that is not allocated at this point in stream order, misaligned_address when a
/// kernel's elements do not lie where they must, assertion when a kernel asserts; nothing
/// is written after the failure. Host functions are not its business.
device::Status execute(World& world, Context& context, const Work& work);

/// A number that changes when the bytes change, for noticing writes by the host.
std::uint64_t digest(const void* bytes, std::size_t count) noexcept;

}  // namespace gpucheck::sim
