#include "runtime/runtime.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <utility>

#include "device/check.hpp"
#include "runtime/make_allocator.hpp"
#include "runtime/pluggable/pluggable_allocator.hpp"
#include "runtime/trace/gpu_trace_sink.hpp"

namespace gpucheck::runtime {
namespace {

/// Current streams of this thread. By number, not by address, so that a new runtime
/// does not inherit from one that stood at the same place.
struct Current {
  std::uint64_t runtime = 0;
  device::Stream stream;
  bool is_external = false;
};
thread_local std::vector<Current> current_streams;

std::uint64_t next_runtime_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

/// The runtimes that there are.
struct Runtimes {
  std::mutex mutex;
  std::vector<Runtime*> all;
};
Runtimes& runtimes() {
  static Runtimes the_runtimes;
  return the_runtimes;
}

}  // namespace

struct Runtime::State {
  State(device::Device& the_device, const AllocatorChoice& choice)
      : device(the_device),
        streams(the_device,
                [this](device::Stream stream) {
                  if (GpuTraceSink* sink = trace_sink.load(std::memory_order_acquire)) sink->stream_creation(stream);
                }),
        allocator(make_allocator(choice, the_device, streams, [this](std::string text) { warn(std::move(text)); })),
        pinned(the_device) {}

  void warn(std::string text) {
    const std::scoped_lock lock(mutex);
    warnings.push_back(std::move(text));
  }

  std::uint64_t number = next_runtime_number();
  device::Device& device;
  std::mutex mutex;
  std::vector<std::string> warnings;
  std::atomic<GpuTraceSink*> trace_sink = nullptr;
  StreamPool streams;
  PoolOwners pool_owners;
  std::unique_ptr<DeviceAllocator> allocator;
  PinnedAllocator pinned;
  std::once_flag capture_stream_chosen;
  device::Stream capture_stream;
  std::mutex kept_mutex;
  std::map<const void*, std::shared_ptr<void>> kept;
};

Runtime::Runtime(device::Device& device, const AllocatorChoice& choice)
    : state_(std::make_unique<State>(device, choice)) {
  const std::scoped_lock lock(runtimes().mutex);
  runtimes().all.push_back(this);
}
Runtime::~Runtime() {
  {
    const std::scoped_lock lock(runtimes().mutex);
    std::erase(runtimes().all, this);
  }
  std::erase_if(current_streams, [this](const Current& entry) { return entry.runtime == state_->number; });
}

device::Device& Runtime::device() noexcept { return state_->device; }
template <typename Allocator>
Allocator& Runtime::the_allocator(std::string_view needed) {
  if (auto* wanted = dynamic_cast<Allocator*>(state_->allocator.get())) return *wanted;
  throw UnsupportedError(fmt::format("needs {}; the one chosen is {}", needed, state_->allocator->name()));
}

DeviceAllocator& Runtime::allocator() noexcept { return *state_->allocator; }

CachingAllocator& Runtime::caching_allocator() { return the_allocator<CachingAllocator>("the caching allocator"); }

const PluggableLibrary& Runtime::pluggable_library() {
  return the_allocator<PluggableAllocator>("an allocator library").library();
}

PinnedAllocator& Runtime::pinned_allocator() noexcept { return state_->pinned; }
StreamPool& Runtime::streams() noexcept { return state_->streams; }
PoolOwners& Runtime::pool_owners() noexcept { return state_->pool_owners; }

void* Runtime::kept(const void* key, const std::function<std::shared_ptr<void>()>& make) {
  const std::scoped_lock lock(state_->kept_mutex);
  const auto place = state_->kept.find(key);
  if (place != state_->kept.end()) return place->second.get();
  return state_->kept.emplace(key, make()).first->second.get();
}

void Runtime::release_kept() {
  std::map<const void*, std::shared_ptr<void>> released;
  const std::scoped_lock lock(state_->kept_mutex);
  released.swap(state_->kept);
}

device::Stream Runtime::current_stream() const noexcept {
  const auto entry = std::ranges::find(current_streams, state_->number, &Current::runtime);
  return entry == current_streams.end() ? state_->device.default_stream() : entry->stream;
}

bool Runtime::is_current_stream_external() const noexcept {
  const auto entry = std::ranges::find(current_streams, state_->number, &Current::runtime);
  return entry != current_streams.end() && entry->is_external;
}

void Runtime::set_current_stream(device::Stream stream, bool is_external) noexcept {
  const auto entry = std::ranges::find(current_streams, state_->number, &Current::runtime);
  if (entry == current_streams.end()) {
    current_streams.push_back({state_->number, stream, is_external});
  } else {
    entry->stream = stream;
    entry->is_external = is_external;
  }
}

device::Stream Runtime::capture_stream() {
  std::call_once(state_->capture_stream_chosen, [this] { state_->capture_stream = streams().next(); });
  return state_->capture_stream;
}

void Runtime::synchronize() {
  if (GpuTraceSink* sink = gpu_trace_sink()) sink->device_synchronization();
  device::check_and_clear(device(), device().synchronize(), "synchronize");
}

void Runtime::synchronize(device::Stream stream) {
  if (GpuTraceSink* sink = gpu_trace_sink()) sink->stream_synchronization(stream);
  device::check_and_clear(device(), device().synchronize(stream), "synchronize");
}

void Runtime::set_gpu_trace_sink(GpuTraceSink* sink) {
  state_->trace_sink.store(sink, std::memory_order_release);
  if (auto* caching = dynamic_cast<CachingAllocator*>(&allocator())) caching->set_gpu_trace_sink(sink);
}

GpuTraceSink* Runtime::gpu_trace_sink() const noexcept { return state_->trace_sink.load(std::memory_order_acquire); }

void Runtime::set_settings(std::string_view text) {
  allocator().set_settings(text);
  pinned_allocator().apply(allocator().settings());
}

void Runtime::warn(std::string text) { state_->warn(std::move(text)); }

std::vector<std::string> Runtime::warnings() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->warnings;
}

void detail::for_each_runtime(const std::function<void(Runtime&)>& action) {
  const std::scoped_lock lock(runtimes().mutex);
  for (Runtime* runtime : runtimes().all) action(*runtime);
}

}  // namespace gpucheck::runtime
