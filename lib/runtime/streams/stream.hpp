#pragma once

#include <cstdint>
#include <string>

#include "device/values/handles.hpp"
#include "runtime/devices/current_device.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::runtime {

class Event;
class StreamScope;

/// c10::DeviceType's numbers.
enum class DeviceType : std::int8_t { cpu = 0, cuda = 1 };

/// What a stream is known by where any kind of device may be meant: numbers alone, that can
/// be kept and sent.
struct StreamHandle {
  std::int64_t id = 0;
  int device_index = 0;
  DeviceType device_type = DeviceType::cuda;
  bool operator==(const StreamHandle&) const = default;
};

/// A stream of a runtime's device: PyTorch's `torch.cuda.Stream`. A value; it owns nothing,
/// and the runtime must outlive it. Thread-safe.
class Stream {
 public:
  /// The next of the pool; see StreamPool::next. @throws DeviceError.
  [[nodiscard]] static Stream from_pool(Runtime& runtime, int priority = 0);
  [[nodiscard]] static Stream default_of(Runtime& runtime);
  /// The calling thread's current stream.
  [[nodiscard]] static Stream current(Runtime& runtime);
  /// One that somebody else made and destroys: PyTorch's `ExternalStream`.
  [[nodiscard]] static Stream external(Runtime& runtime, device::Stream raw);
  /// The stream that `handle()` belongs to. @throws Error for a handle of another device or
  /// kind of device, or with an id that no stream has; DeviceError.
  [[nodiscard]] static Stream from_handle(Runtime& runtime, StreamHandle handle);

  [[nodiscard]] Runtime& runtime() const noexcept { return *runtime_; }
  [[nodiscard]] device::Stream raw() const noexcept { return raw_; }
  /// See StreamPool::stream_id; of an external stream the raw handle.
  [[nodiscard]] std::int64_t id() const noexcept { return id_; }
  [[nodiscard]] StreamHandle handle() const;
  /// 0 is lowest, negative is higher.
  [[nodiscard]] int priority() const;

  /// See StreamScope.
  [[nodiscard]] StreamScope make_current() const;

  /// Whether all of its work is done. @throws DeviceError.
  [[nodiscard]] bool query() const;
  /// Waits for all of its work. @throws DeviceError.
  void synchronize() const;
  /// What it is given from now on waits for what `event` covers. As Event::wait.
  void wait_event(const Event& event) const;
  /// The same for all that `other` was given so far. @throws DeviceError.
  void wait_stream(const Stream& other) const;
  /// A new event, without timing, that covers all it was given so far. @throws DeviceError.
  [[nodiscard]] Event record_event() const;

  /// The same device and id.
  [[nodiscard]] bool operator==(const Stream& other) const;

 private:
  Stream(Runtime& runtime, device::Stream raw, std::int64_t id) noexcept : runtime_(&runtime), raw_(raw), id_(id) {}

  Runtime* runtime_;
  device::Stream raw_;
  std::int64_t id_;
};

/// Makes a stream, and its device, the calling thread's current ones; restores both at the
/// end. PyTorch's `with torch.cuda.stream(...)`.
class StreamScope {
 public:
  explicit StreamScope(const Stream& stream) noexcept
      : device_(stream.runtime().device().ordinal()),
        stream_(stream.runtime(), stream.raw(), stream.id() == id_outside_pools(stream.raw())) {}

 private:
  CurrentDeviceGuard device_;
  CurrentStreamGuard stream_;
};

inline StreamScope Stream::make_current() const { return StreamScope(*this); }

/// PyTorch's words: "<torch.cuda.Stream device=cuda:0 cuda_stream=0x0>".
[[nodiscard]] std::string to_text(const Stream& stream);

}  // namespace gpucheck::runtime
