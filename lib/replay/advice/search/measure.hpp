#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "replay/advice/search/play.hpp"

namespace gpucheck::replay {

/// How finely memory is told apart: a segment is a multiple of this.
inline constexpr std::uint64_t memory_step_bytes = std::uint64_t{2} << 20;

/// The next multiple of that, downwards.
inline std::uint64_t round_down_to_step(std::uint64_t bytes) { return bytes / memory_step_bytes * memory_step_bytes; }

struct RankedSettings;

/// Plays one trace under settings, as often as its figures take. Thread-safe.
class Measure {
 public:
  Measure(const Trace& trace, const DeviceSource& devices, std::optional<std::uint64_t> memory_limit_bytes);

  [[nodiscard]] std::uint64_t least_bytes() const noexcept { return least_bytes_; }
  [[nodiscard]] Pace other_paces() const noexcept { return other_paces_; }
  [[nodiscard]] std::uint64_t play_count() const noexcept { return play_count_; }
  [[nodiscard]] std::optional<std::uint64_t> memory_limit_bytes() const noexcept { return memory_limit_bytes_; }
  /// What any device there can be has at most.
  [[nodiscard]] std::uint64_t most_bytes() const noexcept;

  bool runs_within(const std::string& settings, std::uint64_t bytes) const;
  /// What is reserved at most; nothing where memory ran short on the way.
  std::optional<std::uint64_t> peak_without_retry(const std::string& settings, std::uint64_t bytes) const;

  void find_unlimited(RankedSettings& row) const;
  /// How many plays at other paces the next settings may take. Where one pace after the other does not do with a little
  /// more memory, looking on has no end of its own: so some plays are for one of the settings, and some for all.
  [[nodiscard]] std::uint64_t pace_plays_for_one() const noexcept;
  /// @param runs memory that it runs in, as far as is known
  /// @param most what needs more is of no interest
  /// @param pace_plays that it may take at other paces
  void find_smallest(RankedSettings& row, std::uint64_t runs, std::uint64_t most, std::uint64_t pace_plays) const;
  /// Where there is a limit.
  void find_at_limit(RankedSettings& row) const;

 private:
  PlayFigures play_with(const PlayConditions& conditions) const;
  std::optional<std::uint64_t> least_above(RankedSettings& row, std::uint64_t fails, std::uint64_t runs) const;
  bool runs_in(RankedSettings& row, std::uint64_t bytes) const;
  std::optional<std::uint64_t> steady_from(RankedSettings& row, std::uint64_t bytes, std::uint64_t most,
                                           std::uint64_t pace_plays) const;

  const Trace& trace_;
  const DeviceSource& devices_;
  std::optional<std::uint64_t> memory_limit_bytes_;
  std::uint64_t least_bytes_ = 0;
  Pace other_paces_ = 0;
  mutable std::atomic<std::uint64_t> play_count_ = 0;
  mutable std::atomic<std::uint64_t> pace_play_count_ = 0;  ///< of these: to find what does at any pace
};

/// What the program has allocated at once at most, as blocks of 512 bytes: no settings can do
/// with less.
std::uint64_t least_bytes(const Trace& trace);

}  // namespace gpucheck::replay
