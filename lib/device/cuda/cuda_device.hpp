#pragma once

#include <atomic>
#include <concepts>
#include <cuda_runtime_api.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/cuda/convert.hpp"
#include "device/forwarding/operations.hpp"

namespace gpucheck::cuda {

/// One GPU through the CUDA runtime. Every method makes its GPU the calling thread's
/// current one first; the answer of the CUDA call passes through unchanged.
class CudaDevice final : public device::Device {
 public:
  CudaDevice(int ordinal, device::DeviceProperties properties);

  [[nodiscard]] int ordinal() const noexcept override { return ordinal_; }
  /// The priority range is known only inside a context: the first call creates it.
  [[nodiscard]] const device::DeviceProperties& properties() const noexcept override;

  GPUCHECK_OVERRIDE_OPERATIONS

 private:
  /// Makes this GPU the calling thread's current one; creates its context at first.
  cudaError_t make_current() const noexcept;
  void prepare() const noexcept;

  /// Runs a CUDA call with this GPU current.
  template <std::invocable Call>
  cudaError_t call(Call cuda_call) const {
    const cudaError_t error = make_current();
    return error == cudaSuccess ? cuda_call() : error;
  }
  template <std::invocable Call>
  device::Status status_of(Call cuda_call) const {
    return to_status(call(cuda_call));
  }

  const int ordinal_;
  mutable device::DeviceProperties properties_;  // written once more, by prepare()
  mutable cudaError_t prepared_ = cudaSuccess;
  mutable std::once_flag prepare_once_;
  mutable std::atomic<bool> is_prepared_ = false;  // properties_ and prepared_ change no more
};

/// Creates no context; the greatest stream priority stays 0.
device::Result<device::DeviceProperties> find_properties(int ordinal);

/// Reads the properties of a device. Creates no context.
device::Result<std::unique_ptr<device::Device>> open_device(int ordinal);

}  // namespace gpucheck::cuda
