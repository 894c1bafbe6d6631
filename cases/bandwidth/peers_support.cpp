#include "cases/bandwidth/peers_support.hpp"

#include <algorithm>

namespace gpucheck::cases::in_bandwidth {
namespace {

device::UniqueEvent event_of(Measurement& measurement) {
  device::Device& device = measurement.device();
  return device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::no_timing));
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

Together::Together(Measurement& leader, const std::vector<Measurement*>& others)
    : leader_(leader), begun_(event_of(leader)) {
  for (Measurement* const measurement : others) followers_.push_back({measurement, event_of(*measurement)});
}

void Together::run(const Work& work) {
  const auto record = [](Measurement& on, const device::UniqueEvent& event) {
    device::check(on.device(), on.device().record(event.get(), on.stream()), "record");
  };
  const auto wait = [](Measurement& on, const device::UniqueEvent& event) {
    device::check(on.device(), on.device().wait(on.stream(), event.get()), "wait");
  };
  record(leader_, begun_);
  for (const Follower& follower : followers_) wait(*follower.measurement, begun_);
  work();
  for (const Follower& follower : followers_) record(*follower.measurement, follower.done);
  for (const Follower& follower : followers_) wait(leader_, follower.done);
}

}  // namespace gpucheck::cases::in_bandwidth
