#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/allocator/device_allocator.hpp"

namespace gpucheck::runtime::detail {

/// What users want to be asked or to hear. Guarded by the allocator's mutex, and copied under it:
/// none of them is called with any lock held, for they may call the allocator.
struct Callbacks {
  std::vector<std::function<void(const OutOfMemoryReport&)>> out_of_memory;
  std::vector<std::function<bool()>> free_memory;
  std::function<std::optional<std::uint64_t>()> process_memory;
};

}  // namespace gpucheck::runtime::detail
