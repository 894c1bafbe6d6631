#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "device/sim/memory/free_ranges.hpp"
#include "device/values/memory_access.hpp"
#include "device/values/status.hpp"

namespace gpucheck::sim {

/// Host memory that devices may reach: page-locked allocations and registered ranges.
/// Not thread-safe.
class HostMemory {
 public:
  HostMemory() = default;
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory();

  /// Page-aligned; null when the host has no memory left.
  void* allocate(std::uint64_t bytes);
  /// invalid_value unless `pointer` came from `allocate`.
  device::Status free(void* pointer);
  device::Status register_range(void* pointer, std::uint64_t bytes);
  device::Status unregister(void* pointer);

  /// The page-locked range that `address` lies in.
  [[nodiscard]] std::optional<Range> find(const void* address) const;
  [[nodiscard]] bool contains(Range range) const;
  /// The same of each run of an access.
  [[nodiscard]] bool contains(const device::MemoryAccess& access) const;

 private:
  enum class Origin { allocated, registered };
  struct Entry {
    std::uint64_t bytes = 0;
    Origin origin = Origin::allocated;
  };

  std::map<std::uintptr_t, Entry> ranges_;
};

}  // namespace gpucheck::sim
