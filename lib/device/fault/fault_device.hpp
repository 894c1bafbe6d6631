#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/fault/broken_memory.hpp"
#include "device/fault/planned_device.hpp"
#include "device/fault/shared_blocks.hpp"
#include "device/owned.hpp"
#include "device/records/handle_ledger.hpp"

namespace gpucheck::fault {

/// A device that misbehaves as a plan says: the operations that take effects of their own.
/// As thread-safe as the inner device.
class FaultDevice final : public PlannedDevice {
 public:
  /// `handles` hears what is created and destroyed on the inner device.
  FaultDevice(std::unique_ptr<device::Device> inner, std::shared_ptr<Faults> faults,
              std::shared_ptr<device::HandleLedger> handles) noexcept
      : PlannedDevice(std::move(inner), std::move(faults)), handles_(std::move(handles)) {}

  using PlannedDevice::launch;
  using PlannedDevice::query;

  [[nodiscard]] Result<void*> allocate(std::size_t bytes) override;
  Status free(void* pointer) override;
  [[nodiscard]] Result<device::MemoryInfo> memory_info() override;
  [[nodiscard]] Result<device::PointerInfo> pointer_info(const void* pointer) override;

  [[nodiscard]] device::Stream default_stream() const noexcept override;
  [[nodiscard]] Result<device::Stream> create_stream(device::StreamKind kind, int priority) override;
  Status destroy_stream(device::Stream stream) override;
  [[nodiscard]] Result<device::Event> create_event(device::EventKind kind) override;
  Status destroy_event(device::Event event) override;
  Status query(device::Stream stream) override;
  Status query(device::Event event) override;
  [[nodiscard]] Result<float> elapsed_ms(device::Event start, device::Event stop) override;

  Status copy(void* destination, const void* source, std::size_t bytes, device::CopyKind kind,
              device::Stream stream) override;
  Status fill(void* destination, std::uint8_t value, std::size_t bytes, device::Stream stream) override;
  Status launch(const device::KernelLaunch& launch, device::Stream stream) override;

  [[nodiscard]] Result<device::VendorLibrary> math_library() override;
  Status multiply(const device::MatrixProduct& product, const device::ProductAlgorithm& algorithm,
                  const device::ProductOperands& operands, device::Stream stream) override;

  [[nodiscard]] Result<device::VendorLibrary> collective_library() override;
  [[nodiscard]] Result<device::Communicator> create_communicator(const std::vector<int>& ordinals) override;
  [[nodiscard]] Result<device::Communicator> join_communicator(const device::Seats& seats) override;
  Status destroy_communicator(device::Communicator communicator) override;
  Status communicate(device::Communicator communicator, const device::Collective& collective,
                     const std::vector<device::RankOperands>& operands) override;

  [[nodiscard]] Result<device::CaptureInfo> capture_info(device::Stream stream) override;
  [[nodiscard]] Result<device::Graph> end_capture(device::Stream stream) override;
  [[nodiscard]] Result<std::size_t> node_count(device::Graph graph) override;
  [[nodiscard]] Result<device::GraphExec> instantiate(device::Graph graph) override;
  Status destroy_graph(device::Graph graph) override;
  Status destroy_executable(device::GraphExec executable) override;

  [[nodiscard]] std::string error_text(Status status) const override;
  [[nodiscard]] Result<bool> can_access_peer(int peer_ordinal) override;

 private:
  Result<void*> allocate_misaligned(std::size_t bytes);
  /// Breaks memory that was just allocated, when the rule's condition holds.
  void break_memory(ArmedRule& rule, const Written& memory);
  Status launch_disturbed(ArmedRule& rule, const device::KernelLaunch& launch, device::Stream stream);
  /// Launches once more, outside the capture, and waits.
  Status run_now(const device::KernelLaunch& launch);
  /// The stream that `run_now` uses, made when first needed.
  Result<device::Stream> side_stream();

  /// This device's place in a communicator.
  struct Place {
    std::size_t operands = 0;  ///< which of a call's operands are this device's
    int ranks = 0;             ///< of all processes
  };
  void remember(device::Communicator communicator, const std::vector<int>& ordinals, int ranks);
  [[nodiscard]] Place place_in(device::Communicator communicator) const;

  SharedBlocks blocks_;
  BrokenMemory broken_;
  std::shared_ptr<device::HandleLedger> handles_;
  mutable std::mutex places_mutex_;
  std::map<device::Communicator, Place> places_;
  std::mutex side_stream_mutex_;
  device::UniqueStream side_stream_;
};

}  // namespace gpucheck::fault
