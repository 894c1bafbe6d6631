#pragma once

#include <vector>

#include "device/values/handles.hpp"

namespace gpucheck::runtime {

/// What a device may be besides: one that recorded calls are played on. An allocator on it is called by one thread at a
/// time, so that it need not keep others out of its arenas, and some events are not done before the player says so.
/// With thousands of arenas, or frees that wait, looking at all of them at each call would make a play quadratic.
class PlaybackDevice {
 public:
  virtual ~PlaybackDevice() = default;
  /// Whether the event, which was just recorded, is not done before it is released, or waited for.
  [[nodiscard]] virtual bool is_held(device::Event event) const = 0;
  /// Events that were held and have been released since the last call, in that order.
  [[nodiscard]] virtual std::vector<device::Event> take_released() = 0;
};

}  // namespace gpucheck::runtime
