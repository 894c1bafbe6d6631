#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/driver.hpp"
#include "runner/worker.hpp"

/// The only part that knows which kinds of device are built in.
namespace gpucheck::application {

/// Makes the driver for "auto" and "cuda" (every device), "cuda:0,2", UUIDs and PCI
/// addresses with commas between them, "sim", "sim:h100", "sim:small,memory=16GiB,devices=4"
/// and, of those four, "sim:small,devices=4,only=0+2".
/// @throws UsageError for a malformed name and for a UUID or address that names no device;
/// EnvironmentError for CUDA in a binary built without it, or where it has no device.
runner::OpenedDriver open_driver(std::string_view device_name, std::uint64_t seed);

/// What `open_driver` would reject without touching anything. @throws as it does.
void check_device_name(std::string_view device_name);

/// One sentence for the help text.
std::string_view device_name_forms();

/// Null in a binary that was built without a CUDA toolkit. Touches no driver.
std::unique_ptr<device::Driver> make_cuda_driver();

/// The simulator's profile that "sim" stands for.
inline constexpr std::string_view default_simulated_profile = "h100";

/// The most memory a simulated device can have. Bytes.
inline constexpr std::uint64_t max_simulated_memory_bytes = std::uint64_t{1} << 40;

/// Names of the simulator's profiles.
std::vector<std::string_view> simulator_profiles();

}  // namespace gpucheck::application
