#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "replay/advice/play.hpp"
#include "replay/advice/search_space.hpp"

namespace gpucheck::replay {

/// What is known of settings that were played in full.
struct RankedSettings {
  std::string settings;
  int keys = 0;               ///< as in Candidate
  bool is_reference = false;  ///< was to be shown whatever it comes to
  PlayFigures unlimited = {};
  /// The least memory, to 2 MiB, in which all of it was played and nothing failed; with 2 MiB
  /// less something did. Where frees wait for other streams it ran in all that was tried of the
  /// next twentieth too, each at a pace of its own: what a program needs is then a matter of
  /// time as well. Absent where no device that there can be has enough.
  std::optional<std::uint64_t> smallest_memory_bytes = std::nullopt;
  PlayFigures at_smallest = {};                        ///< all 0 without one
  std::optional<PlayFigures> at_limit = std::nullopt;  ///< where a limit was asked for
};

/// What became of one of the settings of the search space.
struct TriedSettings {
  enum class Outcome {
    ranked,      ///< in the ranking
    surpassed,   ///< was in it, until enough others needed less
    same_as,     ///< cannot differ from `same_as` on this trace: not played
    not_better,  ///< fails with `bound_bytes`, which others do with
  };
  std::string settings;
  Outcome outcome = Outcome::not_better;
  std::string same_as = {};
  std::uint64_t bound_bytes = 0;
};

struct SearchResult {
  /// The least memory first; of equal ones those with fewer device allocations.
  std::vector<RankedSettings> ranking;
  std::vector<TriedSettings> tried;  ///< in the order of the search space
  /// What the program has allocated at once at most, as blocks of 512 bytes: no settings can
  /// do with less.
  std::uint64_t least_bytes = 0;
  std::uint64_t play_count = 0;
  /// Other paces at which what is ranked runs in its smallest memory and the next twentieth; 0
  /// where no free waits for another stream.
  Pace other_paces = 0;
};

struct SearchOptions {
  /// Played in any case, the recorded ones first. At least one.
  std::vector<std::string> references;
  std::vector<Candidate> candidates = search_space();
  std::optional<std::uint64_t> memory_limit_bytes = std::nullopt;
  DeviceSource devices = {};
  unsigned threads = 1;
  std::size_t most_ranked = 5;  ///< besides the references
  /// Told, from one thread at a time, how many of how many settings are done with.
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};
};

/// How finely memory is told apart: a segment is a multiple of this.
inline constexpr std::uint64_t memory_step_bytes = std::uint64_t{2} << 20;

/// Ranks settings by the least memory in which the trace can be played. What sets more is
/// ranked only if it needs at least a hundredth less than all that sets less. The result
/// does not depend on the number of threads. The trace's allocation numbers may have been
/// reused. @throws SettingsError for references; what `play` throws.
SearchResult search_settings(const Trace& trace, const SearchOptions& options);

/// As SearchResult has it.
std::uint64_t least_bytes(const Trace& trace);

}  // namespace gpucheck::replay
