#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/driver.hpp"
#include "harness/case/registry.hpp"
#include "runner/worker/protocol.hpp"

namespace gpucheck::runner {

/// Devices as named on the command line, made real.
struct OpenedDriver {
  std::unique_ptr<device::Driver> driver;
  std::vector<int> ordinals = {0};  ///< those named, in the order named; at least one
  /// Why none of the devices can be used, and what to do next; empty where that is not known yet.
  std::string problem = {};
  /// For devices that were named without a look at the machine: looks, and fills in the problem. Null for others.
  std::function<void(OpenedDriver& itself)> look_for_problem = {};
  /// With a problem: what others than CUDA report of the devices, each at its place in `ordinals`; empty where nothing.
  std::vector<device::DeviceProperties> known = {};
  std::string note = {};  ///< why, when "auto" fell back to the simulator
  /// The name of some of these devices, which gives the same driver with just them:
  /// "cuda:0,1", "sim:h100".
  std::function<std::string(const std::vector<int>& ordinals)> name_of;
};

/// Makes a driver for what names devices on the command line; "auto" and names that
/// are not by number ask which CUDA devices there are. Given by the application, the only part that knows which
/// devices were built in. CUDA that does not start is a problem of all devices, not an exception: the run has to tell
/// of them. @throws UsageError, EnvironmentError.
using DriverFactory = OpenedDriver (*)(std::string_view device_name, std::uint64_t seed);

/// Body of the hidden `gpucheck worker` command: serves requests on the inherited
/// descriptor until it is closed. Returns the process's exit code.
int worker_main(int descriptor, const harness::Registry& registry, DriverFactory make_driver);

/// Body of the hidden `gpucheck child` command.
int child_main(const ChildRequest& request, const harness::Registry& registry, DriverFactory make_driver);

/// Serves the commands with which the runner starts further processes of this program;
/// gives the exit code, or nothing when `arguments` are something else. Meant for the
/// first line of `main`: a worker's start is part of every case's time.
///
///     worker --descriptor N
///     child --request JSON
///
/// @param arguments without the program's name.
/// @throws UsageError when an argument is missing or malformed.
std::optional<int> hidden_command(std::span<const char* const> arguments, const harness::Registry& registry,
                                  DriverFactory make_driver);

}  // namespace gpucheck::runner
