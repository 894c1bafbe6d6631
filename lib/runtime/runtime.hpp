#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "runtime/allocator/pool_owners.hpp"
#include "runtime/caching/caching_allocator.hpp"
#include "runtime/pinned/pinned_allocator.hpp"
#include "runtime/pluggable/pluggable_library.hpp"
#include "runtime/settings/allocator_choice.hpp"
#include "runtime/streams/pools/stream_pool.hpp"

/// gpucheck's own deep-learning runtime: behaves as PyTorch's does, on any device.
namespace gpucheck::runtime {

class GpuTraceSink;

/// One device's runtime: its device allocator, its allocator of pinned host memory, its
/// pooled streams and events, the current stream of each thread, and the warnings given. The
/// device must outlive it. Construction makes no device call. Thread-safe.
class Runtime {
 public:
  /// @throws EnvironmentError for an allocator library that cannot be used.
  explicit Runtime(device::Device& device, const AllocatorChoice& choice = {});
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] device::Device& device() noexcept;
  /// The allocator that was chosen for this runtime.
  [[nodiscard]] DeviceAllocator& allocator() noexcept;
  /// The same where only the caching allocator will do: what is not in the interface.
  /// @throws UnsupportedError when another one was chosen.
  [[nodiscard]] CachingAllocator& caching_allocator();
  /// The same for the user's own library.
  [[nodiscard]] const PluggableLibrary& pluggable_library();
  [[nodiscard]] PinnedAllocator& pinned_allocator() noexcept;
  [[nodiscard]] StreamPool& streams() noexcept;
  /// Whose the private pools are.
  [[nodiscard]] PoolOwners& pool_owners() noexcept;
  /// What a floor above keeps for this runtime, such as the default generator: made by the first call for `key`, and
  /// gone before the allocators are. `make` must not call this. @throws as `make` does; the next call then tries again.
  [[nodiscard]] void* kept(const void* key, const std::function<std::shared_ptr<void>()>& make);
  /// All of that goes now, with the memory that it holds, such as workspaces of libraries. Nobody may use it meanwhile.
  void release_kept();
  /// Applies a settings string to the device allocator and to the pinned one.
  /// @throws SettingsError; the settings then stay as they were.
  void set_settings(std::string_view text);

  /// The calling thread's current stream; the device's default stream until set.
  [[nodiscard]] device::Stream current_stream() const noexcept;
  /// `is_external`: it is known by its handle, even if it is one of the pool.
  void set_current_stream(device::Stream stream, bool is_external = false) noexcept;
  [[nodiscard]] bool is_current_stream_external() const noexcept;
  /// The side stream of captures that are given none: one of the pool, the same each time.
  /// @throws DeviceError.
  [[nodiscard]] device::Stream capture_stream();

  /// Waits for all work of the device, or of one stream. @throws DeviceError.
  void synchronize();
  void synchronize(device::Stream stream);

  /// Reports `sink` of what is done with the device from now on; null ends that. Memory is
  /// reported by the caching allocator alone. No call may be in progress when it ends.
  void set_gpu_trace_sink(GpuTraceSink* sink);
  /// Null where nobody listens.
  [[nodiscard]] GpuTraceSink* gpu_trace_sink() const noexcept;

  /// Warnings are kept, not printed: whoever runs the runtime decides.
  void warn(std::string text);
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  template <typename Allocator>
  [[nodiscard]] Allocator& the_allocator(std::string_view needed);

  struct State;
  std::unique_ptr<State> state_;
};

/// Makes `stream` current for a scope on this thread; restores the one before.
class CurrentStreamGuard {
 public:
  CurrentStreamGuard(Runtime& runtime, device::Stream stream, bool is_external = false) noexcept
      : runtime_(runtime),
        previous_(runtime.current_stream()),
        previous_is_external_(runtime.is_current_stream_external()) {
    runtime_.set_current_stream(stream, is_external);
  }
  ~CurrentStreamGuard() { runtime_.set_current_stream(previous_, previous_is_external_); }
  CurrentStreamGuard(const CurrentStreamGuard&) = delete;
  CurrentStreamGuard& operator=(const CurrentStreamGuard&) = delete;

 private:
  Runtime& runtime_;
  device::Stream previous_;
  bool previous_is_external_;
};

namespace detail {

/// Calls `action` for each runtime that there is; none is made or ends meanwhile.
void for_each_runtime(const std::function<void(Runtime&)>& action);

}  // namespace detail

}  // namespace gpucheck::runtime
