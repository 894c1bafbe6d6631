#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/driver.hpp"
#include "input/devices/unusable_gpus.hpp"
#include "runner/worker/worker.hpp"

/// The only part that knows which kinds of device are built in.
namespace gpucheck::application {

/// Makes the driver for "auto" and "cuda" (every device), "cuda:0,2", UUIDs and PCI
/// addresses with commas between them, "sim", "sim:h100", "sim:small,memory=16GiB,devices=4"
/// and, of those four, "sim:small,devices=4,only=0+2". Where CUDA does not start, the driver that comes back has a
/// problem. @throws UsageError for a malformed name and for a UUID or address that names no device.
runner::OpenedDriver open_driver(std::string_view device_name, std::uint64_t seed);

/// "auto": CUDA's devices; the simulator on a machine that shows no sign of a GPU; else a driver with a problem.
/// @param cuda null in a binary that was built without it.
/// @param look_at the machine, asked where CUDA offers no device.
runner::OpenedDriver open_automatic(std::unique_ptr<device::Driver> cuda, MachineLook (*look_at)(), std::uint64_t seed);

/// What can be rejected without touching anything. @throws UsageError for a malformed name; EnvironmentError for CUDA
/// in a binary built without it.
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
