#include "runtime/pinned/pinned_state.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <utility>

#include "device/check.hpp"
#include "device/relaxed_capture.hpp"
#include "runtime/allocator/statistic_changes.hpp"
#include "runtime/streams/pools/is_capturing.hpp"

namespace gpucheck::runtime {
PinnedAllocator::State::~State() {
  background_ = {};  // stops and joins
  static_cast<void>(device_.synchronize());
  for (const auto& [context, block] : blocks_) {
    try {
      source_.release(block->memory);
    } catch (const Error&) {  // a lost device: nothing is left to free
    }
  }
}

// ---- allocating ----------------------------------------------------------------------

PinnedAllocator::Allocation PinnedAllocator::State::allocate(std::size_t bytes, device::Stream stream) {
  if (bytes == 0) return {};
  constexpr std::size_t largest = std::size_t{1} << 63U;
  if (bytes > largest) throw device::DeviceError(device::Status::out_of_memory, "allocate pinned host memory");
  const std::uint64_t rounded = std::bit_ceil(bytes);
  std::unique_lock lock(mutex_);
  const bool background = settings_.pinned_use_background_threads;
  if (background) ensure_background_thread();
  lock.unlock();
  // While the caller captures, no event counts as done.
  if (!background && !detail::is_capturing(device_, stream)) process_events();
  lock.lock();
  const PoolId pool = route(stream, lock);
  Block* block = reuse_free_block(rounded, pool);
  lock.unlock();
  if (block == nullptr && background) {
    process_events_of_size(rounded);
    lock.lock();
    block = reuse_free_block(rounded, pool);
    lock.unlock();
  }
  if (block == nullptr) block = make_block(rounded, pool);
  return {block->memory.pointer, block};
}

std::size_t PinnedAllocator::State::class_of(const Block& block) noexcept {
  return static_cast<std::size_t>(std::countr_zero(block.memory.bytes));
}

PoolId PinnedAllocator::State::route(device::Stream stream, std::unique_lock<std::mutex>& lock) const {
  detail::Routings asked;
  PoolId chosen;
  while (asked != routings_) {
    asked = routings_;
    lock.unlock();
    chosen = choose(asked, stream);
    lock.lock();
  }
  return chosen;
}

/// The oldest routing that takes them decides.
PoolId PinnedAllocator::State::choose(const detail::Routings& routings, device::Stream stream) {
  PoolId chosen;
  for (const detail::Routing* routing = routings.get(); routing != nullptr; routing = routing->older.get()) {
    if (routing->filter(stream)) chosen = routing->pool;
  }
  return chosen;
}

PinnedAllocator::State::FreeLists& PinnedAllocator::State::free_lists(PoolId id) {
  if (id.is_default()) return free_;
  std::unique_ptr<FreeLists>& lists = pools_[id].free;
  if (lists == nullptr) lists = std::make_unique<FreeLists>();
  return *lists;
}

PinnedAllocator::State::Block* PinnedAllocator::State::reuse_free_block(std::uint64_t rounded, PoolId pool) {
  std::vector<Block*>& list = free_lists(pool)[static_cast<std::size_t>(std::countr_zero(rounded))];
  if (list.empty()) return nullptr;
  Block* block = list.back();
  list.pop_back();
  mark_in_use(*block);
  return block;
}

PinnedAllocator::State::Block* PinnedAllocator::State::make_block(std::uint64_t rounded, PoolId pool) {
  std::unique_lock lock(mutex_);
  const AllocatorSettings settings = settings_;
  lock.unlock();
  const auto start = std::chrono::steady_clock::now();
  auto block = std::make_unique<Block>();
  {
    const device::RelaxedCapture relaxed(device_);
    block->memory = source_.obtain(rounded, settings);
  }
  block->pool = pool;
  lock.lock();
  statistics_.host_alloc_time.add_since(start);
  detail::add(statistics_.allocations, 1);
  detail::add(statistics_.allocated_bytes, rounded);
  mark_in_use(*block);
  if (!pool.is_default()) ++pools_[pool].blocks;
  Block* made = block.get();
  by_pointer_.emplace(made->memory.pointer, made);
  blocks_.emplace(made, std::move(block));
  return made;
}

void PinnedAllocator::State::mark_in_use(Block& block) {
  block.in_use = true;
  Active& active = active_[class_of(block)];
  detail::add(active.requests, 1);
  detail::add(active.bytes, block.memory.bytes);
}

// ---- use and return -------------------------------------------------------------------

PinnedAllocator::State::Block* PinnedAllocator::State::find(const void* pointer, const void* context) const {
  if (const auto known = blocks_.find(context); known != blocks_.end()) return known->second.get();
  const auto starts = by_pointer_.find(pointer);
  return starts == by_pointer_.end() ? nullptr : starts->second;
}

bool PinnedAllocator::State::record_event(const void* pointer, const void* context, device::Stream stream) {
  const std::scoped_lock lock(mutex_);
  Block* block = find(pointer, context);
  if (block == nullptr || !block->in_use) return false;
  if (std::ranges::find(block->streams, stream) == block->streams.end()) block->streams.push_back(stream);
  return true;
}

void PinnedAllocator::State::free(void* context) {
  if (context == nullptr) return;
  std::unique_lock lock(mutex_);
  const auto known = blocks_.find(context);
  if (known == blocks_.end() || !known->second->in_use) {
    throw Error(
        fmt::format("{} is not a context of pinned memory in use. Free what allocate returned, and once.", context));
  }
  Block& block = *known->second;
  block.in_use = false;
  if (block.streams.empty()) return free_lists(block.pool)[class_of(block)].push_back(&block);
  if (!block.pool.is_default()) return block.streams.clear();  // a replay may use it again: kept until the pool goes
  lock.unlock();
  free_behind_streams(block);
}

// ---- releasing ----------------------------------------------------------------------

void PinnedAllocator::State::empty_cache() {
  process_events();
  std::exception_ptr first;
  for (const auto& block : extract_releasable()) {
    try {
      release(*block);
    } catch (...) {
      if (!first) first = std::current_exception();  // the others are released all the same
    }
  }
  if (first) std::rethrow_exception(first);
}

std::vector<std::unique_ptr<PinnedAllocator::State::Block>> PinnedAllocator::State::extract_releasable() {
  const std::scoped_lock lock(mutex_);
  std::vector<Block*> going;
  for (auto& list : free_) {
    going.insert(going.end(), list.begin(), list.end());
    list.clear();
  }
  extract_from_released_pools(going);
  std::vector<std::unique_ptr<Block>> extracted;
  for (Block* block : going) {
    by_pointer_.erase(block->memory.pointer);
    extracted.push_back(std::move(blocks_.extract(block).mapped()));
  }
  return extracted;
}

void PinnedAllocator::State::extract_from_released_pools(std::vector<Block*>& going) {
  std::erase_if(pools_, [](const auto& entry) { return entry.second.uses == 0 && entry.second.blocks == 0; });
  for (auto& [id, pool] : pools_) {
    if (pool.uses > 0) continue;
    pool.free.reset();
    for (const auto& [context, block] : blocks_) {
      if (block->pool != id || block->in_use) continue;
      going.push_back(block.get());
      --pool.blocks;
    }
  }
}

void PinnedAllocator::State::release(const Block& block) {
  const auto start = std::chrono::steady_clock::now();
  source_.release(block.memory);
  const std::scoped_lock lock(mutex_);
  statistics_.host_free_time.add_since(start);
  detail::subtract(statistics_.allocations, 1);
  detail::subtract(statistics_.allocated_bytes, block.memory.bytes);
}

// ---- private pools ----------------------------------------------------------------------

void PinnedAllocator::State::begin_allocate_to_pool(PoolId id, PoolFilter filter) {
  const std::scoped_lock lock(mutex_);
  ++pools_[id].uses;
  routings_ = with_routing(routings_, id, std::move(filter));
}

void PinnedAllocator::State::end_allocate_to_pool(PoolId id) {
  const std::scoped_lock lock(mutex_);
  if (!routes_to(routings_, id)) {
    throw Error("Pinned memory is not being allocated to that pool. Begin before ending.");
  }
  routings_ = without_routing(routings_, id);
}

void PinnedAllocator::State::release_pool(PoolId id) {
  const std::scoped_lock lock(mutex_);
  const auto found = pools_.find(id);
  if (found == pools_.end() || found->second.uses == 0) throw Error("Pinned memory knows no such pool in use.");
  --found->second.uses;
}

}  // namespace gpucheck::runtime
