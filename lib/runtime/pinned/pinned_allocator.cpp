#include "runtime/pinned/pinned_allocator.hpp"

#include <utility>

#include "runtime/pinned/pinned_state.hpp"

namespace gpucheck::runtime {

PinnedAllocator::PinnedAllocator(device::Device& device) : state_(std::make_unique<State>(device)) {}
PinnedAllocator::~PinnedAllocator() = default;

PinnedAllocator::Allocation PinnedAllocator::allocate(std::size_t bytes, device::Stream stream) {
  return state_->allocate(bytes, stream);
}
void PinnedAllocator::free(void* context) { state_->free(context); }
bool PinnedAllocator::record_event(const void* pointer, const void* context, device::Stream stream) {
  return state_->record_event(pointer, context, stream);
}
void PinnedAllocator::empty_cache() { state_->empty_cache(); }
void PinnedAllocator::apply(const AllocatorSettings& settings) { state_->apply(settings); }

PinnedStatistics PinnedAllocator::stats() const { return state_->stats(); }
void PinnedAllocator::reset_peak_stats() { state_->reset_peak_stats(); }
void PinnedAllocator::reset_accumulated_stats() { state_->reset_accumulated_stats(); }
DeviceAllocator::LiveAllocations PinnedAllocator::live_allocations() const { return state_->live_allocations(); }

void PinnedAllocator::begin_allocate_to_pool(PoolId pool, PoolFilter filter) {
  state_->begin_allocate_to_pool(pool, std::move(filter));
}
void PinnedAllocator::end_allocate_to_pool(PoolId pool) { state_->end_allocate_to_pool(pool); }
void PinnedAllocator::release_pool(PoolId pool) { state_->release_pool(pool); }

bool is_pinned(device::Device& device, const void* pointer) {
  return device.pointer_info(pointer).value().kind == device::MemoryKind::host;
}

}  // namespace gpucheck::runtime
