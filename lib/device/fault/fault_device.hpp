#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "device/fault/planned_device.hpp"
#include "device/fault/shared_blocks.hpp"
#include "device/owned.hpp"

namespace gpucheck::fault {

/// A device that misbehaves as a plan says: the operations that take effects of their own.
/// As thread-safe as the inner device.
class FaultDevice final : public PlannedDevice {
 public:
  using PlannedDevice::launch;
  using PlannedDevice::PlannedDevice;
  using PlannedDevice::query;

  [[nodiscard]] Result<void*> allocate(std::size_t bytes) override;
  Status free(void* pointer) override;
  [[nodiscard]] Result<device::MemoryInfo> memory_info() override;
  [[nodiscard]] Result<device::PointerInfo> pointer_info(const void* pointer) override;

  [[nodiscard]] device::Stream default_stream() const noexcept override;
  Status query(device::Stream stream) override;
  Status query(device::Event event) override;
  [[nodiscard]] Result<float> elapsed_ms(device::Event start, device::Event stop) override;

  Status copy(void* destination, const void* source, std::size_t bytes, device::CopyKind kind,
              device::Stream stream) override;
  Status fill(void* destination, std::uint8_t value, std::size_t bytes, device::Stream stream) override;
  Status launch(const device::KernelLaunch& launch, device::Stream stream) override;

  [[nodiscard]] Result<device::CaptureInfo> capture_info(device::Stream stream) override;
  [[nodiscard]] Result<std::size_t> node_count(device::Graph graph) override;

  [[nodiscard]] std::string error_text(Status status) const override;
  [[nodiscard]] Result<bool> can_access_peer(int peer_ordinal) override;

 private:
  Result<void*> allocate_misaligned(std::size_t bytes);
  /// Launches once more, outside the capture, and waits.
  Status run_now(const device::KernelLaunch& launch);
  /// The stream that `run_now` uses, made when first needed.
  Result<device::Stream> side_stream();

  SharedBlocks blocks_;
  std::mutex side_stream_mutex_;
  device::UniqueStream side_stream_;
};

}  // namespace gpucheck::fault
