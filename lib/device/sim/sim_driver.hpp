#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/driver.hpp"
#include "device/sim/profile/profile.hpp"

/// The simulated GPU: deterministic, in virtual time, checking every access for
/// memory bounds and happens-before. It exists so that the runtime and every checker
/// can be tested anywhere; it says nothing about a GPU.
namespace gpucheck::sim {

using device::Race;

/// Calls made so far, by name of the `device::Operation`.
struct ApiCalls {
  std::uint64_t total = 0;
  std::vector<std::pair<std::string, std::uint64_t>> by_name;  ///< sorted by name
};

/// The simulator's own controls, beyond what every device offers. All thread-safe.
class Driver : public device::Driver {
 public:
  [[nodiscard]] virtual ApiCalls api_calls() const = 0;
  /// The host's virtual clock, nanoseconds since the driver was made.
  [[nodiscard]] virtual std::uint64_t now_ns() const = 0;
  /// The host does something else for a while.
  virtual void advance(std::uint64_t nanoseconds) = 0;
  /// Device memory held by allocations that were not freed, all devices, bytes.
  [[nodiscard]] virtual std::uint64_t live_bytes() const = 0;
};

/// Environment variable that limits the visible devices of a simulated machine, as
/// CUDA_VISIBLE_DEVICES does for CUDA: a comma-separated list of ordinals, cut at the
/// first invalid one.
inline constexpr std::string_view visible_devices_variable = "GPUCHECK_SIM_VISIBLE_DEVICES";

std::unique_ptr<Driver> make_driver(Options options);

}  // namespace gpucheck::sim
