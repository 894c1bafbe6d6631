#include "device/sim/profile/profile.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text/units.hpp"

namespace gpucheck::sim {

using namespace literals;

namespace {

struct MemoryBus {
  std::uint64_t clock_khz;
  int bus_bits;
};

// Clocks, bus and link as nvidia-smi and cudaGetDeviceProperties report them for the SXM cards.
constexpr MemoryBus h100_memory{2'619'000, 5120};
constexpr MemoryBus h200_memory{3'201'000, 6144};

device::DeviceProperties hopper(std::string name, std::uint64_t memory_bytes, std::uint64_t l2_cache_bytes,
                                MemoryBus memory) {
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
          .multiprocessor_clock_khz = 1'980'000,
          .memory_clock_khz = memory.clock_khz,
          .memory_bus_bits = memory.bus_bits,
          .host_link = {.generation = 5, .lanes = 16},
          .greatest_priority = -5};
}

/// NVIDIA H100 Tensor Core GPU data sheet, H100 SXM, without sparsity; the H200's are the same.
constexpr ProductRates hopper_rates{
    .fp64 = 67'000, .fp32 = 67'000, .tf32 = 494'500, .two_bytes = 989'500, .one_byte = 1'979'000};

// Sizes as cudaGetDeviceProperties and cudaMemGetInfo gave them on a card, driver 580.
Profile h100() {
  return {.name = "h100",
          .properties = hopper("Simulated NVIDIA H100 80GB HBM3", 85'017'493'504, 50_MiB, h100_memory),
          .reserved_memory_bytes = 552'402'944,
          .memory_bytes_per_ns = 3'000,
          .product_flops_per_ns = hopper_rates};
}

/// An H100 with the memory of an H200 (nvidia-smi: 143,771 MiB): the rest was not read
/// off a card.
Profile h200() {
  return {.name = "h200",
          .properties = hopper("Simulated NVIDIA H200", 150'109'880'320, 60_MiB, h200_memory),
          .reserved_memory_bytes = 552'402'944,
          .memory_bytes_per_ns = 4'300,
          .product_flops_per_ns = hopper_rates};
}

/// A device that a test can fill.
Profile small() {
  // The bus moves 224 GB/s: some more than the profile's memory does, as on a card.
  device::DeviceProperties properties =
      hopper("Simulated small device", 256_MiB, 4_MiB, {.clock_khz = 7'000'000, .bus_bits = 128});
  properties.multiprocessor_count = 4;
  const ProductRates rates{.fp64 = 2'000, .fp32 = 2'000, .tf32 = 15'000, .two_bytes = 30'000, .one_byte = 60'000};
  return {.name = "small",
          .properties = properties,
          .reserved_memory_bytes = 16_MiB,
          .memory_bytes_per_ns = 200,
          .product_flops_per_ns = rates};
}

struct Named {
  std::string_view name;
  Profile (*make)();
};
constexpr std::array profiles{Named{"h100", h100}, Named{"h200", h200}, Named{"small", small}};

}  // namespace

std::uint64_t ProductRates::of(const device::MatrixProduct& product) const noexcept {
  if (product.compute == device::ComputeType::fp64) return fp64;
  if (product.compute == device::ComputeType::tf32) return tf32;
  if (product.a == device::ElementType::fp32) return fp32;
  return device::element_bytes(product.a) == 1 ? one_byte : two_bytes;
}

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
