#include "runtime/async/async_allocator.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "base/text/units.hpp"
#include "device/check.hpp"
#include "device/relaxed_capture.hpp"
#include "runtime/settings/memory_fraction.hpp"
#include "runtime/streams/pools/is_capturing.hpp"

namespace gpucheck::runtime {
namespace {

using device::Status;

/// PyTorch's rule: captures on other devices, and by other runtimes, count too.
std::atomic<bool> capture_underway_in_process = false;

constexpr std::uint64_t one_exabyte = std::uint64_t{1} << 60U;

AllocatorSettings async_settings() {
  AllocatorSettings settings;
  settings.backend = Backend::async;
  return settings;
}

[[noreturn]] void reject_pointer(const void* pointer) {
  throw Error(fmt::format("{} is not the start of a block in use. Free what allocate returned, and once.", pointer));
}

}  // namespace

AsyncAllocator::AsyncAllocator(device::Device& device, StreamPool& streams, WarningSink warn)
    : LimitedAllocator("cudaMallocAsync", async_settings()),
      device_(device),
      streams_(streams),
      warn_(std::move(warn)),
      events_(device) {}

AsyncAllocator::~AsyncAllocator() {
  if (capture_underway_) capture_underway_in_process = false;
  if (!initialised_) return;
  for (const auto& [pointer, allocation] : allocations_) {
    if (!allocation.captured) static_cast<void>(device_.free_async(pointer, allocation.stream));
  }
  static_cast<void>(device_.synchronize());
  static_cast<void>(device_.set_async_pool_threshold(0));
  static_cast<void>(device_.trim_async_pool(0));
}

// No std::call_once: under the thread sanitizer it never returns again once its function has thrown.
void AsyncAllocator::initialise() {
  if (initialised_) return;
  const std::scoped_lock lock(initialise_mutex_);
  if (initialised_) return;
  device::check_and_clear(device_, device_.set_async_pool_threshold(std::numeric_limits<std::uint64_t>::max()),
                          "set the pool's release threshold");
  initialised_ = true;
}

// ---- allocating -------------------------------------------------------------------------

void* AsyncAllocator::allocate(std::size_t bytes, device::Stream stream) {
  if (bytes >= one_exabyte) throw OutOfMemoryError("CUDA out of memory. Tried to allocate more than 1EB memory.");
  if (bytes == 0) return nullptr;
  initialise();
  const bool captured = detail::is_capturing(device_, stream);
  reserve(bytes);
  const device::Result<void*> memory = [&] {
    try {
      return allocate_on_device(bytes, stream, captured);
    } catch (...) {
      unreserve(bytes);
      throw;
    }
  }();
  if (!memory) {
    unreserve(bytes);
    if (memory.error() != Status::out_of_memory) device::check_and_clear(device_, memory.error(), "allocate_async");
    static_cast<void>(device_.last_error());
    fail(bytes);
  }
  const std::scoped_lock lock(mutex_);
  allocations_.insert_or_assign(*memory, Allocation{bytes, stream, {}, captured});
  return *memory;
}

void AsyncAllocator::reserve(std::uint64_t bytes) {
  std::unique_lock lock(mutex_);
  if (used_ + bytes > limits_.bytes) {
    lock.unlock();
    fail(bytes);
  }
  used_ += bytes;
}

void AsyncAllocator::unreserve(std::uint64_t bytes) noexcept {
  const std::scoped_lock lock(mutex_);
  used_ -= bytes;
}

device::Result<void*> AsyncAllocator::allocate_on_device(std::uint64_t bytes, device::Stream stream, bool captured) {
  if (captured) return device_.allocate_async(bytes, stream);
  const device::RelaxedCapture relaxed(device_);  // another stream may be captured
  return device_.allocate_async(bytes, stream);
}

/// PyTorch 2.11's words.
void AsyncAllocator::fail(std::uint64_t bytes) {
  const device::MemoryInfo memory = device_.memory_info().value();
  std::unique_lock lock(mutex_);
  const std::uint64_t used = used_;
  const std::uint64_t limit = limits_.bytes;
  lock.unlock();
  throw OutOfMemoryError(
      fmt::format("Allocation on device {} would exceed allowed memory. (out of memory)\n"
                  "Currently allocated     : {}\n"
                  "Requested               : {}\n"
                  "Device limit            : {}\n"
                  "Free (according to CUDA): {}\n"
                  "PyTorch limit (set by user-supplied memory fraction)\n"
                  "                        : {}",
                  device_.ordinal(), format_bytes(used), format_bytes(bytes), format_bytes(memory.total_bytes),
                  format_bytes(memory.free_bytes), format_bytes(limit)));
}

// ---- freeing ----------------------------------------------------------------------------

void AsyncAllocator::free(void* pointer) {
  if (pointer == nullptr) return;
  std::unique_lock lock(mutex_);
  const auto found = allocations_.find(pointer);
  if (found == allocations_.end()) reject_pointer(pointer);
  const bool captured = found->second.captured;
  if (capture_underway_ && !captured) {
    if (std::ranges::find(deferred_frees_, pointer) != deferred_frees_.end()) reject_pointer(pointer);
    deferred_frees_.push_back(pointer);
    lock.unlock();
    return warn_once(
        "free() was called on an uncaptured allocation during graph capture. This may be benign; but if the memory is "
        "used by the capture, freeing it is an error and may corrupt memory during graph replay.");
  }
  const bool outside = captured && !capture_underway_;
  const Allocation allocation = std::move(found->second);
  allocations_.erase(found);
  used_ -= allocation.bytes;
  lock.unlock();
  if (outside) {
    warn_(
        fmt::format("Attempting uncaptured free of a captured allocation with address {}. This is technically "
                    "allowed, but may indicate you are losing the last user-visible tensor through which the "
                    "allocation can be accessed, so you'll have no way to view the data after future replays of "
                    "the owning graph.",
                    pointer));
  }
  free_on_device(pointer, allocation);
}

void AsyncAllocator::free_on_device(void* pointer, const Allocation& allocation) {
  if (!allocation.users.empty()) return free_behind_users(pointer, allocation);
  if (allocation.captured) note_captured_free(allocation.stream);
  const Status status = device_.free_async(pointer, allocation.stream);
  // A graph that never ran, or is gone, has allocated nothing.
  if (allocation.captured && status == Status::invalid_value) {
    static_cast<void>(device_.last_error());
    return;
  }
  device::check_and_clear(device_, status, "free_async");
}

void AsyncAllocator::free_behind_users(void* pointer, const Allocation& allocation) {
  const device::Stream unifying = unifying_stream();
  order_after(unifying, allocation.stream);
  for (const device::Stream user : allocation.users) order_after(unifying, user);
  if (allocation.captured) note_captured_free(unifying);
  device::check_and_clear(device_, device_.free_async(pointer, unifying), "free_async");
}

void AsyncAllocator::order_after(device::Stream later, device::Stream earlier) {
  device::UniqueEvent event = events_.take();
  device::check_and_clear(device_, device_.record(event.get(), earlier), "record");
  device::check_and_clear(device_, device_.wait(later, event.get()), "wait");
  events_.release(std::move(event));
}

device::Stream AsyncAllocator::unifying_stream() {
  const std::scoped_lock lock(mutex_);
  if (unifying_stream_ == device::Stream{}) unifying_stream_ = streams_.next();
  return unifying_stream_;
}

void AsyncAllocator::note_captured_free(device::Stream stream) {
  const std::scoped_lock lock(mutex_);
  if (!capture_underway_) return;
  if (std::ranges::find(capture_free_streams_, stream) != capture_free_streams_.end()) return;
  capture_free_streams_.push_back(stream);
}

void AsyncAllocator::record_stream(void* pointer, device::Stream stream) {
  if (pointer == nullptr) return;
  std::unique_lock lock(mutex_);
  const auto found = allocations_.find(pointer);
  if (found == allocations_.end()) return;
  Allocation& allocation = found->second;
  if (allocation.stream == stream) {
    lock.unlock();
    return warn_once(
        "Called record_stream on tensor whose original creation stream matches the recorded stream. This is "
        "unnecessary and has no effect.");
  }
  if (std::ranges::find(allocation.users, stream) == allocation.users.end()) allocation.users.push_back(stream);
}

void AsyncAllocator::empty_cache() {
  if (!initialised_) return;
  device::check_and_clear(device_, device_.synchronize(), "synchronize");
  device::check_and_clear(device_, device_.trim_async_pool(0), "trim the pool");
}

// ---- captures ---------------------------------------------------------------------------

void AsyncAllocator::begin_allocate_to_pool(PoolId, PoolFilter) {
  const std::scoped_lock lock(mutex_);
  if (capture_underway_in_process.exchange(true)) throw Error("Only one capture at a time is allowed in a process.");
  capture_underway_ = true;
}

void AsyncAllocator::join_capture(device::Stream stream) {
  std::unique_lock lock(mutex_);
  const std::vector<device::Stream> others = std::exchange(capture_free_streams_, {});
  lock.unlock();
  // A capture that is broken already is for whoever ends it to hear of.
  const auto is_captured = [&](device::Stream asked) {
    return detail::is_capturing(device_, asked) &&
           device_.capture_info(asked).value().status == device::CaptureStatus::active;
  };
  for (const device::Stream other : others) {
    if (other != stream && is_captured(stream) && is_captured(other)) order_after(stream, other);
  }
}

void AsyncAllocator::end_allocate_to_pool(PoolId) {
  std::unique_lock lock(mutex_);
  if (!capture_underway_) throw Error("No capture is underway. Begin before ending.");
  capture_underway_ = capture_underway_in_process = false;
  capture_free_streams_.clear();
  const std::vector<void*> deferred = std::exchange(deferred_frees_, {});
  lock.unlock();
  std::exception_ptr first;
  for (void* pointer : deferred) {
    try {
      free(pointer);
    } catch (...) {
      if (!first) first = std::current_exception();  // the others are freed all the same
    }
  }
  if (first) std::rethrow_exception(first);
}

// ---- statistics and limits -----------------------------------------------------------------

MemoryStatistics AsyncAllocator::stats() const {
  const device::AsyncPoolUsage usage = device_.async_pool_usage().value();
  const auto statistic_of = [](std::uint64_t now, std::uint64_t peak) {
    Statistic statistic;
    statistic.current = static_cast<std::int64_t>(now);
    statistic.peak = static_cast<std::int64_t>(std::max(now, peak));
    return statistic;
  };
  MemoryStatistics statistics;
  statistics.allocated_bytes.all = statistic_of(usage.used_bytes, usage.used_peak_bytes);
  statistics.active_bytes.all = statistics.allocated_bytes.all;
  statistics.reserved_bytes.all = statistic_of(usage.reserved_bytes, usage.reserved_peak_bytes);
  return statistics;
}

void AsyncAllocator::reset_peak_stats() {
  device::check_and_clear(device_, device_.reset_async_pool_peaks(), "reset the pool's high marks");
}

void AsyncAllocator::reset_accumulated_stats() {
  warn_once("For backend:cudaMallocAsync, resetAccumulatedStats has no effect.");
}

DeviceAllocator::LiveAllocations AsyncAllocator::live_allocations() const {
  const std::scoped_lock lock(mutex_);
  return {allocations_.size() - deferred_frees_.size(), used_};
}

std::vector<SegmentInfo> AsyncAllocator::snapshot() const {
  throw UnsupportedError(
      "Calling snapshot with backend:cudaMallocAsync is not meaningful. (For backend:native, snapshot returns a "
      "detailed summary of all blocks tracked by the allocator, but the cudaMallocAsync backend does not track "
      "individual blocks.)");
}

std::optional<BlockInfo> AsyncAllocator::block_info(const void* pointer) const {
  const std::scoped_lock lock(mutex_);
  const auto found = allocations_.find(const_cast<void*>(pointer));
  if (found == allocations_.end()) return std::nullopt;
  return BlockInfo{reinterpret_cast<std::uintptr_t>(pointer), found->second.bytes, found->second.bytes,
                   BlockState::active_allocated};
}

DeviceAllocator::BaseAllocation AsyncAllocator::base_allocation(const void* pointer) const {
  const std::scoped_lock lock(mutex_);
  const auto found = allocations_.find(const_cast<void*>(pointer));
  if (found == allocations_.end()) reject_pointer(pointer);
  return {found->first, found->second.bytes};
}

void AsyncAllocator::set_memory_fraction(double fraction) {
  require_memory_fraction(fraction);
  const auto total = static_cast<double>(device_.properties().total_memory_bytes);
  const std::scoped_lock lock(mutex_);
  limits_ = {static_cast<std::uint64_t>(fraction * total), fraction};
}

double AsyncAllocator::memory_fraction() const {
  const std::scoped_lock lock(mutex_);
  return limits_.fraction;
}

void AsyncAllocator::warn_once(std::string_view text) {
  {
    const std::scoped_lock lock(mutex_);
    if (!warned_.emplace(text).second) return;
  }
  warn_(std::string(text));
}

void AsyncAllocator::settings_changed(const AllocatorSettings& settings) {
  const bool divides = std::ranges::any_of(settings.roundup_power2_divisions, [](std::uint64_t n) { return n > 1; });
  if (settings.max_split_size == AllocatorSettings::unlimited && !divides &&
      settings.garbage_collection_threshold == 0.0) {
    return;
  }
  warn_once(
      "backend:cudaMallocAsync ignores max_split_size_mb,roundup_power2_divisions, and garbage_collect_threshold.");
}

}  // namespace gpucheck::runtime
