#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "replay/advice/search/ranked_settings.hpp"

namespace gpucheck::replay {

/// The same settings, played by each of the programs that are to run under them.
using Row = std::vector<RankedSettings>;

// For all programs together: what the one that needs most needs. Absent where one needs more
// than any device has.
[[nodiscard]] std::optional<std::uint64_t> smallest_of(const Row& row);
[[nodiscard]] std::uint64_t peak_of(const Row& row);  ///< without a limit
/// Each of them runs to its end within its limit, if it has one.
[[nodiscard]] bool fits(const Row& row);

/// In those limits, of all together.
[[nodiscard]] std::int64_t retries_at_limit(const Row& row);

/// One of the programs reserves more than so many percent of what it does in `measure`,
/// although its memory is not short there.
[[nodiscard]] bool reserves_more(const Row& row, const Row& measure, unsigned percent);

/// What there is to choose from.
struct Choices {
  const std::vector<Row>& rows;
  std::function<bool(const Row&)> may_be_advised;
  /// What each program was recorded with; null where that cannot be played.
  const Row* recorded = nullptr;
  bool recorded_may_stay = true;
  bool has_limit = false;  ///< for one of the programs at least
};

struct Choice {
  const Row* row = nullptr;  ///< to be advised
  AdviceOutcome outcome = AdviceOutcome::nothing_else;
};

/// With a limit: nothing where the recorded settings fit without a retry; else the simplest
/// that do, else those that retry least. Without one, or where nothing fits: of those that
/// need at most 3% more memory than the best, what needs no retry in its smallest memory, then
/// what reserves least without a limit, to 1%, then what sets fewest keys; unless the recorded
/// settings are as good.
[[nodiscard]] Choice choose(const Choices& choices);

/// So much memory is a matter of a few percent.
[[nodiscard]] constexpr std::uint64_t slightly_more(std::uint64_t bytes) { return bytes + bytes / 100 * 3; }

}  // namespace gpucheck::replay
