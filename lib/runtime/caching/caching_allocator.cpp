#include "runtime/caching/caching_allocator.hpp"

#include <thread>
#include <utility>

#include "runtime/caching/detail/state.hpp"

namespace gpucheck::runtime {

CachingAllocator::CachingAllocator(device::Device& device, const AllocatorSettings& settings, StreamIds stream_ids)
    : state_(std::make_unique<State>(device, settings, std::move(stream_ids))) {}
CachingAllocator::~CachingAllocator() = default;

void* CachingAllocator::allocate(std::size_t bytes, device::Stream stream) {
  void* pointer = state_->allocate(bytes, stream);
  if (state_->is_traced()) [[unlikely]]
    state_->announce_allocation(pointer);
  return pointer;
}
void CachingAllocator::free(void* pointer) {
  if (state_->is_traced()) [[unlikely]]
    state_->announce_deallocation(pointer);
  state_->free(pointer);
}
void CachingAllocator::record_stream(void* pointer, device::Stream stream) { state_->record_stream(pointer, stream); }
void CachingAllocator::empty_cache() { state_->empty_cache({}); }
void CachingAllocator::empty_cache(PoolId pool) { state_->empty_cache(pool); }

MemoryStatistics CachingAllocator::stats() const { return state_->stats(); }
DeviceAllocator::LiveAllocations CachingAllocator::live_allocations() const {
  const MemoryStatistics now = stats();
  return {static_cast<std::uint64_t>(now.allocation.all.current),
          static_cast<std::uint64_t>(now.allocated_bytes.all.current)};
}
MemoryUsage CachingAllocator::usage() const { return state_->usage(); }
void CachingAllocator::reset_peak_stats() { state_->reset_peak_stats(); }
void CachingAllocator::reset_accumulated_stats() { state_->reset_accumulated_stats(); }
std::vector<SegmentInfo> CachingAllocator::snapshot() const { return state_->snapshot(std::nullopt); }
std::vector<SegmentInfo> CachingAllocator::snapshot(PoolId pool) const { return state_->snapshot(pool); }
std::optional<BlockInfo> CachingAllocator::block_info(const void* pointer) const { return state_->block_info(pointer); }
CachingAllocator::BaseAllocation CachingAllocator::base_allocation(const void* pointer) const {
  return state_->base_allocation(pointer);
}

void CachingAllocator::set_memory_fraction(double fraction) { state_->set_memory_fraction(fraction); }
double CachingAllocator::memory_fraction() const { return state_->memory_fraction(); }
void CachingAllocator::set_settings(std::string_view text) { state_->set_settings(text); }
AllocatorSettings CachingAllocator::settings() const { return state_->settings(); }
void CachingAllocator::set_caching(bool enabled) { state_->set_caching(enabled); }
std::size_t CachingAllocator::bookkeeping_bytes() const { return state_->bookkeeping_bytes(); }

void CachingAllocator::add_out_of_memory_observer(std::function<void(const OutOfMemoryReport&)> observer) {
  state_->add_out_of_memory_observer(std::move(observer));
}
void CachingAllocator::add_free_memory_callback(std::function<bool()> callback) {
  state_->add_free_memory_callback(std::move(callback));
}
void CachingAllocator::set_memory_observer(MemoryObserver* observer) { state_->set_memory_observer(observer); }
void CachingAllocator::inspect(const std::function<void(std::vector<SegmentInfo>)>& visit) const {
  state_->inspect(visit);
}
void CachingAllocator::set_gpu_trace_sink(GpuTraceSink* sink) { state_->set_gpu_trace_sink(sink); }
void CachingAllocator::set_process_memory_query(std::function<std::optional<std::uint64_t>()> query) {
  state_->set_process_memory_query(std::move(query));
}

void CachingAllocator::retain_pool(PoolId pool, PoolOptions options) { state_->retain_pool(pool, options); }
void CachingAllocator::begin_allocate_to_pool(PoolId pool, PoolFilter filter) {
  state_->begin_allocate_to_pool(pool, std::move(filter));
}
void CachingAllocator::end_allocate_to_pool(PoolId pool) { state_->end_allocate_to_pool(pool); }
void CachingAllocator::release_pool(PoolId pool) { state_->release_pool(pool); }
int CachingAllocator::pool_use_count(PoolId pool) const { return state_->pool_use_count(pool); }
bool CachingAllocator::has_exactly_live(PoolId pool, const std::vector<const void*>& pointers) const {
  return state_->has_exactly_live(pool, pointers);
}

PoolCheckpoint CachingAllocator::checkpoint(PoolId pool) { return state_->checkpoint(pool); }
PoolRestoration CachingAllocator::restore(const PoolCheckpoint& checkpoint) { return state_->restore(checkpoint); }

PoolFilter on_this_thread() {
  return [thread = std::this_thread::get_id()](device::Stream) { return std::this_thread::get_id() == thread; };
}

PoolFilter on_stream(device::Stream stream) {
  return [stream](device::Stream asked) { return asked == stream; };
}

}  // namespace gpucheck::runtime
