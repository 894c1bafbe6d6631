#pragma once

#include <span>
#include <string>

#include "base/nvml/nvlink_model.hpp"
#include "device/device.hpp"

namespace gpucheck::device {

/// Where one NVLink of a device leads.
struct PeerLinkEnd {
  bool is_active = false;
  bool is_switch = false;    ///< to a switch, by which all devices are reached
  std::string address = {};  ///< of the device at its other end, where that is not a switch
};

/// What connects a device with the one that it has fewest links with, at its best: links that are down now count where
/// it is known that they should be up. By way of switches that is every link the device has. None where not every
/// device is linked to it, and where the driver lists no link. Never throws.
/// @param ends of all links that the device has.
/// @param mbps 10^6 bytes a second of each link that is up, one way; 0: not known.
/// @param other_devices in the machine.
/// @param model null where it is not known: then links that are down count by way of switches alone.
[[nodiscard]] PeerLink least_peer_link(std::span<const PeerLinkEnd> ends, int mbps, int other_devices,
                                       const NvlinkModel* model);

}  // namespace gpucheck::device
