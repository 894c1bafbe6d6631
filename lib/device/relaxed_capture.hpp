#pragma once

#include <new>

#include "device/topics/graphs.hpp"

namespace gpucheck::device {

/// For a scope, the calling thread may do what open captures forbid, and breaks none.
class RelaxedCapture {
 public:
  /// @throws DeviceError when the thread's mode cannot be set.
  explicit RelaxedCapture(Graphs& graphs) : RelaxedCapture(graphs, std::nothrow) {
    static_cast<void>(previous_.value());
  }
  /// Goes on where the mode cannot be set: the captures then forbid what they forbid.
  RelaxedCapture(Graphs& graphs, std::nothrow_t)
      : graphs_(graphs), previous_(graphs.exchange_capture_mode(CaptureMode::relaxed)) {}
  ~RelaxedCapture() {
    if (previous_) static_cast<void>(graphs_.exchange_capture_mode(*previous_));
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  Graphs& graphs_;
  Result<CaptureMode> previous_;
};

}  // namespace gpucheck::device
