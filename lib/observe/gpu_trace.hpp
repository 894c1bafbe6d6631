#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/values/handles.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::observe {

/// Callbacks for one kind of event, called in the order in which they were added. What a
/// callback throws becomes a warning; the others still run. Thread-safe; a callback may
/// add further ones, which see the next event.
template <typename... Arguments>
class CallbackRegistry {
 public:
  using Callback = std::function<void(Arguments...)>;

  /// `kind` names the event in warnings, for example "CUDA memory allocation".
  CallbackRegistry(std::string_view kind, std::function<void(std::string)> warn)
      : kind_(kind), warn_(std::move(warn)) {}

  void add(Callback callback) {
    const std::scoped_lock lock(mutex_);
    auto callbacks = std::make_shared<std::vector<Callback>>(*callbacks_);
    callbacks->push_back(std::move(callback));
    callbacks_ = std::move(callbacks);
  }

  void fire(Arguments... arguments) const {
    for (const Callback& callback : *current()) {
      try {
        callback(arguments...);
      } catch (const std::exception& error) {
        warn_("Exception in callback for " + kind_ + " registered with gpu trace: " + error.what());
      }
    }
  }

 private:
  using Callbacks = std::shared_ptr<const std::vector<Callback>>;
  [[nodiscard]] Callbacks current() const {
    const std::scoped_lock lock(mutex_);
    return callbacks_;
  }

  std::string kind_;
  std::function<void(std::string)> warn_;
  mutable std::mutex mutex_;
  Callbacks callbacks_ = std::make_shared<std::vector<Callback>>();
};

/// The callbacks of PyTorch's GPU trace, for one runtime: a registry for each kind of event.
/// They are called on the thread that uses the device, without any lock held. Warnings go to
/// the runtime. The runtime must outlive it, and no call of the runtime may be in progress
/// when it is destroyed.
class GpuTrace {
 public:
  explicit GpuTrace(runtime::Runtime& runtime);
  ~GpuTrace();
  GpuTrace(const GpuTrace&) = delete;
  GpuTrace& operator=(const GpuTrace&) = delete;

  /// Nothing fires before. Memory events come from the caching allocator alone.
  void activate();

  /// An event was made: at its first record.
  [[nodiscard]] CallbackRegistry<device::Event>& event_creation() noexcept;
  /// An event is about to be destroyed.
  [[nodiscard]] CallbackRegistry<device::Event>& event_deletion() noexcept;
  /// An event was recorded in a stream.
  [[nodiscard]] CallbackRegistry<device::Event, device::Stream>& event_record() noexcept;
  /// A stream was asked to wait for an event.
  [[nodiscard]] CallbackRegistry<device::Event, device::Stream>& event_wait() noexcept;
  /// Memory was allocated, cached or not: its address on the device.
  [[nodiscard]] CallbackRegistry<std::uintptr_t>& memory_allocation() noexcept;
  /// Memory is about to be freed: its address on the device.
  [[nodiscard]] CallbackRegistry<std::uintptr_t>& memory_deallocation() noexcept;
  /// A stream of the pool was made; all of them are, at the first request for one.
  [[nodiscard]] CallbackRegistry<device::Stream>& stream_creation() noexcept;
  /// The host is about to wait for the device.
  [[nodiscard]] CallbackRegistry<>& device_synchronization() noexcept;
  /// The host is about to wait for a stream.
  [[nodiscard]] CallbackRegistry<device::Stream>& stream_synchronization() noexcept;
  /// The host is about to wait for an event.
  [[nodiscard]] CallbackRegistry<device::Event>& event_synchronization() noexcept;

 private:
  class Sink;
  runtime::Runtime& runtime_;
  std::unique_ptr<Sink> sink_;
  bool is_active_ = false;
};

}  // namespace gpucheck::observe
