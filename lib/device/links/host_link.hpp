#pragma once

#include <string>
#include <string_view>

#include "device/device.hpp"

namespace gpucheck::device {

/// The best link that both a PCI device and the port it is plugged into can do, as the kernel reports
/// (max_link_speed and max_link_width of both). What neither says is 0. Never throws.
/// @param pci_bus_id "0000:3b:00.0"
/// @param devices_folder where the kernel lists devices by their address.
[[nodiscard]] HostLink host_link_of(std::string_view pci_bus_id,
                                    const std::string& devices_folder = "/sys/bus/pci/devices");

}  // namespace gpucheck::device
