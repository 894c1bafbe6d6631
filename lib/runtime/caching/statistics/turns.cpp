#include "runtime/caching/statistics/turns.hpp"

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>

#include "runtime/caching/statistics/sweep.hpp"

namespace gpucheck::runtime::detail {
namespace {

/// Allocations. To pass the turn takes the time of a few, and more where threads meet.
constexpr std::int64_t short_turn = 8;
/// If the others make fewer than one in so many changes, logs cost more than turns would.
constexpr std::size_t rare = 32;

/// Holds arenas, in the order of their numbers.
class Held {
 public:
  explicit Held(std::span<Arena* const> arenas) : arenas_(arenas) {
    for (Arena* arena : arenas_) arena->lock.lock();
  }
  ~Held() {
    for (Arena* arena : arenas_) arena->lock.unlock();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  std::span<Arena* const> arenas_;
};

}  // namespace

bool Turns::is_member(const Arena& arena) const noexcept {
  return std::ranges::find(members_, &arena, &Member::arena) != members_.end();
}

bool Turns::may_need_logs() const noexcept { return means_ != Means::turn || mean_turn_ < short_turn; }

void Turns::admit(Arena& arena) {
  prepare(arena);
  if (means_ == Means::logs && !is_member(arena)) {
    const std::scoped_lock lock(arena.lock);
    add(arena);
    return;
  }
  held_.clear();
  for (const Member& member : members_) held_.push_back(member.arena);
  if (!is_member(arena)) held_.push_back(&arena);
  std::ranges::sort(held_, {}, &Arena::number);
  {
    const Held held(held_);
    if (arena.counters().room > 0) return;
    change_period(arena);
  }
  settle_ended();
  propose_limits();
}

/// A change with every arena closed may exceed a limit unnoticed: it ends the limits.
void Turns::admit_closed(Arena& arena) {
  if (arena.counters().room > 0 && means_ != Means::limits) return;
  prepare(arena);
  if (means_ == Means::logs && !is_member(arena)) {
    add(arena);
    return;
  }
  change_period(arena);
  settle_ended();
  propose_limits();
}

void Turns::settle() {
  if (!members_.empty()) prepare(*members_.front().arena);
  end_period();
  if (means_ == Means::limits) means_ = Means::logs;
  for (const Member& member : ended_) add(member);
  settle_ended();
}

/// Memory for what is done with arenas held, where nothing is allocated.
void Turns::prepare(Arena& arena) {
  members_.reserve(members_.size() + 1);
  ended_.reserve(members_.size() + 1);
  if (!may_need_logs()) return;
  const auto make_logs = [](Arena& of) {
    for (auto& log : of.logs) {
      if (log == nullptr) log = std::make_unique_for_overwrite<ChangeLog>();
    }
  };
  for (const Member& member : members_) make_logs(*member.arena);
  make_logs(arena);
}

void Turns::change_period(Arena& arena) {
  end_period();
  means_ = choose_means();
  for (const Member& member : ended_) {
    const bool counts = member.log == nullptr || member.log->size() > 0;
    if (means_ != Means::turn && counts && member.arena != &arena) add(member);
  }
  const auto before = std::ranges::find(ended_, &arena, &Member::arena);
  before == ended_.end() ? static_cast<void>(add(arena)) : add(*before);
}

void Turns::end_period() {
  ended_.clear();
  ended_.swap(members_);
  ended_means_ = means_;
  for (Member& member : ended_) {
    Counters& counters = member.arena->counters();
    member.end = counters.values();
    member.highest = counters.highest();
    member.allocations = counters.allocations() - member.allocations;
    if (member.log != nullptr) member.log->end(counters);
    counters.room = 0;
    counters.log = nullptr;
  }
}

Turns::Means Turns::choose_means() {
  switch (ended_means_) {
    case Means::turn: {
      const bool turns_are_short = may_need_logs();
      for (const Member& member : ended_) mean_turn_ = (7 * mean_turn_ + std::min(member.allocations, long_turn)) / 8;
      return turns_are_short ? Means::logs : Means::turn;
    }
    case Means::logs:
      if (!one_counts_nearly_alone()) return limits_would_do() ? Means::limits : Means::logs;
      mean_turn_ = long_turn;
      return Means::turn;
    case Means::limits:
      return Means::logs;
  }
  return Means::logs;
}

bool Turns::one_counts_nearly_alone() const noexcept {
  std::size_t all = 0;
  std::size_t most = 0;
  for (const Member& member : ended_) {
    all += member.log->size();
    most = std::max(most, member.log->size());
  }
  return (all - most) * rare < all;
}

/// Whether all arenas together stay below the peaks when each goes no higher than in the period
/// before the one that has ended.
bool Turns::limits_would_do() {
  ScopeValues bounds = ledger_.sums();
  for (Member& member : ended_) {
    if (!member.has_limits) return false;
    raise(member.limits, over_scopes(member.end));
    add_difference(bounds, member.limits, over_scopes(member.begin));
  }
  return !ledger_.may_raise_peaks(bounds);
}

Turns::Member& Turns::add(Arena& arena) {
  Counters& counters = arena.counters();
  Member& member =
      members_.emplace_back(Member{.arena = &arena, .begin = counters.values(), .allocations = counters.allocations()});
  counters.begin_highest();
  counters.room = 1;
  if (means_ == Means::logs) {
    std::swap(arena.logs[0], arena.logs[1]);
    member.log = arena.logs[0].get();
    member.log->begin(counters);
    counters.log = member.log;
    counters.room = ChangeLog::capacity;
  }
  return member;
}

void Turns::add(const Member& ended) {
  Member& member = add(*ended.arena);
  member.limits = ended.limits;
  member.has_limits = ended.has_limits;
  if (means_ == Means::limits) ended.arena->counters().limit(ended.limits);
}

/// With the arenas that counted in the period before, while they go on.
void Turns::settle_ended() {
  if (ended_means_ == Means::logs) settle_logs();
  if (ended_means_ == Means::turn) {
    for (const Member& member : ended_) {
      ScopeValues highest = ledger_.sums();
      add_difference(highest, member.highest, over_scopes(member.begin));
      ledger_.raise_peaks(highest);
    }
  }
  for (const Member& member : ended_) ledger_.move(member.begin, member.end);
  // Where a limit was exceeded, just now:
  ledger_.raise_peaks(ledger_.sums());
}

void Turns::settle_logs() const {
  std::vector<const ChangeLog*> logs;
  for (const Member& member : ended_) logs.push_back(member.log);
  raise_peaks(ledger_, logs);
}

void Turns::propose_limits() {
  if (ended_means_ != Means::logs || means_ != Means::logs) return;
  for (Member& member : members_) {
    const auto before = std::ranges::find(ended_, member.arena, &Member::arena);
    member.has_limits = before != ended_.end() && before->log->size() > 0;
    if (member.has_limits) member.limits = before->log->highest();
  }
}

}  // namespace gpucheck::runtime::detail
