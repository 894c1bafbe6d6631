#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "replay/advice/search/play.hpp"

namespace gpucheck::replay {

/// What is known of settings that were played in full.
struct RankedSettings {
  std::string settings;
  int keys = 0;               ///< as in Candidate
  bool is_reference = false;  ///< was to be shown whatever it needs
  PlayFigures unlimited = {};
  /// The least memory, to 2 MiB, in which all of it was played and nothing failed; with 2 MiB
  /// less something did. Where frees wait for other streams it ran in all that was tried of the
  /// next twentieth too, each at a pace of its own: what a program needs is then a matter of
  /// time as well. Absent where no device that there can be has enough.
  std::optional<std::uint64_t> smallest_memory_bytes = std::nullopt;
  /// Other paces that were not tried in it, because the plays that these may take were used up.
  Pace paces_not_tried = 0;
  PlayFigures at_smallest = {};                        ///< all 0 without one
  std::optional<PlayFigures> at_limit = std::nullopt;  ///< where a limit was asked for
};

/// Whether other settings than the recorded ones are advised, and why not.
enum class AdviceOutcome {
  advised,
  recorded_fits,        ///< within the limit, without a retry, or with no more retries than others
  recorded_is_as_good,  ///< nothing that may be advised is better
  nothing_else,         ///< the recorded settings may not stay, and nothing that may be advised reserves as little
};

}  // namespace gpucheck::replay
