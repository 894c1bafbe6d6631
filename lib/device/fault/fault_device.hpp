#pragma once

#include <memory>
#include <mutex>
#include <span>

#include "device/fault/faults.hpp"
#include "device/fault/shared_blocks.hpp"
#include "device/forwarding_device.hpp"
#include "device/owned.hpp"

namespace gpucheck::fault {

/// A device that misbehaves as a plan says. As thread-safe as the device behind it.
class FaultDevice final : public device::ForwardingDevice {
 public:
  using Status = device::Status;
  using Stream = device::Stream;
  using Event = device::Event;
  using Graph = device::Graph;
  using GraphExec = device::GraphExec;
  template <typename T>
  using Result = device::Result<T>;

  FaultDevice(std::unique_ptr<device::Device> behind, std::shared_ptr<Faults> faults) noexcept;

  [[nodiscard]] std::string error_text(Status status) const override;

  [[nodiscard]] Result<void*> allocate(std::size_t bytes) override;
  Status free(void* pointer) override;
  [[nodiscard]] Result<void*> allocate_async(std::size_t bytes, Stream stream) override;
  Status free_async(void* pointer, Stream stream) override;
  [[nodiscard]] Result<device::AsyncPoolUsage> async_pool_usage() override;
  Status reset_async_pool_peaks() override;
  Status set_async_pool_threshold(std::uint64_t bytes) override;
  Status trim_async_pool(std::uint64_t bytes_to_keep) override;
  [[nodiscard]] Result<void*> allocate_pinned(std::size_t bytes) override;
  Status free_pinned(void* pointer) override;
  Status register_host(void* pointer, std::size_t bytes) override;
  Status unregister_host(void* pointer) override;
  [[nodiscard]] Result<void*> reserve_addresses(std::size_t bytes) override;
  Status release_addresses(void* pointer, std::size_t bytes) override;
  Status map_memory(void* pointer, std::size_t bytes) override;
  Status unmap_memory(void* pointer, std::size_t bytes) override;
  [[nodiscard]] Result<device::MemoryInfo> memory_info() override;
  [[nodiscard]] Result<device::PointerInfo> pointer_info(const void* pointer) override;

  [[nodiscard]] Stream default_stream() const noexcept override;
  [[nodiscard]] Result<Stream> create_stream(device::StreamKind kind, int priority) override;
  Status destroy_stream(Stream stream) override;
  Status query(Stream stream) override;
  Status synchronize(Stream stream) override;
  Status wait(Stream stream, Event event) override;
  [[nodiscard]] Result<Event> create_event(device::EventKind kind) override;
  Status destroy_event(Event event) override;
  Status record(Event event, Stream stream) override;
  Status query(Event event) override;
  Status synchronize(Event event) override;
  [[nodiscard]] Result<float> elapsed_ms(Event start, Event stop) override;
  Status synchronize() override;

  Status copy(void* destination, const void* source, std::size_t bytes, device::CopyKind kind, Stream stream) override;
  Status fill(void* destination, std::uint8_t value, std::size_t bytes, Stream stream) override;
  Status launch(const device::KernelLaunch& launch, Stream stream) override;
  Status host_callback(Stream stream, device::HostFunction function, void* argument) override;

  Status begin_capture(Stream stream, device::CaptureMode mode) override;
  [[nodiscard]] Result<Graph> end_capture(Stream stream) override;
  [[nodiscard]] Result<device::CaptureInfo> capture_info(Stream stream) override;
  [[nodiscard]] Result<std::vector<device::GraphNode>> capture_dependencies(Stream stream) override;
  [[nodiscard]] Result<std::vector<device::GraphNode>> node_dependencies(device::GraphNode node) override;
  [[nodiscard]] Result<device::CaptureMode> exchange_capture_mode(device::CaptureMode mode) override;
  [[nodiscard]] Result<std::size_t> node_count(Graph graph) override;
  [[nodiscard]] Result<GraphExec> instantiate(Graph graph) override;
  Status launch(GraphExec executable, Stream stream) override;
  Status update(GraphExec executable, Graph graph) override;
  Status destroy_graph(Graph graph) override;
  Status destroy_executable(GraphExec executable) override;

  Status last_error() override;
  Status peek_last_error() override;

  [[nodiscard]] Result<bool> can_access_peer(int peer_ordinal) override;
  Status enable_peer_access(int peer_ordinal) override;

 private:
  // Each makes one counted call, unless the plan says otherwise. `change` carries out
  // the effects that only some operations take; it gets the rule and the call.
  template <typename Call, typename Change>
  Status status_of(Operation operation, Call call, Change change);
  template <typename Call>
  Status status_of(Operation operation, Call call);
  template <typename Call, typename Change>
  auto value_of(Operation operation, Call call, Change change) -> decltype(call());
  template <typename Call>
  auto value_of(Operation operation, Call call) -> decltype(call());

  [[nodiscard]] Status shown(Status status) const noexcept;
  /// Launches once more, outside the capture, and waits.
  Status run_now(const device::KernelLaunch& launch);
  /// The stream that `run_now` uses, made when first needed.
  Result<Stream> side_stream();

  std::shared_ptr<Faults> faults_;
  SharedBlocks blocks_;
  std::mutex side_stream_mutex_;
  device::UniqueStream side_stream_;
};

}  // namespace gpucheck::fault
