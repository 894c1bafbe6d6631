#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/advice/search/measure.hpp"
#include "replay/advice/search/ranked_settings.hpp"
#include "replay/advice/search/search_space.hpp"

namespace gpucheck::replay {

/// What became of one of the settings of the search space.
struct TriedSettings {
  enum class Outcome {
    ranked,         ///< in the ranking
    surpassed,      ///< was in it, until enough others needed less
    same_as,        ///< cannot differ from `same_as` on this trace: not played
    not_better,     ///< fails with `bound_bytes`, which others do with
    reserves_more,  ///< without a limit, than the recorded settings, by more than is allowed
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
  /// As `least_bytes` has it.
  std::uint64_t least_bytes = 0;
  std::uint64_t play_count = 0;
  /// Other paces at which what is ranked runs in its smallest memory and the next twentieth; 0
  /// where no free waits for another stream.
  Pace other_paces = 0;
  AdviceOutcome outcome = AdviceOutcome::recorded_is_as_good;
  std::string advised = {};  ///< where the outcome says so
};

/// A program that is to run under the settings that are looked for.
struct SearchedProgram {
  const Trace* trace = nullptr;
  std::optional<std::uint64_t> memory_limit_bytes = std::nullopt;
  /// One of the references; absent where what was recorded cannot be played.
  std::optional<std::string> recorded_settings = std::nullopt;
};

struct SearchOptions {
  /// Played in any case. At least one.
  std::vector<std::string> references;
  std::vector<Candidate> candidates = search_space();
  std::optional<std::uint64_t> memory_limit_bytes = std::nullopt;  ///< of a search for a single program
  DeviceSource devices = {};
  unsigned threads = 1;
  std::size_t most_ranked = 5;                  ///< besides the references
  std::vector<std::string> not_to_advise = {};  ///< references that are only to be shown
  std::vector<std::string> not_to_keep = {};    ///< recorded settings that may not stay as they are
  /// Nothing is advised that reserves more than so many percent of what is reserved under the
  /// recorded settings (else the first reference), where memory is not short under those.
  std::optional<unsigned> most_reserved_percent = std::nullopt;
  /// Reported, from one thread at a time, how many of how many settings are done with.
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};
};

/// Ranks settings by the least memory in which the trace can be played. What sets more is
/// ranked only if it needs at least a hundredth less than all that sets less, or is gentler
/// with nearly as little: see `choose`. The result does not depend on the number of threads.
/// The trace's allocation numbers may have been reused. @throws SettingsError for references;
/// what `play` throws.
SearchResult search_settings(const Trace& trace, const SearchOptions& options);

/// The same for several programs, which are to run under the same settings: by the least
/// memory in which each of them can be played. One result each, all in the same order.
std::vector<SearchResult> search_settings(std::span<const SearchedProgram> programs, const SearchOptions& options);

}  // namespace gpucheck::replay
