#pragma once

#include <span>
#include <string>

#include "device/device.hpp"

namespace gpucheck::device {

/// Where one NVLink of a device leads.
struct PeerLinkEnd {
  bool is_active = false;
  bool is_switch = false;    ///< to a switch, by which all devices are reached
  std::string address = {};  ///< of the device at its other end, where that is no switch
};

/// What connects a device with the one that it has fewest links with. By way of switches that is every link the device
/// has, also one that is down now: what it could do at its best. Never throws.
/// @param ends of all links that the device has.
/// @param mbps 10^6 bytes a second of each link that is up, one way.
/// @param other_devices in the machine.
[[nodiscard]] PeerLink least_peer_link(std::span<const PeerLinkEnd> ends, int mbps, int other_devices);

}  // namespace gpucheck::device
