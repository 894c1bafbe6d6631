#pragma once

#include <chrono>
#include <cstdint>

#include "device/check.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "device/owned.hpp"

/// What the cases share in which a stream is still at work while its memory is freed.
namespace gpucheck::cases::in_alloc {

/// How long a stream is held: long beside what the host does meanwhile, which takes
/// microseconds.
inline constexpr std::chrono::milliseconds hold_time{100};

/// Gives a stream work for `hold_time`, and knows whether that is done.
class HeldStream {
 public:
  /// @throws DeviceError.
  HeldStream(device::Device& device, device::Stream stream)
      : device_(device),
        end_(device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::no_timing))) {
    const auto duration = std::chrono::nanoseconds(hold_time).count();
    const device::kernels::Spin spin{static_cast<std::uint64_t>(duration)};
    device::check(device, device::launch(device, spin, 1, stream), "spin");
    device::check(device, device.record(end_.get(), stream), "record");
  }

  /// @throws DeviceError.
  [[nodiscard]] bool is_done() const {
    const device::Status status = device_.query(end_.get());
    if (status == device::Status::not_ready) {
      static_cast<void>(device_.last_error());  // an unfinished event is not an error to keep
      return false;
    }
    device::check(device_, status, "query");
    return true;
  }

 private:
  device::Device& device_;
  device::UniqueEvent end_;
};

/// Waits for a little work of a stream that is not held: what nothing holds is done then. @throws DeviceError.
inline void wait_beside(device::Device& device, device::Stream stream) {
  device::check(device, device::launch(device, device::kernels::Spin{2'000'000}, 1, stream), "spin");
  device::check(device, device.synchronize(stream), "synchronize");
}

/// Whatever `later` is given from now on comes after what `earlier` was given. @throws DeviceError.
inline void order(device::Device& device, device::Stream earlier, device::Stream later) {
  const auto event = device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::no_timing));
  device::check(device, device.record(event.get(), earlier), "record");
  device::check(device, device.wait(later, event.get()), "wait");
}

}  // namespace gpucheck::cases::in_alloc
