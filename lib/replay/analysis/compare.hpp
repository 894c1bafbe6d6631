#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/targets/target.hpp"

namespace gpucheck::replay {

/// Something that came out otherwise than the trace says.
struct Difference {
  std::size_t step = 0;   ///< 0-based position in Trace::events
  std::string statistic;  ///< one of `statistic_names_of`, "out of memory" (0 or 1), or "same_address_as" (ids)
  std::int64_t expected = 0;
  std::int64_t seen = 0;
};

/// Addresses differ between machines, and with them which of several equal blocks is
/// lowest; how often one comes back is the allocator's decision. Of pinned memory the
/// steps compare them too.
struct AddressComparison {
  std::uint64_t compared = 0;  ///< allocations for which the trace says whose address they get
  std::uint64_t equal = 0;
  std::optional<std::size_t> first_difference;  ///< step
};

struct FinalDifference {
  std::string what;      ///< name of a statistic, or "segment 3", "segments"
  std::string expected;  ///< "absent" when the trace does not have it
  std::string seen;
};

struct Comparison {
  std::size_t steps = 0;                      ///< played: all of the trace's
  std::size_t compared_steps = 0;             ///< those with something expected
  std::size_t equal_steps = 0;                ///< of these, all statistics equal
  std::vector<Difference> first_differences;  ///< of the first step that differs, in the order of its statistics
  AddressComparison addresses;
  std::size_t final_statistics_compared = 0;
  std::size_t final_segments_compared = 0;
  /// At most `max_final_differences`; two-way: what is missing on either side counts.
  std::vector<FinalDifference> final_differences;
  std::size_t final_difference_count = 0;

  /// Every step and everything at the end equal, and something was compared. Addresses
  /// of device memory do not count.
  [[nodiscard]] bool equal() const noexcept {
    return compared_steps > 0 && equal_steps == compared_steps && final_difference_count == 0;
  }
};
inline constexpr std::size_t max_final_differences = 20;

/// Plays the whole trace, past differences too, and compares every step and the end
/// with what the trace says. Leaves the target empty again. @throws what the target
/// throws, with the step in front of the text, as EnvironmentError.
Comparison compare(const Trace& trace, ComparableTarget& target);

}  // namespace gpucheck::replay
