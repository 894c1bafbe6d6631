#include "runtime/runtime.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <utility>

namespace gpucheck::runtime {
namespace {

/// Current streams of this thread. By number, not by address, so that a new runtime
/// does not inherit from one that stood at the same place.
struct Current {
  std::uint64_t runtime = 0;
  device::Stream stream;
};
thread_local std::vector<Current> current_streams;

std::uint64_t next_runtime_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

struct Runtime::State {
  explicit State(device::Device& which)
      : device(which), streams(which), allocator(std::make_unique<CachingAllocator>(which)), pinned(which) {}

  std::uint64_t number = next_runtime_number();
  device::Device& device;
  StreamPool streams;
  std::unique_ptr<DeviceAllocator> allocator;
  PinnedAllocator pinned;
  std::mutex mutex;
  std::vector<std::string> warnings;
};

Runtime::Runtime(device::Device& device) : state_(std::make_unique<State>(device)) {}
Runtime::~Runtime() {
  std::erase_if(current_streams, [this](const Current& entry) { return entry.runtime == state_->number; });
}

device::Device& Runtime::device() noexcept { return state_->device; }
DeviceAllocator& Runtime::allocator() noexcept { return *state_->allocator; }

CachingAllocator& Runtime::caching_allocator() {
  if (auto* caching = dynamic_cast<CachingAllocator*>(state_->allocator.get())) return *caching;
  throw UnsupportedError(fmt::format("needs the caching allocator; the one chosen is {}", state_->allocator->name()));
}

PinnedAllocator& Runtime::pinned_allocator() noexcept { return state_->pinned; }
StreamPool& Runtime::streams() noexcept { return state_->streams; }

device::Stream Runtime::current_stream() const noexcept {
  const auto entry = std::ranges::find(current_streams, state_->number, &Current::runtime);
  return entry == current_streams.end() ? state_->device.default_stream() : entry->stream;
}

void Runtime::set_current_stream(device::Stream stream) noexcept {
  const auto entry = std::ranges::find(current_streams, state_->number, &Current::runtime);
  if (entry == current_streams.end()) {
    current_streams.push_back({state_->number, stream});
  } else {
    entry->stream = stream;
  }
}

void Runtime::set_settings(std::string_view text) {
  allocator().set_settings(text);
  pinned_allocator().apply(allocator().settings());
}

void Runtime::warn(std::string text) {
  const std::scoped_lock lock(state_->mutex);
  state_->warnings.push_back(std::move(text));
}

std::vector<std::string> Runtime::warnings() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->warnings;
}

}  // namespace gpucheck::runtime
