#include <mutex>
#include <utility>

#include "device/check.hpp"
#include "runtime/caching/out_of_memory.hpp"
#include "runtime/caching/shared/added.hpp"
#include "runtime/caching/state.hpp"
#include "runtime/trace/gpu_trace_sink.hpp"

namespace gpucheck::runtime {
namespace {

using detail::Arena;
using detail::BlockRef;
using detail::Exclusive;
using detail::Released;
using detail::Request;
using detail::SlowPathReason;

constexpr std::size_t impossible_size = std::size_t{1} << 60U;

/// One allocation that a cached block under its arena's lock could not serve.
class SlowAllocation {
 public:
  SlowAllocation(CachingAllocator::State& state, std::size_t bytes, device::Stream stream, CallContext context)
      : state_(state), bytes_(bytes), stream_(stream), lock_(state.locks, context) {}

  void* run();

 private:
  void choose_pool();
  void* allocate_uncached();
  void prepare();
  [[nodiscard]] BlockRef search();
  [[nodiscard]] BlockRef search_or_ask();
  [[nodiscard]] BlockRef search_last_resort();
  [[nodiscard]] BlockRef obtain_segment();
  [[nodiscard]] BlockRef find_or_obtain();
  void* allocate(BlockRef ref);
  [[noreturn]] void fail();
  [[nodiscard]] detail::OutOfMemoryState out_of_memory_state() const;
  [[nodiscard]] SplitPolicy policy_in(const Arena& arena) const;

  CachingAllocator::State& state_;
  std::size_t bytes_;
  device::Stream stream_;
  detail::Routings routings_;  ///< that `pool_` was chosen by
  PoolId pool_;
  Exclusive lock_;
  Request request_;
};

void* SlowAllocation::run() {
  if (!state_.configuration.caching()) return allocate_uncached();
  choose_pool();
  prepare();
  const BlockRef found = find_or_obtain();
  if (!found) fail();
  return allocate(found);
}

/// Asks the filters, which are the user's, with the locks released; again when another thread
/// has changed the routings meanwhile.
void SlowAllocation::choose_pool() {
  while (routings_ != state_.pools.routings()) {
    routings_ = state_.pools.routings();
    const Released released(lock_);
    pool_ = detail::choose_pool(routings_, stream_);
  }
}

void* SlowAllocation::allocate_uncached() {
  void* pointer = device::check_and_clear(state_.device, state_.device.allocate(bytes_), "allocate");
  state_.uncached_pointers.insert(pointer);
  return pointer;
}

void SlowAllocation::prepare() {
  const AllocatorSettings& settings = state_.configuration.settings();
  if (state_.slow_path.has(SlowPathReason::pending_frees)) {
    // While a capture may be open, events must not be queried.
    if (!state_.pools.is_routing()) {
      state_.waiting_frees.poll();
    } else if (settings.graph_capture_record_stream_reuse) {
      state_.waiting_frees.finish_ordered(stream_);
    }
  }
  detail::Pool* const pool = state_.pools.find(pool_);
  if (pool == nullptr) throw Error("The memory pool that this allocation is routed to was released and is gone.");
  request_.arena = &state_.arenas.get_or_make(*pool, stream_);
  state_.recording.prepare(state_.arenas.all().size());
  request_.bytes = bytes_;
  request_.rounded = state_.configuration.rounded_size(bytes_);
  request_.segment_bytes = segment_size_for(request_.rounded, settings);
}

BlockRef SlowAllocation::search() {
  Arena& arena = *request_.arena;
  if (state_.slow_path.has(SlowPathReason::garbage_collection)) {
    ++arena.pool().searches[detail::Counters::index(request_.kind())];
  }
  return {&arena, arena.unpark().find_fit(request_.rounded, state_.configuration.policy())};
}

/// Searches again when some callback freed memory.
BlockRef SlowAllocation::search_or_ask() {
  const BlockRef found = search();
  if (found || state_.callbacks.free_memory.empty()) return found;
  const auto callbacks = state_.callbacks.free_memory;
  bool freed = false;
  {
    const Released released(lock_);
    for (const auto& callback : callbacks) freed = callback() || freed;
  }
  return freed ? search() : found;
}

BlockRef SlowAllocation::search_last_resort() {
  if (!state_.pools.is_default(request_.arena->pool())) return {};
  for (const auto& [id, pool] : state_.pools.private_pools()) {
    if (!pool.options.use_on_out_of_memory) continue;
    for (Arena* arena : pool.arenas) {
      if (arena->stream() != stream_) continue;
      const BlockRef found{arena, arena->unpark().find_fit(request_.rounded, policy_in(*arena))};
      if (found) return found;
    }
  }
  return {};
}

BlockRef SlowAllocation::obtain_segment() {
  const detail::Segments::Obtained obtained = state_.segments.obtain(request_, lock_);
  // Meanwhile another thread may have freed what fits.
  return !obtained.block && obtained.released_lock ? search() : obtained.block;
}

/// Empty when the memory is out.
BlockRef SlowAllocation::find_or_obtain() {
  const auto check_earlier_work = [&] {
    device::check(state_.device.last_error(), "work submitted before an allocation");
  };
  const detail::Added being_served(request_.arena->pool().requests, 1);
  BlockRef found = search_or_ask();
  if (found) return found;
  if (state_.slow_path.has(SlowPathReason::garbage_collection)) state_.segments.collect_garbage();
  check_earlier_work();
  found = obtain_segment();
  if (!found) found = search_last_resort();
  if (!found && state_.segments.release_oversize(request_)) {
    check_earlier_work();
    found = obtain_segment();
  }
  if (!found && !state_.pools.is_routing()) {
    state_.release_cached({});
    check_earlier_work();
    state_.statistics.allocation_retried();
    found = obtain_segment();
  }
  return found;
}

void* SlowAllocation::allocate(BlockRef ref) {
  state_.statistics.admit_closed(*ref.arena);
  detail::Heap& heap = ref.heap();
  const detail::BlockIndex index = heap.allocate(ref.index, request_.rounded, request_.bytes, policy_in(*ref.arena));
  state_.count_allocation(*ref.arena, heap[index], request_.bytes);
  return reinterpret_cast<void*>(heap[index].address);
}

/// For a last resort, a block of another pool, PyTorch acts as if there were no expandable
/// segments: it takes no block of one.
SplitPolicy SlowAllocation::policy_in(const Arena& arena) const {
  SplitPolicy policy = state_.configuration.policy();
  policy.expandable_segments = policy.expandable_segments && &arena.pool() == &request_.arena->pool();
  return policy;
}

detail::OutOfMemoryState SlowAllocation::out_of_memory_state() const {
  detail::OutOfMemoryState result;
  result.device_ordinal = state_.device.ordinal();
  result.segment_bytes = request_.segment_bytes;
  result.memory = state_.device.memory_info().value();
  result.limit = state_.configuration.limit();
  result.allocated = state_.statistics.allocated_bytes();
  result.reserved = state_.statistics.reserved_bytes();
  for (const auto& [id, pool] : state_.pools.private_pools()) {
    for (Arena* arena : pool.arenas) result.private_free += arena->unpark().free_bytes();
  }
  return result;
}

void SlowAllocation::fail() {
  const detail::OutOfMemoryState now = out_of_memory_state();
  state_.recording.record(*request_.arena, MemoryAction::oom, now.memory.free_bytes, request_.rounded);
  state_.statistics.out_of_memory();
  const detail::Callbacks callbacks = state_.callbacks;
  lock_.unlock();
  const std::string text =
      out_of_memory_text(now, callbacks.process_memory ? callbacks.process_memory() : std::nullopt);
  const OutOfMemoryReport report{now.device_ordinal, now.segment_bytes, now.limit.value_or(now.memory.total_bytes),
                                 now.memory.free_bytes};
  for (const auto& observer : callbacks.out_of_memory) observer(report);
  throw OutOfMemoryError(text);
}

}  // namespace

void CachingAllocator::State::count_allocation(const Arena& arena, const detail::Block& block, std::uint64_t bytes) {
  if (configuration.is_oversize(block.size)) statistics.oversize_allocated();
  recording.record(arena, MemoryAction::alloc, block.address, bytes);
}

void* CachingAllocator::State::allocate(std::size_t bytes, device::Stream stream) {
  if (bytes == 0) return nullptr;
  if (bytes >= impossible_size) {
    throw OutOfMemoryError("CUDA out of memory. Tried to allocate more than 1EB memory.");
  }
  MemoryRecorder* const recorder = recording.recorder();
  Arena* arena = arenas.of_stream(stream);
  const CallContext context = recorder == nullptr ? no_call_context : recorder->context_of(MemoryCall::allocate);
  if (arena == nullptr) return SlowAllocation(*this, bytes, stream, context).run();
  CountingLock lock(*this, *arena);
  if (slow_path.none()) {
    const detail::BlockIndex block = arena->allocate(configuration.rounded_size(bytes), bytes, configuration.policy());
    if (block != detail::no_block) {
      const std::uintptr_t address = arena->address_of(block);
      if (recorder != nullptr) [[unlikely]]
        recording.allocated(*arena, address, bytes, context);
      lock.release();
      return reinterpret_cast<void*>(address);
    }
  }
  lock.give_up();
  return SlowAllocation(*this, bytes, stream, context).run();
}

void* CachingAllocator::allocate(std::size_t bytes, device::Stream stream) {
  void* pointer = state_->allocate(bytes, stream);
  GpuTraceSink* const sink = state_->trace_sink.load(std::memory_order_acquire);
  if (sink != nullptr && pointer != nullptr) [[unlikely]]
    sink->memory_allocation(reinterpret_cast<std::uintptr_t>(pointer));
  return pointer;
}

}  // namespace gpucheck::runtime
