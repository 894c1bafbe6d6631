#include "runtime/caching/statistics/sweep.hpp"

#include <limits>
#include <vector>

namespace gpucheck::runtime::detail {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Goes through one log in the order of time.
class Track {
 public:
  explicit Track(const ChangeLog& log)
      : log_(log), values_(log.chunk(0).begin), highest_(values_), next_chunk_time_(time_of_chunk(0)) {}

  // -- chunk by chunk ------------------------------------------------------------------------
  [[nodiscard]] std::int64_t next_chunk_time() const noexcept { return next_chunk_time_; }
  /// Replaces the highest values of the chunk before, part of `bounds`, by those of the next.
  void enter_chunk(ScopeValues& bounds) noexcept {
    const ScopeValues& highest = log_.chunk(chunks_entered_).highest;
    add_difference(bounds, highest, highest_);
    highest_ = highest;
    next_chunk_time_ = time_of_chunk(++chunks_entered_);
  }

  // -- change by change ----------------------------------------------------------------------
  [[nodiscard]] std::int64_t next_change_time() const noexcept { return next_change_time_; }
  /// To what was so just before `time`, which is in the chunk entered last. Adds to `sums` what
  /// has changed since the log's begin.
  void go_to(std::int64_t time, ScopeValues& sums) noexcept;
  void apply_change(ScopeValues& sums) noexcept;

 private:
  [[nodiscard]] std::int64_t time_of_chunk(std::size_t chunk) const noexcept {
    return chunk < log_.chunk_count() ? log_.chunk(chunk).time : never;
  }
  void set_position(std::size_t position) noexcept {
    position_ = position;
    next_change_time_ = position < log_.size() ? log_[position].time : never;
  }

  const ChangeLog& log_;
  std::size_t chunks_entered_ = 0;
  std::size_t position_ = 0;  ///< of the next change
  ScopeValues values_;        ///< before that
  ScopeValues highest_;
  std::int64_t next_chunk_time_;
  std::int64_t next_change_time_ = never;
};

void Track::go_to(std::int64_t time, ScopeValues& sums) noexcept {
  const std::size_t chunk = chunks_entered_ == 0 ? 0 : chunks_entered_ - 1;
  if (position_ <= chunk * ChangeLog::chunk_size) {
    position_ = chunk * ChangeLog::chunk_size;
    values_ = log_.chunk(chunk).begin;
  }
  set_position(position_);
  while (next_change_time_ < time) {
    log_[position_].add_to(values_);
    set_position(position_ + 1);
  }
  add_difference(sums, values_, log_.chunk(0).begin);
}

void Track::apply_change(ScopeValues& sums) noexcept {
  log_[position_].add_to(values_);
  log_[position_].add_to(sums);
  set_position(position_ + 1);
}

/// The track whose `time` is the earliest.
template <typename Time>
Track& earliest(std::vector<Track>& tracks, Time time) noexcept {
  Track* result = &tracks.front();
  for (Track& track : tracks) {
    if ((track.*time)() < (result->*time)()) result = &track;
  }
  return *result;
}

/// Finds the sums from one time to another, between which no track enters a chunk.
void replay(Ledger& ledger, std::vector<Track>& tracks, std::int64_t from, std::int64_t until) noexcept {
  ScopeValues sums = ledger.sums();
  for (Track& track : tracks) track.go_to(from, sums);
  for (;;) {
    Track& next = earliest(tracks, &Track::next_change_time);
    if (next.next_change_time() >= until) return;
    next.apply_change(sums);
    ledger.raise_peaks(sums);
  }
}

}  // namespace

/// Between two times at which a chunk begins, no sum is higher than the sum of the highest values
/// of the chunks: only where that is higher than a peak are the changes looked at.
void raise_peaks(Ledger& ledger, std::span<const ChangeLog* const> logs) {
  std::vector<Track> tracks;
  tracks.reserve(logs.size());
  for (const ChangeLog* log : logs) tracks.emplace_back(*log);
  ScopeValues bounds = ledger.sums();
  for (;;) {
    Track& next = earliest(tracks, &Track::next_chunk_time);
    const std::int64_t from = next.next_chunk_time();
    if (from == never) return;
    next.enter_chunk(bounds);
    const std::int64_t until = earliest(tracks, &Track::next_chunk_time).next_chunk_time();
    if (ledger.may_raise_peaks(bounds)) replay(ledger, tracks, from, until);
  }
}

}  // namespace gpucheck::runtime::detail
