#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "replay/formats/snapshot/snapshot.hpp"

namespace gpucheck::replay {

/// What the recorded program itself held, by its own events. Bytes.
struct RecordedUsage {
  std::uint64_t initial_reserved_bytes = 0;
  std::uint64_t peak_reserved_bytes = 0;
  std::uint64_t peak_active_bytes = 0;  ///< sizes as asked for, until the free completed
  /// What the program could reserve when memory first ran out: that plus what was free on the device. Where the device
  /// had room, a limit of the program's own refused more (set_per_process_memory_fraction); it is not recorded, and is
  /// at least what was reserved at most until then, which is reported.
  std::optional<std::uint64_t> capacity_bytes;
  bool capacity_is_own_limit = false;
};

/// What an event adds to, or takes from, what is reserved. Wraps around for a taking,
/// and sums of these wrap back: exact as long as the true sums fit 64 bits.
std::uint64_t reserved_change(const SnapshotEvent& event) noexcept;

/// What was reserved before the first event: the state at the end, followed backwards.
/// 0 where a file contradicts itself.
std::uint64_t initial_reserved_bytes(const Snapshot& snapshot, std::size_t device);

/// A recording may leave the completions of frees out; then their requests count.
SnapshotAction free_action_of(const std::vector<SnapshotEvent>& events);

/// A running sum of changes; a file that contradicts itself cannot push it below 0.
class RunningTotal {
 public:
  explicit RunningTotal(std::uint64_t start = 0) noexcept : now_(start), peak_(start) {}
  void change(std::uint64_t by) noexcept {
    now_ += by;
    if (now_ > INT64_MAX) now_ = 0;
    peak_ = std::max(peak_, now_);
  }
  [[nodiscard]] std::uint64_t now() const noexcept { return now_; }
  [[nodiscard]] std::uint64_t peak() const noexcept { return peak_; }

 private:
  std::uint64_t now_;
  std::uint64_t peak_;
};

/// Follows the segments backwards from the state at the end, and the blocks forwards
/// from `initial_active_bytes`.
RecordedUsage recorded_usage(const Snapshot& snapshot, std::size_t device, std::uint64_t initial_active_bytes);

}  // namespace gpucheck::replay
