#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "device/owned.hpp"
#include "observe/device_trace/trace_recorder.hpp"

namespace gpucheck::observe {

/// Times what streams are given with a pair of events around it, for devices that have no
/// recorder. Work of captures is not timed: the events would become part of the graph.
/// Thread-safe; reads the times when it goes.
class EventTimer {
 public:
  EventTimer(device::Device& device, TraceRecorder& recorder) noexcept : device_(device), recorder_(recorder) {}
  ~EventTimer();
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  void capture_begun() noexcept;
  void capture_ended() noexcept;

  /// Before the work; nothing where it cannot be timed.
  [[nodiscard]] std::optional<device::UniqueEvent> before(device::Stream stream);
  /// After it; `activity` has all but its times.
  void after(std::optional<device::UniqueEvent> start, device::Activity activity, device::Stream stream);

 private:
  struct Timed {
    device::Activity activity;
    device::UniqueEvent start;
    device::UniqueEvent end;
  };
  /// The moment that times are measured from, on both clocks.
  struct Origin {
    device::UniqueEvent event;
    std::uint64_t host_ns = 0;
  };
  [[nodiscard]] std::optional<device::UniqueEvent> record(device::Stream stream);
  void set_origin();

  device::Device& device_;
  TraceRecorder& recorder_;
  std::mutex mutex_;
  int open_captures_ = 0;
  std::optional<Origin> origin_;
  std::vector<Timed> timed_;
};

}  // namespace gpucheck::observe
