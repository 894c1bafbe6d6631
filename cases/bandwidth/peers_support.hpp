#pragma once

#include <string>
#include <vector>

#include "cases/shared/bandwidth_support.hpp"

namespace gpucheck::cases::in_bandwidth {

/// Lets kernels and copies of `device` reach the memory of `peer`, from now on in this process. Whether they can.
bool let_reach(device::Device& device, const device::Device& peer);

/// One way of moving memory, over all devices or pairs that were measured: the slowest, and the widest spread.
class Slowest {
 public:
  explicit Slowest(std::string name) : name_(std::move(name)) {}

  void add(const Samples& samples);
  /// 10^9 bytes a second; 0 where nothing was measured.
  [[nodiscard]] double gbps() const noexcept { return gbps_; }
  /// The widest.
  [[nodiscard]] double spread_percent() const noexcept { return spread_percent_; }
  /// `<name>_gbps` and `<name>_spread_percent`.
  void observe(harness::Context& context) const;

 private:
  std::string name_;
  std::size_t measured_ = 0;
  double gbps_ = 0;
  double spread_percent_ = 0;
};

/// A stream, and the device that it is of.
struct DeviceStream {
  device::Device* device;
  device::Stream stream;
};

/// The measurement's own.
[[nodiscard]] DeviceStream stream_of(Measurement& measurement);

/// Streams of several devices that begin work together.
class Together {
 public:
  /// Of `leader` a sample's time is taken. @throws DeviceError, as all of this does.
  Together(DeviceStream leader, const std::vector<DeviceStream>& others);

  /// Gives each stream its own part of a sample, `work`: none begins before all can, and the sample ends with the last.
  void run(const Work& work) const;

 private:
  struct Follower {
    DeviceStream own;
    device::UniqueEvent done;
  };
  DeviceStream leader_;
  device::UniqueEvent begun_;
  std::vector<Follower> followers_;
};

}  // namespace gpucheck::cases::in_bandwidth
