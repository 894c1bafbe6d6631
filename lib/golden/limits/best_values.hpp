#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/result/result.hpp"

/// What a device could do at its best, worked out from what it reports of itself: the measure of limits for every
/// model, known or not.
namespace gpucheck::golden {

struct BestValue {
  double value = 0;         ///< in the unit that its name ends with
  std::string explanation;  ///< "2 x 3201 MHz x 6144 bit"
};

/// By name:
/// - memory_bandwidth_gbps: two words of the memory's bus a clock;
/// - host_link_gbps: one direction of the PCI Express link, less its encoding; host_link_both_ways_gbps: both;
/// - peer_link_gbps: one direction of the NVLinks with one other device, the least connected of the machine; links that
///   are down count where it is known that they should be up (device/links/peer_link.hpp);
/// - fp64_tflops, fp32_tflops, tf32_tflops, fp16_tflops, bf16_tflops, fp8_tflops, int8_tops: dense matrix products by
///   multiprocessors, their highest clock, and the operations of one in a clock. A compute capability that is newer
///   than this table counts as the newest before it.
/// Nothing where the device does not say what is needed, or has no such units. GB and TFLOP are decimal.
std::optional<BestValue> best_value(std::string_view name, const harness::DeviceIdentity& device);

bool is_best_value(std::string_view name) noexcept;

/// For messages.
std::string best_value_names();

}  // namespace gpucheck::golden
