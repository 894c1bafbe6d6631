#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "device/forwarding/forwarding_device.hpp"
#include "device/records/handle_ledger.hpp"

namespace gpucheck::harness {

/// Allocations that were not freed yet.
struct LiveMemory {
  std::size_t allocations = 0;
  std::uint64_t bytes = 0;
};

/// Allocations by address. An address may be there more than once, should a device hand
/// it out so. Thread-safe.
class AllocationLedger {
 public:
  /// Null is ignored.
  void add(void* pointer, std::size_t bytes);
  /// The bytes of the allocation taken out; 0 when there is none.
  std::size_t remove(void* pointer);
  [[nodiscard]] LiveMemory live() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_multimap<void*, std::size_t> allocations_;
};

/// Knows what memory was allocated through it and not freed, and what handles were created
/// and not destroyed. Memory that a graph allocates (allocate_async while capturing)
/// belongs to the graph and is not counted.
class CountingDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

  [[nodiscard]] device::Result<void*> allocate(std::size_t bytes) override;
  device::Status free(void* pointer) override;
  [[nodiscard]] device::Result<void*> allocate_async(std::size_t bytes, device::Stream stream) override;
  device::Status free_async(void* pointer, device::Stream stream) override;
  [[nodiscard]] device::Result<void*> allocate_pinned(std::size_t bytes) override;
  device::Status free_pinned(void* pointer) override;
  device::Status register_host(void* pointer, std::size_t bytes) override;
  device::Status unregister_host(void* pointer) override;
  device::Status map_memory(void* pointer, std::size_t bytes) override;
  device::Status unmap_memory(void* pointer, std::size_t bytes) override;

  [[nodiscard]] device::Result<device::Stream> create_stream(device::StreamKind kind, int priority) override;
  device::Status destroy_stream(device::Stream stream) override;
  [[nodiscard]] device::Result<device::Event> create_event(device::EventKind kind) override;
  device::Status destroy_event(device::Event event) override;
  [[nodiscard]] device::Result<device::Graph> end_capture(device::Stream stream) override;
  device::Status destroy_graph(device::Graph graph) override;
  [[nodiscard]] device::Result<device::GraphExec> instantiate(device::Graph graph) override;
  device::Status destroy_executable(device::GraphExec executable) override;
  [[nodiscard]] device::Result<device::Communicator> create_communicator(const std::vector<int>& ordinals) override;
  [[nodiscard]] device::Result<device::Communicator> join_communicator(const device::Seats& seats) override;
  device::Status destroy_communicator(device::Communicator communicator) override;

  [[nodiscard]] LiveMemory live_device_memory() const { return device_memory_.live(); }
  [[nodiscard]] LiveMemory live_pinned_memory() const { return pinned_memory_.live(); }
  /// The host's own memory that is registered with the driver.
  [[nodiscard]] LiveMemory registered_memory() const { return registered_memory_.live(); }
  [[nodiscard]] device::LiveHandles live_handles() const { return handles_.live(); }

 private:
  AllocationLedger device_memory_;
  AllocationLedger pinned_memory_;
  AllocationLedger registered_memory_;
  device::HandleLedger handles_;
};

}  // namespace gpucheck::harness
