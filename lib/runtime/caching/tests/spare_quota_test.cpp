#include "runtime/caching/statistics/spare_quota.hpp"

#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <vector>

namespace gpucheck::runtime::detail {
namespace {

constexpr std::size_t small = Counters::index(PoolKind::small);

/// Arenas whose counters stand where the tests put them.
struct SpareQuota : testing::Test {
  explicit SpareQuota(std::size_t count = 4) {
    for (std::size_t i = 0; i < count; ++i) {
      arenas.close_all();
      static_cast<void>(arenas.get_or_make(pool, {.value = i + 1}));
      arenas.reopen_all();
    }
  }

  Arena& arena(std::size_t number) { return *arenas.all()[number]; }
  Counters& counters(std::size_t number) { return arena(number).counters(); }
  void set(std::size_t number, std::int64_t bytes, std::int64_t quota) {
    counters(number).current[small][allocated_bytes] = bytes;
    counters(number).quota[small][allocated_bytes] = quota;
    counters(number).quota[all_scope][allocated_bytes] = quota;
    arena(number).quota_exchange.may_give = true;
  }
  std::int64_t spare(std::size_t number) { return counters(number).spare(small, allocated_bytes); }
  std::int64_t sum_of_quotas(std::size_t scope) {
    std::int64_t sum = 0;
    for (const auto& one : arenas.all()) sum += one->counters().quota[scope][allocated_bytes];
    return sum;
  }

  bool take(Arena& taker) { return take_spare_quota(arenas, ledger, taker); }

  Pool pool;
  ArenaTable arenas;
  Ledger ledger;
};

TEST_F(SpareQuota, TwoArenasEndWithTheSameToSpare) {
  set(0, 110, 100);
  set(1, 20, 80);
  EXPECT_TRUE(take(arena(0)));
  EXPECT_EQ(spare(0), 25);
  EXPECT_EQ(spare(1), 25);
  EXPECT_EQ(sum_of_quotas(small), 180);
  EXPECT_EQ(sum_of_quotas(all_scope), 180);
}

TEST_F(SpareQuota, SeveralGiveWhatOneHasNot) {
  set(0, 130, 100);
  set(1, 80, 90);
  set(2, 75, 90);
  set(3, 80, 90);
  EXPECT_TRUE(take(arena(0)));
  EXPECT_GE(spare(0), 0);
  EXPECT_EQ(sum_of_quotas(small), 370);
}

TEST_F(SpareQuota, NothingIsTakenThatIsUsed) {
  set(0, 130, 100);
  set(1, 85, 90);
  set(2, 95, 90);  // exceeds its quota as well, for the moment
  EXPECT_FALSE(take(arena(0)));
  EXPECT_EQ(spare(0), -25);
  EXPECT_EQ(spare(1), 0);
  EXPECT_EQ(spare(2), -5);
}

TEST_F(SpareQuota, NobodyIsAskedWithoutNeed) {
  set(0, 100, 100);
  set(1, 10, 90);
  EXPECT_TRUE(take(arena(0)));
  EXPECT_EQ(spare(1), 80);
}

TEST_F(SpareQuota, AnIdleArenaGivesAllAndIsNotAskedAgain) {
  set(0, 100, 100);
  set(1, 0, 1'000'000);
  for (int i = 0; i < 12; ++i) {
    counters(0).current[small][allocated_bytes] = counters(0).quota[small][allocated_bytes] + 1;
    ASSERT_TRUE(take(arena(0)));
    if (!arena(1).quota_exchange.may_give) break;
  }
  EXPECT_EQ(spare(1), 0);
  EXPECT_FALSE(arena(1).quota_exchange.may_give);
}

/// Threads that all come and go, each in an arena of its own, lose and gain no quota.
TEST_F(SpareQuota, TheSumStaysAsItIs) {
  for (std::size_t i = 0; i < 4; ++i) set(i, 0, 1000);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (std::int64_t round = 0; round < 2000; ++round) {
        std::unique_lock lock(arena(i).lock);
        const bool exceeds = counters(i).increase(PoolKind::small, allocated_bytes, 1 + round % 900);
        lock.unlock();
        if (exceeds) static_cast<void>(take(arena(i)));
        lock.lock();
        counters(i).decrease(PoolKind::small, allocated_bytes, 1 + round % 900);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum_of_quotas(small), 4000);
  EXPECT_EQ(sum_of_quotas(all_scope), 4000);
}

/// What is on its way while the ledger shares everything out is not given twice.
TEST_F(SpareQuota, AGiftIsVoidOnceTheLedgerHasSeenAllArenas) {
  set(0, 100, 0);
  ledger.rebalance(arenas.counters(), 0);
  counters(0).decrease(PoolKind::small, allocated_bytes, 60);
  const QuotaGift gift = give_spare_quota(arena(0), ledger, counters(1).spare());
  EXPECT_GT(gift.quotas[small][allocated_bytes], 0);
  counters(2).increase(PoolKind::small, allocated_bytes, 70);
  ledger.rebalance(arenas.counters(), 2);
  accept_quota(arena(1), ledger, gift);
  EXPECT_EQ(sum_of_quotas(small), 110);  // the peak: 40 and 70
  EXPECT_EQ(sum_of_quotas(all_scope), 110);
}

}  // namespace
}  // namespace gpucheck::runtime::detail
