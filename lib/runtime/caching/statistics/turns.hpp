#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/caching/arena/arena.hpp"
#include "runtime/caching/statistics/ledger.hpp"

namespace gpucheck::runtime::detail {

/// Says which arenas may count, and what they keep meanwhile, so that the ledger knows every peak of
/// the sums over all arenas. README.md says why this is enough.
///
/// Needs the settling mutex, or every arena closed.
class Turns {
 public:
  explicit Turns(Ledger& ledger) noexcept : ledger_(ledger) {}

  /// Gives the arena room to count. To be called with no arena held; another thread may have used
  /// up the room when it returns.
  void admit(Arena& arena);
  /// The same for one change with every arena closed.
  void admit_closed(Arena& arena);
  /// Brings the ledger up to date, with every arena closed.
  void settle();

 private:
  enum class Means : std::uint8_t {
    turn,    ///< one arena counts
    logs,    ///< several do, and write down what
    limits,  ///< several do, none as much as could raise a peak
  };
  /// An arena that may count in the present period.
  struct Member {
    Arena* arena = nullptr;
    KindValues begin{};        ///< its counters when the period began
    std::int64_t allocations;  ///< all before that; once the period has ended, those in the period
    ChangeLog* log = nullptr;  ///< that it writes
    ScopeValues limits{};      ///< highest values of the period before; as long as it writes a log, a proposal
    bool has_limits = false;
    // Known when the period has ended:
    KindValues end{};
    ScopeValues highest{};  ///< without a log
  };

  [[nodiscard]] bool is_member(const Arena& arena) const noexcept;
  [[nodiscard]] bool may_need_logs() const noexcept;
  void prepare(Arena& arena);
  void change_period(Arena& arena);
  void end_period();
  [[nodiscard]] Means choose_means();
  [[nodiscard]] bool one_counts_nearly_alone() const noexcept;
  [[nodiscard]] bool limits_would_do();
  Member& add(Arena& arena);
  void add(const Member& ended);
  void settle_ended();
  void settle_logs() const;
  void propose_limits();

  Ledger& ledger_;
  Means means_ = Means::turn;
  std::int64_t mean_turn_ = long_turn;  ///< allocations in a turn, of late
  std::vector<Member> members_;
  Means ended_means_ = Means::turn;
  std::vector<Member> ended_;  ///< members of the period before, until it is settled
  std::vector<Arena*> held_;   ///< kept for its memory

  static constexpr std::int64_t long_turn = 256;
};

}  // namespace gpucheck::runtime::detail
