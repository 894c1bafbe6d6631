#include "device/fault/shared_blocks.hpp"

#include <algorithm>

namespace gpucheck::fault {

void SharedBlocks::add(void* pointer, std::size_t bytes, void* start) {
  if (pointer == nullptr) return;
  const std::scoped_lock lock(mutex_);
  blocks_[pointer] = {.bytes = bytes, .start = start, .holders = 1};
}

void* SharedBlocks::share(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::scoped_lock lock(mutex_);
  const auto block =
      std::find_if(blocks_.begin(), blocks_.end(), [bytes](const auto& entry) { return entry.second.bytes >= bytes; });
  if (block == blocks_.end()) return nullptr;
  ++block->second.holders;
  return block->first;
}

std::optional<void*> SharedBlocks::release(void* pointer) {
  const std::scoped_lock lock(mutex_);
  const auto block = blocks_.find(pointer);
  if (block == blocks_.end()) return pointer;
  if (--block->second.holders > 0) return std::nullopt;
  void* const start = block->second.start;
  blocks_.erase(block);
  return start;
}

}  // namespace gpucheck::fault
