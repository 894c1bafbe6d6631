#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/targets/target.hpp"

namespace gpucheck::replay {

/// Memory held after one step. Bytes.
struct UsageSample {
  std::size_t step = 0;
  std::int64_t allocated_bytes = 0;
  std::optional<std::int64_t> reserved_bytes;  ///< absent: the allocator does not say
  /// Share of what is reserved that is not allocated, 0 to 1; 0 with nothing reserved,
  /// absent as that is.
  [[nodiscard]] std::optional<double> fragmentation() const noexcept;
};

/// What a program's allocations need under the target's settings and limit.
struct WhatIf {
  std::size_t steps = 0;
  UsageSample peak_allocated;                ///< first step with the most allocated
  std::optional<UsageSample> peak_reserved;  ///< first step with the most reserved, where that is reported
  /// First step with the largest share unused, among those with at least half of the
  /// peak reserved: a nearly empty cache at the start says nothing.
  std::optional<UsageSample> worst_fragmentation;
  std::vector<UsageSample> samples;  ///< evenly spaced, the last step among them
  std::uint64_t out_of_memory_count = 0;
  std::optional<UsageSample> first_out_of_memory;
  std::uint64_t first_out_of_memory_bytes = 0;  ///< asked for at that step
  /// Allocations that failed when recorded and succeed here.
  std::uint64_t rescued_count = 0;
  /// Allocations that released the cache and tried again; absent where that is not reported.
  std::optional<std::int64_t> retry_count;
  std::vector<std::string> remarks;  ///< the target's
  [[nodiscard]] bool runs_out_of_memory() const noexcept { return out_of_memory_count > 0; }
};

/// Plays the whole trace without regard to its expectations, going on after an
/// allocation that fails as if the program had done without it. Keeps at most
/// `max_samples` (at least 2) samples, and 16 bytes a step while it runs. Leaves the
/// target empty again. @throws what the target throws, with the step in front of the
/// text, as EnvironmentError.
WhatIf what_if(const Trace& trace, TraceTarget& target, std::size_t max_samples = 512);

}  // namespace gpucheck::replay
