#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace gpucheck::replay {

enum class Verdict {
  equal,               ///< all that the file expects was seen, under each of the settings
  differs,             ///< not so
  fits,                ///< nothing was compared; under at least one of the settings memory suffices
  out_of_memory,       ///< nothing was compared; under none of the settings memory suffices
  nothing_to_compare,  ///< nothing was expected, and nothing was asked for that could be judged
  empty,               ///< not a single event
};
std::string_view to_text(Verdict verdict);

/// What the replays of one subject showed, as far as its verdict depends on it.
struct Evidence {
  bool has_events = false;
  bool is_compared = false;
  bool asks_for_memory = false;              ///< whether memory suffices is a question that was asked
  std::vector<bool> are_equal = {};          ///< of each comparison
  std::vector<bool> are_out_of_memory = {};  ///< of each what-if: an allocation failed
};
/// Memory suffices where not one allocation failed.
[[nodiscard]] Verdict judge(const Evidence& evidence);

/// The verdict on a replay of several subjects.
enum class Outcome { passed, failed, not_judged };
/// A difference, or memory that does not suffice, outweighs what cannot be judged.
[[nodiscard]] Outcome outcome_of(std::span<const Verdict> verdicts);

}  // namespace gpucheck::replay
