#include "observe/device_trace/tracing_driver.hpp"

#include <unordered_map>
#include <utility>

#include "device/forwarding/forwarding_driver.hpp"
#include "observe/device_trace/event_timer.hpp"
#include "observe/device_trace/traced_calls.hpp"

namespace gpucheck::observe {
namespace {

using device::Activity;
using device::ActivityKind;
using device::Result;
using device::Status;
using device::Stream;

/// Sizes of allocations by address, for frees that do not say them. Thread-safe.
class Sizes {
 public:
  void add(void* pointer, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    sizes_[pointer] = bytes;
  }
  std::size_t take(void* pointer) {
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(pointer);
    if (found == sizes_.end()) return 0;
    const std::size_t bytes = found->second;
    sizes_.erase(found);
    return bytes;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<void*, std::size_t> sizes_;
};

class TracingDevice final : public TracedCalls {
 public:
  TracingDevice(std::unique_ptr<device::Device> inner, std::shared_ptr<TraceRecorder> recorder)
      : TracedCalls(std::move(inner), std::move(recorder)), timer_(ForwardingDevice::inner(), this->recorder()) {}
  TracingDevice(const TracingDevice&) = delete;
  TracingDevice& operator=(const TracingDevice&) = delete;
  ~TracingDevice() override { introduce(); }

  [[nodiscard]] Result<void*> allocate(std::size_t bytes) override {
    return grown(TracedCalls::allocate(bytes), bytes, MemoryKind::device);
  }
  Status free(void* pointer) override { return shrunk(TracedCalls::free(pointer), pointer, MemoryKind::device); }
  [[nodiscard]] Result<void*> allocate_async(std::size_t bytes, Stream stream) override {
    return grown(TracedCalls::allocate_async(bytes, stream), bytes, MemoryKind::device);
  }
  Status free_async(void* pointer, Stream stream) override {
    return shrunk(TracedCalls::free_async(pointer, stream), pointer, MemoryKind::device);
  }
  [[nodiscard]] Result<void*> allocate_pinned(std::size_t bytes) override {
    return grown(TracedCalls::allocate_pinned(bytes), bytes, MemoryKind::pinned);
  }
  Status free_pinned(void* pointer) override {
    return shrunk(TracedCalls::free_pinned(pointer), pointer, MemoryKind::pinned);
  }
  Status register_host(void* pointer, std::size_t bytes) override {
    return changed(TracedCalls::register_host(pointer, bytes), pointer, bytes, MemoryKind::pinned);
  }
  Status unregister_host(void* pointer) override {
    return shrunk(TracedCalls::unregister_host(pointer), pointer, MemoryKind::pinned);
  }
  Status map_memory(void* pointer, std::size_t bytes) override {
    return changed(TracedCalls::map_memory(pointer, bytes), pointer, bytes, MemoryKind::device);
  }
  Status unmap_memory(void* pointer, std::size_t bytes) override {
    return shrunk(TracedCalls::unmap_memory(pointer, bytes), pointer, MemoryKind::device);
  }

  Status copy(void* destination, const void* source, std::size_t bytes, device::CopyKind kind, Stream stream) override {
    return timed({.kind = ActivityKind::copy, .name = "copy", .bytes = bytes}, stream,
                 [&] { return TracedCalls::copy(destination, source, bytes, kind, stream); });
  }
  Status fill(void* destination, std::uint8_t value, std::size_t bytes, Stream stream) override {
    return timed({.kind = ActivityKind::fill, .name = "fill", .bytes = bytes}, stream,
                 [&] { return TracedCalls::fill(destination, value, bytes, stream); });
  }
  Status launch(const device::KernelLaunch& launch, Stream stream) override {
    return timed({.kind = ActivityKind::kernel, .name = std::string(launch.kernel->name)}, stream,
                 [&] { return TracedCalls::launch(launch, stream); });
  }
  Status multiply(const device::MatrixProduct& product, const device::ProductAlgorithm& algorithm,
                  const device::ProductOperands& operands, Stream stream) override {
    return timed({.kind = ActivityKind::kernel, .name = "matrix product"}, stream,
                 [&] { return TracedCalls::multiply(product, algorithm, operands, stream); });
  }
  Status host_callback(Stream stream, device::HostFunction function, void* argument) override {
    return timed({.kind = ActivityKind::host_function, .name = "host function"}, stream,
                 [&] { return TracedCalls::host_callback(stream, function, argument); });
  }
  Status launch(device::GraphExec executable, Stream stream) override {
    return timed({.kind = ActivityKind::kernel, .name = "graph"}, stream,
                 [&] { return TracedCalls::launch(executable, stream); });
  }
  Status begin_capture(Stream stream, device::CaptureMode mode) override {
    const Status status = TracedCalls::begin_capture(stream, mode);
    if (status == Status::success) timer_.capture_begun();
    return status;
  }
  [[nodiscard]] Result<device::Graph> end_capture(Stream stream) override {
    Result<device::Graph> graph = TracedCalls::end_capture(stream);
    timer_.capture_ended();
    return graph;
  }

 private:
  Result<void*> grown(Result<void*> pointer, std::size_t bytes, MemoryKind kind) {
    if (pointer) static_cast<void>(changed(Status::success, *pointer, bytes, kind));
    return pointer;
  }
  Status changed(Status status, void* pointer, std::size_t bytes, MemoryKind kind) {
    if (status != Status::success || pointer == nullptr) return status;
    sizes_.add(pointer, bytes);
    recorder().memory_changed(ordinal(), kind, static_cast<std::int64_t>(bytes));
    return status;
  }
  Status shrunk(Status status, void* pointer, MemoryKind kind) {
    if (status != Status::success) return status;
    const std::size_t bytes = sizes_.take(pointer);
    if (bytes != 0) recorder().memory_changed(ordinal(), kind, -static_cast<std::int64_t>(bytes));
    return status;
  }

  template <typename Work>
  Status timed(Activity activity, Stream stream, Work work) {
    if (recorder().sees_devices()) return work();
    activity.device = ordinal();
    auto start = timer_.before(stream);
    const Status status = work();
    activity.call = last_call();
    if (status == Status::success) timer_.after(std::move(start), std::move(activity), stream);
    return status;
  }

  /// At the end, since asking earlier would make a context that the case may not want yet.
  void introduce() {
    TracedDevice device{.ordinal = ordinal(), .name = inner().properties().name};
    device.default_stream = recorder().number_of(inner().default_stream());
    recorder().add(std::move(device));
  }

  EventTimer timer_;
  Sizes sizes_;
};

class TracingDriver final : public device::ForwardingDriver {
 public:
  TracingDriver(std::unique_ptr<device::Driver> inner, std::shared_ptr<TraceRecorder> recorder)
      : ForwardingDriver(std::move(inner)), recorder_(std::move(recorder)) {}

  [[nodiscard]] Result<std::unique_ptr<device::Device>> open(int ordinal) override {
    Result<std::unique_ptr<device::Device>> opened = ForwardingDriver::open(ordinal);
    if (!opened) return opened.error();
    return std::unique_ptr<device::Device>(std::make_unique<TracingDevice>(std::move(*opened), recorder_));
  }
  [[nodiscard]] device::ActivityRecording record_activity() override {
    return {nullptr, "what these devices do is recorded already"};
  }

 private:
  std::shared_ptr<TraceRecorder> recorder_;
};

}  // namespace

std::unique_ptr<device::Driver> trace(std::unique_ptr<device::Driver> driver, std::shared_ptr<TraceRecorder> recorder) {
  return std::make_unique<TracingDriver>(std::move(driver), std::move(recorder));
}

}  // namespace gpucheck::observe
