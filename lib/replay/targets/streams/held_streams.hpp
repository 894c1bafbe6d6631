#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "replay/targets/streams/stream_work.hpp"
#include "runtime/caching/frees/playback_device.hpp"

namespace gpucheck::replay {

/// A device with a stream whose work is not there to be played: of each piece of it only the end is known. Pieces are
/// told apart by numbers, and end in any order. Used by one thread.
class HeldStreams final : public StreamWork, public runtime::PlaybackDevice {
 public:
  /// The inner device must outlive it.
  explicit HeldStreams(device::Device& inner) : StreamWork(inner) {}
  ~HeldStreams() override;

  /// The stream, made at the first use. What is recorded on it until the next call is work of that number.
  /// @throws DeviceError.
  device::Stream hold(std::uint16_t number);
  /// What was recorded under that number is done. Nothing where there is none.
  void release(std::uint16_t number);

  using StreamWork::record;
  device::Status record(device::Event event, device::Stream stream) override;
  using ForwardingDevice::synchronize;
  device::Status synchronize(device::Event event) override;

  [[nodiscard]] bool is_held(device::Event event) const override { return held_.contains(event); }
  [[nodiscard]] std::vector<device::Event> take_released() override;

 private:
  device::Stream stream_;
  std::uint16_t number_ = 0;                               ///< that `stream_` works for
  std::unordered_map<device::Event, std::uint16_t> held_;  ///< and the number that each waits for
  std::vector<std::vector<device::Event>> events_;         ///< by number: recorded, and maybe waited for since
  std::vector<device::Event> released_;                    ///< since they were taken last
};

}  // namespace gpucheck::replay
