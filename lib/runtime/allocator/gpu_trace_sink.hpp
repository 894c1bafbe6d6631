#pragma once

#include <cstdint>

namespace gpucheck::runtime {

/// Told, on the calling thread and without any lock held, of what a runtime's users do
/// with the device: the places where PyTorch's GPU trace fires.
class GpuTraceSink {
 public:
  virtual ~GpuTraceSink() = default;
  /// Memory was allocated, cached or not.
  virtual void memory_allocation(std::uintptr_t address) noexcept = 0;
  /// Memory in use is about to be freed.
  virtual void memory_deallocation(std::uintptr_t address) noexcept = 0;

 protected:
  GpuTraceSink() = default;
  GpuTraceSink(const GpuTraceSink&) = default;
  GpuTraceSink& operator=(const GpuTraceSink&) = default;
};

}  // namespace gpucheck::runtime
