#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

/// GPUs by names of their own: by what nvidia-smi prints, and takes.
namespace gpucheck::application {

/// True for what can be a UUID ("GPU-...", "MIG-...", also shortened) or a PCI address
/// ("0000:3b:00.0", with or without domain and function), in upper or lower case.
bool is_device_identifier(std::string_view text);

/// The places in `devices` of those that are meant, in the order of `identifiers`.
/// @throws UsageError for one that is none of them, that may be several, or that is named
/// twice, with what there is.
std::vector<int> match_devices(std::span<const std::string> identifiers,
                               std::span<const device::DeviceProperties> devices);

}  // namespace gpucheck::application
