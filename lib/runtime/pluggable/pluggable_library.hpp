#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "device/device.hpp"
#include "runtime/settings/allocator_choice.hpp"

namespace gpucheck::runtime {

/// An allocator of the user's in a shared library, with the ABI of PyTorch's pluggable
/// allocators: `void* allocate(size_t bytes, int device, cudaStream_t stream)` and
/// `void free(void* pointer, size_t bytes, int device, cudaStream_t stream)`.
///
/// A library usually calls the CUDA runtime itself, and so works on a GPU only. One that
/// exports `gpucheck_set_device_memory` is given functions that work on any device, the
/// simulated one included, before its first call:
///
///     void gpucheck_set_device_memory(void* (*allocate)(void* context, size_t bytes),
///                                     void (*free)(void* context, void* pointer),
///                                     int (*wait)(void* context), void* context);
///
/// `allocate` gives null when there is no memory; `free` does not wait; `wait` waits for
/// all work of the device and returns 0 when it is done. They may be called from any
/// thread while the allocator exists. A free that the device rejects is counted: the
/// library cannot be known.
///
/// PyTorch's optional functions (`init_fn`, `reset_fn`, `memory_fraction_fn`,
/// `record_stream_fn`, the pool functions) are never called: a program passes them as
/// pointers, and no name is agreed on by which a library could export them.
///
/// As thread-safe as the library. The device must outlive it.
class PluggableLibrary {
 public:
  /// What a library exports. The stream is the device's own handle.
  struct Functions {
    void* (*allocate)(std::size_t bytes, int device, void* stream) = nullptr;
    void (*free)(void* pointer, std::size_t bytes, int device, void* stream) = nullptr;
    /// `gpucheck_set_device_memory`; may be missing.
    void (*set_device_memory)(void* (*allocate)(void* context, std::size_t bytes),
                              void (*free)(void* context, void* pointer), int (*wait)(void* context),
                              void* context) = nullptr;
  };

  /// Opens the library and never closes it: it may hold memory or threads.
  /// @throws EnvironmentError when it or one of its functions cannot be found.
  PluggableLibrary(device::Device& device, const AllocatorChoice& choice);
  /// Functions of this program's own; `name` is for messages.
  PluggableLibrary(device::Device& device, std::string name, const Functions& functions);
  PluggableLibrary(const PluggableLibrary&) = delete;
  PluggableLibrary& operator=(const PluggableLibrary&) = delete;

  /// Whether it was given functions for the device's memory: it exports
  /// `gpucheck_set_device_memory`.
  [[nodiscard]] bool takes_device_memory() const noexcept { return functions_.set_device_memory != nullptr; }
  /// For a simulated device, whose memory nobody else can allocate.
  /// @throws EnvironmentError, with what to do, for one that does not take it.
  void require_device_memory() const;
  /// Memory that it freed and that the device did not know, twice freed for example.
  [[nodiscard]] std::uint64_t failed_frees() const noexcept { return failed_frees_; }

  /// The library's own answers: nothing is checked. One that throws ends the process, with what it threw on stderr.
  [[nodiscard]] void* allocate(std::size_t bytes, device::Stream stream) const noexcept;
  void free(void* pointer, std::size_t bytes, device::Stream stream) const noexcept;

 private:
  static void* allocate_memory(void* context, std::size_t bytes);
  static void free_memory(void* context, void* pointer);
  static int wait_for_device(void* context);

  device::Device& device_;
  std::string name_;
  int ordinal_;
  std::atomic<std::uint64_t> failed_frees_ = 0;
  Functions functions_;
};

}  // namespace gpucheck::runtime
