#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "device/device.hpp"
#include "device/sim/costs.hpp"
#include "device/sim/machine.hpp"

namespace gpucheck::sim {

/// A device of the simulated machine. Every call takes the machine's mutex, is counted,
/// costs the host some virtual time, and lets happen what is complete by then.
class SimulatedDevice final : public device::Device {
 public:
  /// `position` among the visible devices; `index` within the machine.
  SimulatedDevice(std::shared_ptr<Machine> machine, int position, int index, std::vector<int> visible);

  [[nodiscard]] int ordinal() const noexcept override { return position_; }
  [[nodiscard]] const device::DeviceProperties& properties() const noexcept override { return properties_; }
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
  enum class AfterSticky { fails, works };
  /// The runtime API remembers its errors for `last_error`; the driver API does not.
  enum class LastError { recorded, untouched };

  template <typename T>
  static device::Status status_of(const device::Result<T>& result) {
    return result ? device::Status::success : result.error();
  }
  static device::Status status_of(device::Status status) { return status; }

  /// The frame of every call. `name` is static text.
  template <typename Body>
  std::invoke_result_t<Body> call(std::string_view name, Body body, AfterSticky after_sticky = AfterSticky::fails,
                                  std::uint64_t cost_ns = costs::api_call_ns,
                                  LastError last_error = LastError::recorded) {
    if (Timeline::inside_host_function()) return device::Status::not_permitted;
    const std::lock_guard lock(machine_->timeline.mutex());
    begin_call(name, cost_ns);
    if (context_.sticky != device::Status::success && after_sticky == AfterSticky::fails) {
      return machine_->thread().last_error = context_.sticky;
    }
    std::invoke_result_t<Body> result = body();
    const device::Status status = status_of(result);
    const bool is_error = status != device::Status::success && status != device::Status::not_ready;
    if (is_error && last_error == LastError::recorded) {
      machine_->thread().last_error = status;
    }
    return result;
  }

  enum class Place { device, page_locked, pageable, nowhere };

  // All of these want the mutex held.
  void begin_call(std::string_view name, std::uint64_t cost_ns);
  [[nodiscard]] Place place(const void* pointer, std::size_t bytes, const StreamState& stream) const;
  /// A stream that work may be sent to now.
  device::Result<StreamState*> target(device::Stream handle);
  /// A stream that the host may wait for or ask about now.
  device::Result<StreamState*> waitable(device::Stream handle);
  device::Result<const StreamState*> capture_stream(device::Stream handle);
  /// Enqueues work, or adds a node to the graph that the stream captures.
  void submit(StreamState& stream, Work work);
  device::Status copy_now(StreamState& stream, CopyBytes copy, device::CopyKind kind, Place from, Place to);
  device::Status captured_allocation(StreamState& stream, std::size_t bytes, void*& pointer);
  device::Status captured_free(StreamState& stream, std::uintptr_t address);
  device::Status wait_for_captured(StreamState& stream, const EventState& event);
  device::Status refuse_captured(const EventState& event);
  device::Status finish_capture(StreamState& stream);
  [[nodiscard]] std::uint64_t memory_ns(std::uint64_t bytes) const noexcept;

  Timeline& timeline() noexcept { return machine_->timeline; }

  std::shared_ptr<Machine> machine_;
  int position_;
  int index_;
  std::vector<int> visible_;  // machine's indices of the visible devices
  Context& context_;
  device::DeviceProperties properties_;
};

}  // namespace gpucheck::sim
