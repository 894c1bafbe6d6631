#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/driver.hpp"

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
  // Devices that are sick in a way that no device by itself shows, by index; none where empty.
  std::optional<int> slow_device = {};  ///< whatever it does takes half as long again
  std::optional<int> odd_device = {};   ///< its products sum from the end: right where no sum is rounded, odd elsewhere
};

}  // namespace gpucheck::sim
