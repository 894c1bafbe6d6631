#pragma once

#include "runtime/caching/statistics/ledger.hpp"
#include "runtime/caching/tables/arena_table.hpp"

namespace gpucheck::runtime::detail {

/// Quota on its way from one arena to another. It is nobody's for the moment, which no rule
/// forbids; when the ledger shares everything out meanwhile, this is part of it.
struct QuotaGift {
  Quotas quotas{};
  std::uint64_t rebalances = 0;  ///< the ledger's when it was given
};
/// What an arena gives another that has `theirs` to spare. Takes the lock.
[[nodiscard]] QuotaGift give_spare_quota(Arena& donor, const Ledger& ledger, const Quotas& theirs);
/// Needs the lock. Drops what is void.
void accept_quota(Arena& taker, const Ledger& ledger, const QuotaGift& gift) noexcept;

/// Brings an arena that exceeds a quota back within it, by what a few other arenas do not use of
/// theirs. False when that is not enough: the ledger then has to see all arenas. To be called
/// without any lock; holds one arena at a time, while all others go on.
[[nodiscard]] bool take_spare_quota(const ArenaTable& arenas, const Ledger& ledger, Arena& taker);

}  // namespace gpucheck::runtime::detail
