#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"

/// What a device's driver needs of NVIDIA's management library, which is loaded on first use and initialised for each
/// question. Readings of a machine's state are lib/telemetry's.
namespace gpucheck::cuda::nvml {

/// The display driver's version; empty where the library cannot be loaded or asked.
std::string driver_version();

/// The UUIDs of all of the machine's devices, visible or not; nothing where the library cannot be loaded or asked.
std::optional<std::vector<std::string>> device_uuids();

/// The NVLinks of a device; none where the library cannot be loaded or asked.
/// @param pci_bus_id "0000:3b:00.0"
device::PeerLink peer_link(const std::string& pci_bus_id);

}  // namespace gpucheck::cuda::nvml
