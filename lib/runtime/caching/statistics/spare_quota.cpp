#include "runtime/caching/statistics/spare_quota.hpp"

#include <mutex>
#include <utility>

namespace gpucheck::runtime::detail {
namespace {

/// With all arenas held, one that needs more gets it sooner.
constexpr int max_donors = 3;
/// An arena that is asked so often without having allocated meanwhile needs no quota for now.
constexpr int asks_until_idle = 8;

/// The next after the last one that may have something to give; null when there is none.
Arena* next_donor(const ArenaTable& arenas, Arena& taker) {
  const auto& all = arenas.all();
  std::size_t& number = taker.quota_exchange.last_donor;
  for (std::size_t step = 0; step < all.size(); ++step) {
    number = (number + 1) % all.size();
    Arena& donor = *all[number];
    if (&donor != &taker && donor.quota_exchange.may_give.load(std::memory_order_relaxed)) return &donor;
  }
  return nullptr;
}

}  // namespace

QuotaGift give_spare_quota(Arena& donor, const Ledger& ledger, const Quotas& theirs) {
  const std::scoped_lock lock(donor.lock);
  Counters& counters = donor.counters();
  Arena::QuotaExchange& exchange = donor.quota_exchange;
  const std::int64_t before = std::exchange(exchange.allocations, counters.allocations());
  exchange.times_asked = exchange.allocations == before ? exchange.times_asked + 1 : 0;
  const QuotaGift gift{counters.give_spare(theirs, exchange.times_asked >= asks_until_idle), ledger.rebalances()};
  exchange.may_give.store(counters.has_spare(), std::memory_order_relaxed);
  return gift;
}

void accept_quota(Arena& taker, const Ledger& ledger, const QuotaGift& gift) noexcept {
  if (gift.rebalances == ledger.rebalances()) taker.counters().add_quotas(gift.quotas);
}

bool take_spare_quota(const ArenaTable& arenas, const Ledger& ledger, Arena& taker) {
  std::unique_lock lock(taker.lock);
  taker.quota_exchange.may_give.store(true, std::memory_order_relaxed);
  for (int donors = 0; taker.counters().exceeds_any(); ++donors) {
    Arena* const donor = donors < max_donors ? next_donor(arenas, taker) : nullptr;
    if (donor == nullptr) return false;
    const Quotas spare = taker.counters().spare();
    lock.unlock();
    const QuotaGift gift = give_spare_quota(*donor, ledger, spare);
    lock.lock();
    accept_quota(taker, ledger, gift);
  }
  return true;
}

}  // namespace gpucheck::runtime::detail
