#include "runtime/pinned/pinned_state.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "device/check.hpp"
#include "device/relaxed_capture.hpp"
#include "runtime/allocator/statistic_changes.hpp"
#include "runtime/streams/pools/is_capturing.hpp"

namespace gpucheck::runtime {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t microseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
}

}  // namespace

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
  const Clock::time_point start = Clock::now();
  auto block = std::make_unique<Block>();
  {
    const device::RelaxedCapture relaxed(device_);
    block->memory = source_.obtain(rounded, settings);
  }
  block->pool = pool;
  lock.lock();
  statistics_.host_alloc_time.add(microseconds_since(start));
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

/// Frees a block that nobody holds any more: once its streams are done it serves again. Where they cannot be asked it
/// never does.
void PinnedAllocator::State::free_behind_streams(Block& block) {
  const std::vector<device::Stream> streams = block.streams;
  if (!any_capturing(streams)) return insert_events(block, streams);
  const std::scoped_lock lock(mutex_);
  deferred_.push_back(&block);
}

bool PinnedAllocator::State::any_capturing(const std::vector<device::Stream>& streams) {
  return std::ranges::any_of(streams, [&](device::Stream stream) { return detail::is_capturing(device_, stream); });
}

void PinnedAllocator::State::insert_events(Block& block, const std::vector<device::Stream>& streams) {
  std::vector<device::UniqueEvent> events;
  for (const device::Stream stream : streams) {
    events.push_back(events_.take());
    device::check_and_clear(device_, device_.record(events.back().get(), stream), "record an event of pinned memory");
  }
  const std::scoped_lock lock(mutex_);
  block.streams.clear();
  block.pending_events = events.size();
  for (device::UniqueEvent& event : events) pending_.push_front({std::move(event), &block});
}

// ---- finished work --------------------------------------------------------------------

void PinnedAllocator::State::process_deferred() {
  std::unique_lock lock(mutex_);
  if (deferred_.empty()) return;
  const std::vector<Block*> waiting = std::exchange(deferred_, {});
  lock.unlock();
  for (auto block = waiting.begin(); block != waiting.end(); ++block) {
    try {
      free_behind_streams(**block);
    } catch (...) {
      lock.lock();
      deferred_.insert(deferred_.end(), std::next(block), waiting.end());
      throw;
    }
  }
}

void PinnedAllocator::State::process_events() {
  process_deferred();
  while (process_oldest_event()) {
  }
}

/// False when there is none or it is not done.
bool PinnedAllocator::State::process_oldest_event() {
  std::unique_lock lock(mutex_);
  if (pending_.empty()) return false;
  PendingEvent oldest = std::move(pending_.back());
  pending_.pop_back();
  lock.unlock();
  const device::Status status = query(oldest);
  if (status == device::Status::success) {
    finish(std::move(oldest), any_size);
    return true;
  }
  lock.lock();
  pending_.push_back(std::move(oldest));
  lock.unlock();
  require_pending(status);
  return false;
}

void PinnedAllocator::State::process_events_of_size(std::uint64_t bytes) {
  std::vector<PendingEvent> candidates;
  {
    const std::scoped_lock lock(mutex_);
    std::deque<PendingEvent> others;
    for (PendingEvent& entry : pending_) {
      if (entry.block->memory.bytes == bytes) {
        candidates.push_back(std::move(entry));
      } else {
        others.push_back(std::move(entry));
      }
    }
    pending_ = std::move(others);
  }
  device::Status failure = device::Status::not_ready;
  for (PendingEvent& entry : candidates) {
    const device::Status status = query(entry);
    if (status == device::Status::success) {
      finish(std::move(entry), static_cast<std::int64_t>(bytes));
      continue;
    }
    if (status != device::Status::not_ready) failure = status;
    const std::scoped_lock lock(mutex_);
    pending_.push_back(std::move(entry));
  }
  require_pending(failure);
}

device::Status PinnedAllocator::State::query(PendingEvent& entry) {
  const device::RelaxedCapture relaxed(device_, std::nothrow);  // another thread may be capturing
  return device_.query(entry.event.get());
}

/// An event that is not done must still become done. @throws DeviceError.
void PinnedAllocator::State::require_pending(device::Status status) {
  if (status != device::Status::not_ready) device::check_and_clear(device_, status, "query an event of pinned memory");
}

void PinnedAllocator::State::finish(PendingEvent entry, std::int64_t size) {
  events_.release(std::move(entry.event));
  const std::scoped_lock lock(mutex_);
  Block& block = *entry.block;
  if (--block.pending_events > 0) return;
  free_lists(block.pool)[class_of(block)].push_back(&block);
  Active& active = active_[class_of(block)];
  detail::subtract(active.requests, 1);
  active.bytes.current -= size;
  active.bytes.freed += size;
}

void PinnedAllocator::State::ensure_background_thread() {
  if (background_.joinable()) return;
  background_ = std::jthread([this](const std::stop_token& stop) {
    constexpr std::chrono::microseconds pause{100};
    try {
      while (!stop.stop_requested()) {
        process_events();
        std::this_thread::sleep_for(pause);
      }
    } catch (const Error&) {  // a lost device: the next call of whoever uses it says so
    }
  });
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
  const Clock::time_point start = Clock::now();
  source_.release(block.memory);
  const std::scoped_lock lock(mutex_);
  statistics_.host_free_time.add(microseconds_since(start));
  detail::subtract(statistics_.allocations, 1);
  detail::subtract(statistics_.allocated_bytes, block.memory.bytes);
}

// ---- settings and statistics ---------------------------------------------------------------

void PinnedAllocator::State::apply(const AllocatorSettings& settings) {
  const std::scoped_lock lock(mutex_);
  settings_ = settings;
}

PinnedStatistics PinnedAllocator::State::stats() const {
  const std::scoped_lock lock(mutex_);
  PinnedStatistics statistics = statistics_;
  const auto add = [](Statistic& sum, const Statistic& part) {
    sum.current += part.current;
    sum.peak += part.peak;
    sum.allocated += part.allocated;
    sum.freed += part.freed;
  };
  for (const Active& active : active_) {
    add(statistics.active_requests, active.requests);
    add(statistics.active_bytes, active.bytes);
  }
  statistics.num_host_alloc = statistics.allocations.allocated;
  statistics.num_host_free = statistics.allocations.freed;
  return statistics;
}

void PinnedAllocator::State::reset_peak_stats() {
  const std::scoped_lock lock(mutex_);
  const auto reset = [](Statistic& statistic) { statistic.peak = statistic.current; };
  reset(statistics_.allocations);
  reset(statistics_.allocated_bytes);
  for (Active& active : active_) {
    reset(active.requests);
    reset(active.bytes);
  }
  for (DurationStatistic* time : {&statistics_.host_alloc_time, &statistics_.host_free_time}) time->max = time->min = 0;
}

void PinnedAllocator::State::reset_accumulated_stats() {
  const std::scoped_lock lock(mutex_);
  const auto reset = [](Statistic& statistic) { statistic.allocated = statistic.freed = 0; };
  reset(statistics_.allocations);
  reset(statistics_.allocated_bytes);
  for (Active& active : active_) {
    reset(active.requests);
    reset(active.bytes);
  }
  for (DurationStatistic* time : {&statistics_.host_alloc_time, &statistics_.host_free_time}) *time = {};
}

DeviceAllocator::LiveAllocations PinnedAllocator::State::live_allocations() const {
  const std::scoped_lock lock(mutex_);
  DeviceAllocator::LiveAllocations live;
  for (const auto& [context, block] : blocks_) {
    if (!block->in_use) continue;
    ++live.count;
    live.bytes += block->memory.bytes;
  }
  return live;
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
