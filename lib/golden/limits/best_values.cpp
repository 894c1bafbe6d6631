#include "golden/limits/best_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace gpucheck::golden {
namespace {

using harness::DeviceIdentity;

/// Operations of one multiprocessor in one clock, a multiplication and an addition counted as two; 0 where it has no
/// units for them. Of dense matrix products that are summed in 32 bits: NVIDIA's architecture white papers give them,
/// or throughputs from which they follow (Turing, A100, GA102, Ada, H100, Blackwell). Cards of one capability differ in
/// some; the table has the slowest.
struct Rates {
  int major;
  int minor;
  int fp64, fp32, tf32, fp16, fp8, int8;
};
constexpr std::array rates{
    Rates{.major = 7, .minor = 0, .fp64 = 64, .fp32 = 128, .tf32 = 0, .fp16 = 1024, .fp8 = 0, .int8 = 512},
    Rates{.major = 7, .minor = 5, .fp64 = 4, .fp32 = 128, .tf32 = 0, .fp16 = 512, .fp8 = 0, .int8 = 2048},
    Rates{.major = 8, .minor = 0, .fp64 = 128, .fp32 = 128, .tf32 = 1024, .fp16 = 2048, .fp8 = 0, .int8 = 4096},
    Rates{.major = 8, .minor = 6, .fp64 = 4, .fp32 = 256, .tf32 = 256, .fp16 = 512, .fp8 = 0, .int8 = 2048},
    Rates{.major = 8, .minor = 9, .fp64 = 4, .fp32 = 256, .tf32 = 256, .fp16 = 512, .fp8 = 1024, .int8 = 2048},
    Rates{.major = 9, .minor = 0, .fp64 = 256, .fp32 = 256, .tf32 = 2048, .fp16 = 4096, .fp8 = 8192, .int8 = 8192},
    Rates{.major = 10, .minor = 0, .fp64 = 128, .fp32 = 256, .tf32 = 4096, .fp16 = 8192, .fp8 = 16384, .int8 = 16384},
    Rates{.major = 10, .minor = 3, .fp64 = 4, .fp32 = 256, .tf32 = 4096, .fp16 = 8192, .fp8 = 16384, .int8 = 512},
    Rates{.major = 12, .minor = 0, .fp64 = 4, .fp32 = 256, .tf32 = 256, .fp16 = 512, .fp8 = 1024, .int8 = 2048},
};

/// The newest that is not newer than the device; null for what is older than all.
const Rates* rates_of(const DeviceIdentity& device) {
  const std::pair capability(device.compute_capability_major, device.compute_capability_minor);
  const Rates* found = nullptr;
  for (const Rates& row : rates) {
    if (std::pair(row.major, row.minor) <= capability) found = &row;
  }
  return found;
}

template <int Rates::*rate>
std::optional<BestValue> products(const DeviceIdentity& device) {
  const Rates* const row = rates_of(device);
  if (row == nullptr || row->*rate == 0 || device.multiprocessor_clock_khz == 0) return std::nullopt;
  const double mhz = static_cast<double>(device.multiprocessor_clock_khz) / 1e3;
  const bool is_known = row->major == device.compute_capability_major && row->minor == device.compute_capability_minor;
  return BestValue{
      .value = device.multiprocessor_count * mhz * (row->*rate) / 1e6,
      .explanation =
          fmt::format("{} multiprocessors x {:.0f} MHz x {} operations{}", device.multiprocessor_count, mhz, row->*rate,
                      is_known ? "" : fmt::format(", those of compute capability {}.{}", row->major, row->minor))};
}

/// NVIDIA, CUDA C++ Best Practices Guide, "Theoretical Bandwidth Calculation".
std::optional<BestValue> memory_bandwidth(const DeviceIdentity& device) {
  if (device.memory_clock_khz == 0 || device.memory_bus_bits == 0) return std::nullopt;
  const double mhz = static_cast<double>(device.memory_clock_khz) / 1e3;
  return BestValue{.value = 2 * mhz * device.memory_bus_bits / 8 / 1e3,
                   .explanation = fmt::format("2 x {:.0f} MHz x {} bit", mhz, device.memory_bus_bits)};
}

/// Bytes a second of one lane in GB/s: 2.5 and 5 GT/s with 8 bits of 10, from 8 GT/s on with 128 of 130; 64 GT/s with
/// 242 bytes of 256 (PCI Express Base Specification 6.0, sections 4.2.1, 4.2.2 and 4.2.3).
constexpr std::array lane_gbps{
    0.25, 0.5, 8.0 * 128 / 130 / 8, 16.0 * 128 / 130 / 8, 32.0 * 128 / 130 / 8, 64.0 * 242 / 256 / 8};

std::optional<BestValue> host_link(const DeviceIdentity& device) {
  const int generation = device.host_link_generation;
  if (generation < 1 || generation > std::ssize(lane_gbps) || device.host_link_lanes < 1) return std::nullopt;
  return BestValue{.value = lane_gbps[static_cast<std::size_t>(generation - 1)] * device.host_link_lanes,
                   .explanation = fmt::format("PCI Express {}.0 x{}", generation, device.host_link_lanes)};
}

std::optional<BestValue> host_link_both_ways(const DeviceIdentity& device) {
  std::optional<BestValue> best = host_link(device);
  if (best) *best = {.value = 2 * best->value, .explanation = best->explanation + ", both ways"};
  return best;
}

/// What each link carries, as the driver reports it: its rate less its encoding, 26.6 GB/s of NVLink 4.
std::optional<BestValue> peer_link(const DeviceIdentity& device) {
  if (device.peer_links < 1 || device.peer_link_mbps < 1) return std::nullopt;
  const double gbps = device.peer_link_mbps / 1e3;
  return BestValue{.value = device.peer_links * gbps,
                   .explanation = fmt::format("{} NVLinks x {:.4g} GB/s", device.peer_links, gbps)};
}

struct Named {
  std::string_view name;
  std::optional<BestValue> (*of)(const DeviceIdentity&);
};
constexpr std::array best_values{Named{"memory_bandwidth_gbps", memory_bandwidth},
                                 Named{"host_link_gbps", host_link},
                                 Named{"host_link_both_ways_gbps", host_link_both_ways},
                                 Named{"peer_link_gbps", peer_link},
                                 Named{"fp64_tflops", products<&Rates::fp64>},
                                 Named{"fp32_tflops", products<&Rates::fp32>},
                                 Named{"tf32_tflops", products<&Rates::tf32>},
                                 Named{"fp16_tflops", products<&Rates::fp16>},
                                 Named{"bf16_tflops", products<&Rates::fp16>},
                                 Named{"fp8_tflops", products<&Rates::fp8>},
                                 Named{"int8_tops", products<&Rates::int8>}};

const Named* find(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(best_values, name, &Named::name);
  return found == best_values.end() ? nullptr : found;
}

}  // namespace

std::optional<BestValue> best_value(std::string_view name, const DeviceIdentity& device) {
  const Named* const named = find(name);
  return named == nullptr ? std::nullopt : named->of(device);
}

bool is_best_value(std::string_view name) noexcept { return find(name) != nullptr; }

std::string best_value_names() {
  std::vector<std::string_view> names;
  names.reserve(std::size(best_values));
  for (const Named& named : best_values) names.push_back(named.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace gpucheck::golden
