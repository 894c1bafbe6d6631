#pragma once

#include <cstdint>

/// What things cost in virtual time, in the order of magnitude of a current GPU: the
/// numbers decide which interleavings are likely, nothing else.
namespace gpucheck::sim::costs {

inline constexpr std::uint64_t api_call_ns = 1'000;
inline constexpr std::uint64_t allocation_ns = 10'000;
inline constexpr std::uint64_t launch_latency_ns = 2'000;
/// A launch's latency varies by up to this much, by the seed.
inline constexpr std::uint64_t launch_jitter_ns = 16'000;
inline constexpr std::uint64_t minimum_operation_ns = 800;
inline constexpr std::uint64_t event_ns = 200;
inline constexpr std::uint64_t upload_ns = 5'000;
inline constexpr std::uint64_t host_function_ns = 5'000;
/// Host link, bytes per nanosecond (GB/s).
inline constexpr std::uint64_t host_link_bytes_per_ns = 25;
/// Between devices, one way.
inline constexpr std::uint64_t peer_link_bytes_per_ns = 400;

constexpr std::uint64_t transfer_ns(std::uint64_t bytes, std::uint64_t bytes_per_ns) noexcept {
  return minimum_operation_ns + bytes / bytes_per_ns;
}

}  // namespace gpucheck::sim::costs
