#include "runtime/pluggable/pluggable_allocator.hpp"

#include <fmt/format.h>
#include <utility>

#include "base/text/units.hpp"

namespace gpucheck::runtime {

PluggableAllocator::PluggableAllocator(device::Device& device, const AllocatorChoice& choice)
    : LimitedAllocator("CUDAPluggableAllocator", {}), library_(device, choice) {}

PluggableAllocator::PluggableAllocator(device::Device& device, std::string name,
                                       const PluggableLibrary::Functions& functions)
    : LimitedAllocator("CUDAPluggableAllocator", {}), library_(device, std::move(name), functions) {}

void* PluggableAllocator::allocate(std::size_t bytes, device::Stream stream) {
  if (bytes == 0) return nullptr;
  void* pointer = library_.allocate(bytes, stream);
  if (pointer == nullptr) {
    throw OutOfMemoryError(
        fmt::format("The allocator library returned null. Tried to allocate {}.", format_bytes(bytes)));
  }
  const std::scoped_lock lock(mutex_);
  if (!allocations_.emplace(pointer, Allocation{bytes, stream}).second) {
    throw Error(fmt::format("The allocator library returned {}, a block that is in use.", pointer));
  }
  return pointer;
}

void PluggableAllocator::free(void* pointer) {
  if (pointer == nullptr) return;
  std::unique_lock lock(mutex_);
  const auto found = allocations_.find(pointer);
  if (found == allocations_.end()) {
    throw Error(fmt::format("Trying to free a pointer not allocated here: {}. Free what allocate returned, and once.",
                            pointer));
  }
  const Allocation allocation = found->second;
  allocations_.erase(found);
  lock.unlock();
  library_.free(pointer, allocation.bytes, allocation.stream);
}

DeviceAllocator::LiveAllocations PluggableAllocator::live_allocations() const {
  const std::scoped_lock lock(mutex_);
  LiveAllocations live{.count = allocations_.size()};
  for (const auto& [pointer, allocation] : allocations_) live.bytes += allocation.bytes;
  return live;
}

std::optional<PluggableAllocator::Allocation> PluggableAllocator::find(const void* pointer) const {
  const std::scoped_lock lock(mutex_);
  const auto found = allocations_.find(const_cast<void*>(pointer));
  return found == allocations_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<BlockInfo> PluggableAllocator::block_info(const void* pointer) const {
  const std::optional<Allocation> allocation = find(pointer);
  if (!allocation) return std::nullopt;
  return BlockInfo{reinterpret_cast<std::uintptr_t>(pointer), allocation->bytes, allocation->bytes,
                   BlockState::active_allocated};
}

DeviceAllocator::BaseAllocation PluggableAllocator::base_allocation(const void* pointer) const {
  const std::optional<Allocation> allocation = find(pointer);
  if (!allocation) throw Error(fmt::format("{} is not the start of a block in use.", pointer));
  return {const_cast<void*>(pointer), allocation->bytes};
}

}  // namespace gpucheck::runtime
