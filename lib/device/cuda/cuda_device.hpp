#pragma once

#include <concepts>
#include <cuda_runtime_api.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/cuda/convert.hpp"
#include "device/device.hpp"

namespace gpucheck::cuda {

/// One GPU through the CUDA runtime. Every method makes its GPU the calling thread's
/// current one first; the answer of the CUDA call passes through unchanged.
class CudaDevice final : public device::Device {
 public:
  CudaDevice(int ordinal, device::DeviceProperties properties);

  [[nodiscard]] int ordinal() const noexcept override { return ordinal_; }
  /// The priority range is known only inside a context: the first call creates it.
  [[nodiscard]] const device::DeviceProperties& properties() const noexcept override;
  [[nodiscard]] std::string error_text(device::Status status) const override;

  [[nodiscard]] device::Result<void*> allocate(std::size_t bytes) override;
  device::Status free(void* pointer) override;
  [[nodiscard]] device::Result<void*> allocate_async(std::size_t bytes, device::Stream stream) override;
  device::Status free_async(void* pointer, device::Stream stream) override;
  [[nodiscard]] device::Result<device::AsyncPoolUsage> async_pool_usage() override;
  device::Status reset_async_pool_peaks() override;
  device::Status set_async_pool_threshold(std::uint64_t bytes) override;
  device::Status trim_async_pool(std::uint64_t bytes_to_keep) override;
  [[nodiscard]] device::Result<void*> allocate_pinned(std::size_t bytes) override;
  device::Status free_pinned(void* pointer) override;
  device::Status register_host(void* pointer, std::size_t bytes) override;
  device::Status unregister_host(void* pointer) override;
  [[nodiscard]] device::Result<void*> reserve_addresses(std::size_t bytes) override;
  device::Status release_addresses(void* pointer, std::size_t bytes) override;
  device::Status map_memory(void* pointer, std::size_t bytes) override;
  device::Status unmap_memory(void* pointer, std::size_t bytes) override;
  [[nodiscard]] device::Result<device::MemoryInfo> memory_info() override;
  [[nodiscard]] device::Result<device::PointerInfo> pointer_info(const void* pointer) override;

  [[nodiscard]] device::Stream default_stream() const noexcept override { return device::legacy_default_stream; }
  [[nodiscard]] device::Result<device::Stream> create_stream(device::StreamKind kind, int priority) override;
  device::Status destroy_stream(device::Stream stream) override;
  device::Status query(device::Stream stream) override;
  device::Status synchronize(device::Stream stream) override;
  device::Status wait(device::Stream stream, device::Event event) override;
  [[nodiscard]] device::Result<device::Event> create_event(device::EventKind kind) override;
  device::Status destroy_event(device::Event event) override;
  device::Status record(device::Event event, device::Stream stream) override;
  device::Status query(device::Event event) override;
  device::Status synchronize(device::Event event) override;
  [[nodiscard]] device::Result<float> elapsed_ms(device::Event start, device::Event stop) override;
  device::Status synchronize() override;

  device::Status copy(void* destination, const void* source, std::size_t bytes, device::CopyKind kind,
                      device::Stream stream) override;
  device::Status fill(void* destination, std::uint8_t value, std::size_t bytes, device::Stream stream) override;
  device::Status launch(const device::KernelLaunch& launch, device::Stream stream) override;
  device::Status host_callback(device::Stream stream, device::HostFunction function, void* argument) override;

  device::Status begin_capture(device::Stream stream, device::CaptureMode mode) override;
  [[nodiscard]] device::Result<device::Graph> end_capture(device::Stream stream) override;
  [[nodiscard]] device::Result<device::CaptureInfo> capture_info(device::Stream stream) override;
  [[nodiscard]] device::Result<std::vector<device::GraphNode>> capture_dependencies(device::Stream stream) override;
  [[nodiscard]] device::Result<std::vector<device::GraphNode>> node_dependencies(device::GraphNode node) override;
  [[nodiscard]] device::Result<device::CaptureMode> exchange_capture_mode(device::CaptureMode mode) override;
  [[nodiscard]] device::Result<std::size_t> node_count(device::Graph graph) override;
  [[nodiscard]] device::Result<device::GraphExec> instantiate(device::Graph graph) override;
  device::Status launch(device::GraphExec executable, device::Stream stream) override;
  device::Status update(device::GraphExec executable, device::Graph graph) override;
  device::Status destroy_graph(device::Graph graph) override;
  device::Status destroy_executable(device::GraphExec executable) override;

  device::Status last_error() override;
  device::Status peek_last_error() override;

  [[nodiscard]] device::Result<bool> can_access_peer(int peer_ordinal) override;
  device::Status enable_peer_access(int peer_ordinal) override;

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
};

/// Reads the properties of a device. Creates no context.
device::Result<std::unique_ptr<device::Device>> open_device(int ordinal);

}  // namespace gpucheck::cuda
