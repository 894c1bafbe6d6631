#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/driver.hpp"
#include "runner/worker.hpp"

/// The only part that knows which sorts of device are built in.
namespace gpucheck::application {

/// Makes the driver for "auto", "cuda", "cuda:1", "sim", "sim:h100" or
/// "sim:small,memory=16GiB,devices=2". Only "auto" asks whether there is a CUDA device.
/// @throws UsageError for a malformed name, EnvironmentError for CUDA in a binary
/// built without it.
runner::OpenedDriver open_driver(std::string_view device_name, std::uint64_t seed);

/// What `open_driver` would refuse without touching anything. @throws as it does.
void check_device_name(std::string_view device_name);

/// One sentence for the help text.
std::string_view device_name_forms();

/// Null in a binary that was built without a CUDA toolkit. Touches no driver.
std::unique_ptr<device::Driver> make_cuda_driver();

/// What a program can use of the device that "sim" stands for. Bytes.
std::uint64_t default_simulated_memory_bytes();

/// The most memory a simulated device can have. Bytes.
inline constexpr std::uint64_t most_simulated_memory_bytes = std::uint64_t{1} << 40;

/// Name of the device that "sim" stands for, made larger where a program could not use
/// that many bytes of it. @throws UsageError above `most_simulated_memory_bytes`.
std::string simulated_device_with(std::uint64_t usable_bytes);

/// The same device with so much usable memory exactly. @throws as above.
std::string simulated_device_of(std::uint64_t usable_bytes);

/// Names of the simulator's profiles.
std::vector<std::string_view> simulator_profiles();

}  // namespace gpucheck::application
