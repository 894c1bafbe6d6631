#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "device/forwarding_device.hpp"

namespace gpucheck::replay {

/// A device some of whose streams are never seen to be done, until they are released or their end is waited for: for
/// work that is not there to be played, of which only the end is known. Used by one thread.
class HeldStreams final : public device::ForwardingDevice {
 public:
  /// The inner device must outlive it.
  explicit HeldStreams(device::Device& inner) : ForwardingDevice(inner) {}
  ~HeldStreams() override;

  /// The stream with that number: one of its own, made at the first use. Held from now on. @throws DeviceError.
  device::Stream hold(std::uint16_t number);
  /// What was recorded on it is done. Nothing where that number was never held.
  void release(std::uint16_t number);

  device::Status record(device::Event event, device::Stream stream) override;
  using ForwardingDevice::query;
  device::Status query(device::Event event) override;
  using ForwardingDevice::synchronize;
  device::Status synchronize(device::Event event) override;

 private:
  struct Held {
    device::Stream stream;
    bool is_held = false;
  };
  std::vector<Held> streams_;                        ///< by number
  std::map<device::Event, std::uint16_t> recorded_;  ///< on streams that were held then, and not seen to be done
};

}  // namespace gpucheck::replay
