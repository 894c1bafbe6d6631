#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/units.hpp"
#include "device/sim/sim_driver.hpp"

namespace gpucheck::sim {

using namespace literals;

namespace {

device::DeviceProperties hopper(std::string name, std::uint64_t memory_bytes, std::uint64_t l2_cache_bytes) {
  return {.name = std::move(name),
          .uuid = {},
          .pci_bus_id = {},
          .total_memory_bytes = memory_bytes,
          .multiprocessor_count = 132,
          .max_threads_per_multiprocessor = 2048,
          .max_threads_per_block = 1024,
          .max_shared_bytes_per_block = 227_KiB,
          .warp_size = 32,
          .compute_capability_major = 9,
          .compute_capability_minor = 0,
          .l2_cache_bytes = l2_cache_bytes,
          .greatest_priority = -5};
}

// Sizes as cudaGetDeviceProperties and cudaMemGetInfo gave them on a card, driver 580.
Profile h100() {
  return {.name = "h100",
          .properties = hopper("Simulated NVIDIA H100 80GB HBM3", 85'017'493'504, 50_MiB),
          .reserved_memory_bytes = 552'402'944,
          .memory_bytes_per_ns = 3'000};
}

/// An H100 with the memory of an H200 (nvidia-smi: 143,771 MiB): the rest was not read
/// off a card.
Profile h200() {
  return {.name = "h200",
          .properties = hopper("Simulated NVIDIA H200", 150'109'880'320, 60_MiB),
          .reserved_memory_bytes = 552'402'944,
          .memory_bytes_per_ns = 4'300};
}

/// A device that a test can fill.
Profile small() {
  device::DeviceProperties properties = hopper("Simulated small device", 256_MiB, 4_MiB);
  properties.multiprocessor_count = 4;
  return {.name = "small", .properties = properties, .reserved_memory_bytes = 16_MiB, .memory_bytes_per_ns = 200};
}

struct Named {
  std::string_view name;
  Profile (*make)();
};
constexpr std::array profiles{Named{"h100", h100}, Named{"h200", h200}, Named{"small", small}};

}  // namespace

std::vector<std::string_view> profile_names() {
  std::vector<std::string_view> names;
  std::transform(profiles.begin(), profiles.end(), std::back_inserter(names),
                 [](const Named& row) { return row.name; });
  return names;
}

Profile profile(std::string_view name) {
  const auto* found =
      std::find_if(profiles.begin(), profiles.end(), [&](const Named& row) { return row.name == name; });
  if (found == profiles.end()) {
    throw UsageError(
        fmt::format("there is no simulated device \"{}\": choose one of {}", name, fmt::join(profile_names(), ", ")));
  }
  return found->make();
}

}  // namespace gpucheck::sim
