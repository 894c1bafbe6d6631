#include "cases/bandwidth/peers_support.hpp"

#include <algorithm>

namespace gpucheck::cases::in_bandwidth {
namespace {

device::UniqueEvent event_of(const DeviceStream& own) {
  return device::own<device::UniqueEvent>(*own.device, own.device->create_event(device::EventKind::no_timing));
}

void record(const DeviceStream& own, const device::UniqueEvent& event) {
  device::check(*own.device, own.device->record(event.get(), own.stream), "record");
}

void wait(const DeviceStream& own, const device::UniqueEvent& event) {
  device::check(*own.device, own.device->wait(own.stream, event.get()), "wait");
}

}  // namespace

bool let_reach(device::Device& device, const device::Device& peer) {
  if (!device.can_access_peer(peer.ordinal()).value()) return false;
  const device::Status status = device.enable_peer_access(peer.ordinal());
  static_cast<void>(device.last_error());
  if (status != device::Status::peer_access_already_enabled) device::check(device, status, "enable_peer_access");
  return true;
}

void Slowest::add(const Samples& samples) {
  gbps_ = measured_ == 0 ? samples.gbps() : std::min(gbps_, samples.gbps());
  spread_percent_ = std::max(spread_percent_, samples.spread_percent());
  ++measured_;
}

void Slowest::observe(harness::Context& context) const {
  context.observe(name_ + "_gbps", gbps_);
  context.observe(name_ + "_spread_percent", spread_percent_);
}

DeviceStream stream_of(Measurement& measurement) { return {&measurement.device(), measurement.stream()}; }

Together::Together(DeviceStream leader, const std::vector<DeviceStream>& others)
    : leader_(leader), begun_(event_of(leader)) {
  for (const DeviceStream& own : others) followers_.push_back({own, event_of(own)});
}

void Together::run(const Work& work) const {
  record(leader_, begun_);
  for (const Follower& follower : followers_) wait(follower.own, begun_);
  work();
  for (const Follower& follower : followers_) record(follower.own, follower.done);
  for (const Follower& follower : followers_) wait(leader_, follower.done);
}

}  // namespace gpucheck::cases::in_bandwidth
