#include "runtime/caching/caching_allocator.hpp"

#include <utility>

#include "runtime/caching/state.hpp"
#include "runtime/settings/memory_fraction.hpp"

namespace gpucheck::runtime {

using detail::Exclusive;

CachingAllocator::CachingAllocator(device::Device& device, const AllocatorSettings& settings, StreamIds stream_ids)
    : state_(std::make_unique<State>(device, settings, std::move(stream_ids))) {}
CachingAllocator::~CachingAllocator() = default;

void CachingAllocator::set_memory_fraction(double fraction) {
  require_memory_fraction(fraction);
  const Exclusive lock(state_->locks);
  state_->configuration.set_fraction(fraction, state_->device.properties().total_memory_bytes);
}

double CachingAllocator::memory_fraction() const {
  const Exclusive lock(state_->locks);
  return state_->configuration.fraction();
}

void CachingAllocator::set_settings(std::string_view text) {
  const Exclusive lock(state_->locks);
  AllocatorSettings parsed = parse_settings(text, state_->configuration.settings());
  require_same_backend(parsed, state_->configuration.settings());
  state_->configuration.set_settings(std::move(parsed));
}

AllocatorSettings CachingAllocator::settings() const {
  const Exclusive lock(state_->locks);
  return state_->configuration.settings();
}

void CachingAllocator::set_caching(bool enabled) {
  const Exclusive lock(state_->locks);
  state_->configuration.set_caching(enabled);
}

void CachingAllocator::add_out_of_memory_observer(std::function<void(const OutOfMemoryReport&)> observer) {
  const Exclusive lock(state_->locks);
  state_->callbacks.out_of_memory.push_back(std::move(observer));
}

void CachingAllocator::add_free_memory_callback(std::function<bool()> callback) {
  const Exclusive lock(state_->locks);
  state_->callbacks.free_memory.push_back(std::move(callback));
}

void CachingAllocator::set_process_memory_query(std::function<std::optional<std::uint64_t>()> query) {
  const Exclusive lock(state_->locks);
  state_->callbacks.process_memory = std::move(query);
}

void CachingAllocator::set_memory_recorder(MemoryRecorder* recorder) {
  const Exclusive lock(state_->locks);
  state_->recording.set_recorder(recorder, state_->arenas.all().size());
}

void CachingAllocator::set_gpu_trace_sink(GpuTraceSink* sink) {
  const Exclusive lock(state_->locks);
  state_->trace_sink.store(sink, std::memory_order_release);
}

}  // namespace gpucheck::runtime
