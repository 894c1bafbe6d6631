#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "telemetry/machine/host.hpp"

/// Whether a machine has GPUs of NVIDIA's, and how much of their driver is there: what the operating system shows of
/// both, without a call of the driver.
namespace gpucheck::telemetry {

/// Why a device file cannot be opened that the device rules of a cgroup forbid: EPERM in words. File permissions give
/// another error, "Permission denied" (EACCES).
inline constexpr std::string_view operation_not_permitted = "Operation not permitted";

struct DriverState {
  Host host;
  bool has_module = false;         ///< the kernel module is loaded: it has its entry in /proc/driver or /sys/module
  bool is_wsl = false;             ///< Windows has the driver, and shows the GPU as /dev/dxg
  std::vector<std::string> signs;  ///< of a GPU, each with its place: "0000:3b:00.0 on the PCI bus", "/dev/nvidia0"

  /// A driver that is only partly there is a sign, too: a machine without a GPU has none of this.
  [[nodiscard]] bool has_gpu() const noexcept { return !signs.empty(); }
};

/// @param root the folder under which /dev, /proc and /sys lie, "" for the machine's own.
[[nodiscard]] DriverState look_at_driver(const std::string& root = "");
/// The same of a host that has been looked at.
[[nodiscard]] DriverState driver_state(Host host, const std::string& root = "");

/// Which part of the driver is missing or not usable, where that is, and what to do next; empty where nothing is seen
/// to be missing. "the driver is not loaded: …".
[[nodiscard]] std::string missing_part(const DriverState& state);

}  // namespace gpucheck::telemetry
