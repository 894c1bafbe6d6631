#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/driver.hpp"

/// The simulated GPU: deterministic, in virtual time, checking every access for
/// memory bounds and happens-before. It exists so that the runtime and every checker
/// can be tested anywhere; it says nothing about a GPU.
namespace gpucheck::sim {

/// Floating-point (or integer) operations in a nanosecond of products of matrices.
struct ProductRates {
  std::uint64_t fp64 = 0;
  std::uint64_t fp32 = 0;
  std::uint64_t tf32 = 0;
  std::uint64_t two_bytes = 0;  ///< fp16, bf16
  std::uint64_t one_byte = 0;   ///< fp8, int8

  [[nodiscard]] std::uint64_t of(const device::MatrixProduct& product) const noexcept;
};

struct Profile {
  std::string name;  ///< "h100", "small": as given in `--device sim:<name>`
  device::DeviceProperties properties;
  /// Memory that is in use before the first allocation (a context's own share), bytes.
  std::uint64_t reserved_memory_bytes = 0;
  /// Memory bandwidth in virtual time, bytes per nanosecond (GB/s).
  std::uint64_t memory_bytes_per_ns = 3'000;
  ProductRates product_flops_per_ns = {};
};

/// Names of the profiles that `profile` knows, in alphabetical order.
std::vector<std::string_view> profile_names();
/// @throws UsageError naming the known profiles.
Profile profile(std::string_view name);

struct Options {
  Profile profile;
  std::uint64_t seed = 0;  ///< chooses one legal interleaving; same seed, same run
  int device_count = 1;
};

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
