#include "replay/advice/search/measure.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/rounding.hpp"
#include "replay/advice/search/search.hpp"
#include "replay/analysis/usage/recorded_usage.hpp"
#include "runtime/allocator/rounding.hpp"

namespace gpucheck::replay {

namespace {

/// How often it is tried, at one pace each, whether settings do that were found to do at the recorded one. Fewer the
/// longer that takes.
Pace tries_of(std::size_t steps) {
  constexpr std::size_t most_steps = 8'000'000;
  return static_cast<Pace>(std::clamp<std::size_t>(most_steps / steps, 8, 64));
}

/// How often all paces may be gone through for one of the settings, and for all of them.
constexpr std::uint64_t passes_for_one = 6;
constexpr std::uint64_t passes_for_all = 36;

}  // namespace

Measure::Measure(const Trace& trace, const DeviceSource& devices, std::optional<std::uint64_t> memory_limit_bytes)
    : trace_(trace),
      devices_(devices),
      memory_limit_bytes_(memory_limit_bytes),
      least_bytes_(replay::least_bytes(trace)) {
  const auto waits = [](const Event& event) { return event.action == Action::free_later; };
  if (std::ranges::any_of(trace.events, waits)) other_paces_ = tries_of(trace.events.size());
}

std::uint64_t Measure::most_bytes() const noexcept { return devices_.sizes ? devices_.sizes->max_bytes : UINT64_MAX; }

PlayFigures Measure::play_with(const PlayConditions& conditions) const {
  ++play_count_;
  PlayFigures figures = play(trace_, conditions, devices_);
  // An expandable segment grows by whole pages, which PyTorch does not hold against a limit of the program's own; a
  // device that has no more memory does.
  if (figures.runs_to_its_end() && figures.peak_reserved_bytes > conditions.memory_limit_bytes.value_or(UINT64_MAX)) {
    figures.out_of_memory_count = 1;
    figures.first_out_of_memory_step = figures.peak_step;
  }
  return figures;
}

bool Measure::runs_within(const std::string& settings, std::uint64_t bytes) const {
  return play_with({.settings = settings, .memory_limit_bytes = bytes, .stops_at_out_of_memory = true})
      .runs_to_its_end();
}

std::optional<std::uint64_t> Measure::peak_without_retry(const std::string& settings, std::uint64_t bytes) const {
  const PlayFigures figures = play_with(
      {.settings = settings, .memory_limit_bytes = bytes, .stops_at_out_of_memory = true, .stops_at_retry = true});
  if (!figures.runs_to_its_end() || figures.retries > 0) return std::nullopt;
  return figures.peak_reserved_bytes;
}

void Measure::find_unlimited(RankedSettings& row) const { row.unlimited = play_with({.settings = row.settings}); }

void Measure::find_at_limit(RankedSettings& row) const {
  if (memory_limit_bytes_) {
    row.at_limit = play_with({.settings = row.settings, .memory_limit_bytes = memory_limit_bytes_});
  }
}

std::uint64_t Measure::pace_plays_for_one() const noexcept {
  const std::uint64_t pass = std::uint64_t{other_paces_} + 1;
  const std::uint64_t left = passes_for_all * pass - std::min(passes_for_all * pass, pace_play_count_.load());
  return std::min(passes_for_one * pass, left);
}

void Measure::find_smallest(RankedSettings& row, std::uint64_t runs, std::uint64_t most,
                            std::uint64_t pace_plays) const {
  if (!row.unlimited.runs_to_its_end()) return;
  row.at_smallest = row.unlimited;
  if (least_bytes_ == 0) row.smallest_memory_bytes = 0;
  if (least_bytes_ == 0) return;
  std::uint64_t fails = round_up(least_bytes_, memory_step_bytes) - memory_step_bytes;
  runs = std::max(round_up(runs, memory_step_bytes), fails + memory_step_bytes);
  const std::optional<std::uint64_t> least = least_above(row, fails, runs);
  row.smallest_memory_bytes = least && other_paces_ > 0 ? steady_from(row, *least, most, pace_plays) : least;
}

/// The least memory in which the trace runs at the recorded pace: more than `fails`, and `runs` or more where that does
/// not do.
std::optional<std::uint64_t> Measure::least_above(RankedSettings& row, std::uint64_t fails, std::uint64_t runs) const {
  // An expandable segment that has to grow by a little is asked for the whole block: its
  // peak alone may be too little.
  for (std::uint64_t more = memory_step_bytes; !runs_in(row, runs); more *= 2) {
    fails = runs;
    if (most_bytes() - runs < more) return std::nullopt;
    runs += more;
  }
  while (runs - fails > memory_step_bytes) {
    const std::uint64_t middle = round_down_to_step(fails + (runs - fails) / 2);
    (runs_in(row, middle) ? runs : fails) = middle;
  }
  return runs;
}

/// The least memory from `bytes` on in which the trace runs however its frees fall: in some more, memory is cut up
/// otherwise, and may not do where less did. Once the plays are used up, the recorded pace has to do.
std::optional<std::uint64_t> Measure::steady_from(RankedSettings& row, std::uint64_t bytes, std::uint64_t most,
                                                  std::uint64_t pace_plays) const {
  constexpr std::uint64_t share = 20;
  std::uint64_t plays = 0;
  Pace pace = 0;
  for (; pace <= other_paces_ && plays < pace_plays; ++plays, ++pace_play_count_) {
    const std::uint64_t tried = bytes + round_down_to_step(bytes / share * pace / other_paces_);
    const PlayFigures figures = play_with(
        {.settings = row.settings, .memory_limit_bytes = tried, .stops_at_out_of_memory = true, .pace = pace});
    if (figures.runs_to_its_end()) {
      if (pace++ == 0) row.at_smallest = figures;
      continue;
    }
    bytes = tried + memory_step_bytes;
    if (bytes > most) return std::nullopt;
    pace = 0;
  }
  row.paces_not_tried = other_paces_ + 1 - std::max<Pace>(pace, 1);
  if (pace > 0) return bytes;
  const std::optional<std::uint64_t> least = least_above(row, bytes - memory_step_bytes, bytes);
  return least && *least <= most ? least : std::nullopt;
}

bool Measure::runs_in(RankedSettings& row, std::uint64_t bytes) const {
  const PlayFigures figures =
      play_with({.settings = row.settings, .memory_limit_bytes = bytes, .stops_at_out_of_memory = true});
  if (figures.runs_to_its_end()) row.at_smallest = figures;
  return figures.runs_to_its_end();
}

std::uint64_t least_bytes(const Trace& trace) {
  std::vector<std::uint64_t> block_bytes(trace.allocation_count);
  RunningTotal allocated;
  for (const Event& event : trace.events) {
    const bool is_try = event.action == Action::try_allocate;
    if (event.action == Action::allocate || is_try) {
      allocated.change(block_bytes[event.id] = runtime::round_up_to_block(event.size));
    }
    if (frees(event.action) || is_try) allocated.change(0 - std::exchange(block_bytes[event.id], 0));
  }
  return allocated.peak();
}

}  // namespace gpucheck::replay
