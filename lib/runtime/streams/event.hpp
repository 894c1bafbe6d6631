#pragma once

#include <string>
#include <utility>

#include "device/owned.hpp"
#include "runtime/streams/stream.hpp"

namespace gpucheck::runtime {

struct EventOptions {
  bool timing = false;    ///< can be used with `elapsed_ms`
  bool blocking = false;  ///< `synchronize` gives the thread's processor up
  /// Could be known to other processes; not together with `timing`: the first record is then an error.
  bool interprocess = false;
  /// In a capture, record and wait become nodes that act at each launch of the graph.
  bool external = false;
};

/// A point in a stream's work: PyTorch's `torch.cuda.Event`. The device's event is made at
/// the first record, on that stream's device, whose runtime must outlive it. Moves, never
/// copies. Used by one thread at a time, but for `query` and `synchronize`.
class Event {
 public:
  /// Makes no device call.
  explicit Event(EventOptions options = {}) noexcept : options_(options) {}
  Event(Event&& other) noexcept
      : options_(other.options_), runtime_(std::exchange(other.runtime_, nullptr)), event_(std::move(other.event_)) {}
  Event& operator=(Event&& other) noexcept;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { destroy(); }

  /// Covers all that `stream` was given so far. @throws Error when the stream is of another
  /// device than that of the first record; DeviceError, also for options that do not go together.
  void record(const Stream& stream);
  /// What `stream` is given from now on waits for what the event covers; nothing when it
  /// was never recorded. @throws DeviceError.
  void wait(const Stream& stream) const;
  /// Whether all that it covers is done; also when it was never recorded. @throws DeviceError.
  [[nodiscard]] bool query() const;
  /// Waits for what it covers; not at all when it was never recorded. @throws DeviceError.
  void synchronize() const;
  /// Milliseconds from this event to `end`. @throws Error unless both were recorded, can
  /// tell the time, and are done; DeviceError.
  [[nodiscard]] float elapsed_ms(const Event& end) const;

  [[nodiscard]] EventOptions options() const noexcept { return options_; }
  /// Zero until it is recorded.
  [[nodiscard]] device::Event raw() const noexcept { return event_.get(); }
  [[nodiscard]] bool is_created() const noexcept { return runtime_ != nullptr; }

 private:
  [[nodiscard]] device::EventKind kind() const noexcept;
  void create(Runtime& runtime);
  void destroy() noexcept;
  /// Whether work given to the current stream is captured, and this event is to show in it.
  [[nodiscard]] bool is_external_now(Runtime& runtime) const;

  EventOptions options_;
  Runtime* runtime_ = nullptr;  ///< null until it is recorded
  device::UniqueEvent event_;
};

/// PyTorch's words: "<torch.cuda.Event uninitialized>", then "<torch.cuda.Event 0x7f00>".
[[nodiscard]] std::string to_text(const Event& event);

}  // namespace gpucheck::runtime
