#pragma once

#include <memory>
#include <utility>

#include "device/device.hpp"

namespace gpucheck::device {

/// Base of devices that stand before another one and change some of its calls: every
/// method does what the device behind it does. As thread-safe as that one.
class ForwardingDevice : public Device {
 public:
  explicit ForwardingDevice(std::unique_ptr<Device> behind) noexcept : behind_(std::move(behind)) {}

  [[nodiscard]] int ordinal() const noexcept override { return behind_->ordinal(); }
  [[nodiscard]] const DeviceProperties& properties() const noexcept override { return behind_->properties(); }
  [[nodiscard]] std::string error_text(Status status) const override { return behind_->error_text(status); }

  // -- memory ---------------------------------------------------------------------
  [[nodiscard]] Result<void*> allocate(std::size_t bytes) override { return behind_->allocate(bytes); }
  Status free(void* pointer) override { return behind_->free(pointer); }
  [[nodiscard]] Result<void*> allocate_async(std::size_t bytes, Stream stream) override {
    return behind_->allocate_async(bytes, stream);
  }
  Status free_async(void* pointer, Stream stream) override { return behind_->free_async(pointer, stream); }
  [[nodiscard]] Result<AsyncPoolUsage> async_pool_usage() override { return behind_->async_pool_usage(); }
  Status reset_async_pool_peaks() override { return behind_->reset_async_pool_peaks(); }
  Status set_async_pool_threshold(std::uint64_t bytes) override { return behind_->set_async_pool_threshold(bytes); }
  Status trim_async_pool(std::uint64_t bytes_to_keep) override { return behind_->trim_async_pool(bytes_to_keep); }
  [[nodiscard]] Result<void*> allocate_pinned(std::size_t bytes) override { return behind_->allocate_pinned(bytes); }
  Status free_pinned(void* pointer) override { return behind_->free_pinned(pointer); }
  Status register_host(void* pointer, std::size_t bytes) override { return behind_->register_host(pointer, bytes); }
  Status unregister_host(void* pointer) override { return behind_->unregister_host(pointer); }
  [[nodiscard]] Result<MemoryInfo> memory_info() override { return behind_->memory_info(); }
  [[nodiscard]] Result<PointerInfo> pointer_info(const void* pointer) override {
    return behind_->pointer_info(pointer);
  }

  // -- virtual memory ---------------------------------------------------------------
  [[nodiscard]] Result<void*> reserve_addresses(std::size_t bytes) override {
    return behind_->reserve_addresses(bytes);
  }
  Status release_addresses(void* pointer, std::size_t bytes) override {
    return behind_->release_addresses(pointer, bytes);
  }
  Status map_memory(void* pointer, std::size_t bytes) override { return behind_->map_memory(pointer, bytes); }
  Status unmap_memory(void* pointer, std::size_t bytes) override { return behind_->unmap_memory(pointer, bytes); }

  // -- streams and events -----------------------------------------------------------
  [[nodiscard]] Stream default_stream() const noexcept override { return behind_->default_stream(); }
  [[nodiscard]] Result<Stream> create_stream(StreamKind kind, int priority) override {
    return behind_->create_stream(kind, priority);
  }
  Status destroy_stream(Stream stream) override { return behind_->destroy_stream(stream); }
  Status query(Stream stream) override { return behind_->query(stream); }
  Status synchronize(Stream stream) override { return behind_->synchronize(stream); }
  Status wait(Stream stream, Event event) override { return behind_->wait(stream, event); }
  [[nodiscard]] Result<Event> create_event(EventKind kind) override { return behind_->create_event(kind); }
  Status destroy_event(Event event) override { return behind_->destroy_event(event); }
  Status record(Event event, Stream stream) override { return behind_->record(event, stream); }
  Status query(Event event) override { return behind_->query(event); }
  Status synchronize(Event event) override { return behind_->synchronize(event); }
  [[nodiscard]] Result<float> elapsed_ms(Event start, Event stop) override { return behind_->elapsed_ms(start, stop); }
  Status synchronize() override { return behind_->synchronize(); }

  // -- work ---------------------------------------------------------------------------
  Status copy(void* destination, const void* source, std::size_t bytes, CopyKind kind, Stream stream) override {
    return behind_->copy(destination, source, bytes, kind, stream);
  }
  Status fill(void* destination, std::uint8_t value, std::size_t bytes, Stream stream) override {
    return behind_->fill(destination, value, bytes, stream);
  }
  Status launch(const KernelLaunch& launch, Stream stream) override { return behind_->launch(launch, stream); }
  Status host_callback(Stream stream, HostFunction function, void* argument) override {
    return behind_->host_callback(stream, function, argument);
  }

  // -- graphs --------------------------------------------------------------------------
  Status begin_capture(Stream stream, CaptureMode mode) override { return behind_->begin_capture(stream, mode); }
  [[nodiscard]] Result<Graph> end_capture(Stream stream) override { return behind_->end_capture(stream); }
  [[nodiscard]] Result<CaptureInfo> capture_info(Stream stream) override { return behind_->capture_info(stream); }
  [[nodiscard]] Result<std::vector<GraphNode>> capture_dependencies(Stream stream) override {
    return behind_->capture_dependencies(stream);
  }
  [[nodiscard]] Result<std::vector<GraphNode>> node_dependencies(GraphNode node) override {
    return behind_->node_dependencies(node);
  }
  [[nodiscard]] Result<CaptureMode> exchange_capture_mode(CaptureMode mode) override {
    return behind_->exchange_capture_mode(mode);
  }
  [[nodiscard]] Result<std::size_t> node_count(Graph graph) override { return behind_->node_count(graph); }
  [[nodiscard]] Result<GraphExec> instantiate(Graph graph) override { return behind_->instantiate(graph); }
  Status launch(GraphExec executable, Stream stream) override { return behind_->launch(executable, stream); }
  Status update(GraphExec executable, Graph graph) override { return behind_->update(executable, graph); }
  Status destroy_graph(Graph graph) override { return behind_->destroy_graph(graph); }
  Status destroy_executable(GraphExec executable) override { return behind_->destroy_executable(executable); }

  // -- errors ---------------------------------------------------------------------------
  Status last_error() override { return behind_->last_error(); }
  Status peek_last_error() override { return behind_->peek_last_error(); }

  // -- peers ----------------------------------------------------------------------------
  [[nodiscard]] Result<bool> can_access_peer(int peer_ordinal) override {
    return behind_->can_access_peer(peer_ordinal);
  }
  Status enable_peer_access(int peer_ordinal) override { return behind_->enable_peer_access(peer_ordinal); }

 protected:
  [[nodiscard]] Device& behind() noexcept { return *behind_; }
  [[nodiscard]] const Device& behind() const noexcept { return *behind_; }

 private:
  std::unique_ptr<Device> behind_;
};

}  // namespace gpucheck::device
