#include "runtime/caching/statistics/turns.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "runtime/caching/tables/arena_table.hpp"

namespace gpucheck::runtime::detail {
namespace {

/// Arenas whose counters move as the tests say. One thread, so that no arena need be held.
struct TurnsTest : testing::Test {
  TurnsTest() {
    for (std::uint64_t stream = 1; stream <= 4; ++stream) static_cast<void>(arenas.get_or_make(pool, {stream}));
    arenas.reopen_all();
  }
  Counters& counters(std::size_t number) { return arenas.all()[number]->counters(); }

  void admit_if_needed(std::size_t number) {
    while (counters(number).room == 0) turns.admit(*arenas.all()[number]);
  }
  void allocate(std::size_t number, std::int64_t bytes = 1) {
    admit_if_needed(number);
    counters(number).add_block(PoolKind::small, bytes, bytes, {});
    admit_if_needed(number);
  }
  void free(std::size_t number, std::int64_t bytes = 1) {
    admit_if_needed(number);
    counters(number).remove_block(PoolKind::small, bytes, bytes, {});
    admit_if_needed(number);
  }
  void allocate_and_free(std::size_t number, int times, std::int64_t bytes = 1) {
    for (int i = 0; i < times; ++i) {
      allocate(number, bytes);
      free(number, bytes);
    }
  }
  void alternate(int times) {
    for (int i = 0; i < times; ++i) {
      allocate_and_free(0, 1);
      allocate_and_free(1, 1);
    }
  }
  bool writes_log(std::size_t number) { return counters(number).log != nullptr; }

  MemoryStatistics report() {
    turns.settle();
    MemoryStatistics result;
    ledger.report(arenas.counters(), result);
    return result;
  }
  std::int64_t peak_bytes() { return report().allocated_bytes.all.peak; }
  void reset_peaks() {
    turns.settle();
    ledger.reset_peaks();
  }

  Pool pool;
  ArenaTable arenas;
  Ledger ledger;
  Turns turns{ledger};
};

/// Enough for logs to be written, and enough for limits to be set.
constexpr int many_turns = 100;
constexpr int two_full_logs = static_cast<int>(ChangeLog::capacity) + many_turns;

TEST_F(TurnsTest, OneArenaCountsUntilAnotherWantsTo) {
  allocate(0);
  EXPECT_GT(counters(0).room, 0U);
  EXPECT_EQ(counters(1).room, 0U);
  allocate(1);
  EXPECT_EQ(counters(0).room, 0U);
  EXPECT_GT(counters(1).room, 0U);
  EXPECT_FALSE(writes_log(0) || writes_log(1));
}

TEST_F(TurnsTest, AHighTurnIsAPeakOnlyWithWhatTheOthersHad) {
  allocate(1, 10);
  allocate(0, 100);  // 110 together
  free(0, 100);
  allocate(1, 50);  // 60 together
  EXPECT_EQ(peak_bytes(), 110);
  allocate(2, 60);  // 120 together
  EXPECT_EQ(peak_bytes(), 120);
  EXPECT_EQ(report().allocated_bytes.all.current, 120);
}

TEST_F(TurnsTest, ShortTurnsAreReplacedByLogs) {
  alternate(many_turns);
  EXPECT_TRUE(writes_log(0));
  EXPECT_TRUE(writes_log(1));
  EXPECT_FALSE(writes_log(2));
  EXPECT_EQ(peak_bytes(), 1);
}

TEST_F(TurnsTest, LongTurnsAreNot) {
  for (int i = 0; i < many_turns; ++i) {
    allocate_and_free(0, 50);
    allocate_and_free(1, 50);
  }
  EXPECT_FALSE(writes_log(0) || writes_log(1));
}

TEST_F(TurnsTest, AnArenaThatComesLaterWritesALogToo) {
  alternate(many_turns);
  allocate(2, 70);
  EXPECT_TRUE(writes_log(2));
  allocate(0, 30);
  free(2, 70);
  allocate(1, 5);
  EXPECT_EQ(peak_bytes(), 100);
}

TEST_F(TurnsTest, WhenOneIsLeftItHasTheTurn) {
  alternate(many_turns);
  allocate_and_free(0, two_full_logs);
  EXPECT_FALSE(writes_log(0));
  EXPECT_EQ(counters(1).room, 0U);
}

TEST_F(TurnsTest, WhoGoesNoHigherThanBeforeGetsALimitInsteadOfALog) {
  for (int i = 0; i < two_full_logs; ++i) {
    allocate(0);
    allocate(1);
    free(0);
    free(1);
  }
  EXPECT_FALSE(writes_log(0) || writes_log(1));
  EXPECT_GT(counters(0).room, 0U);
  EXPECT_GT(counters(1).room, 0U);
  EXPECT_EQ(peak_bytes(), 2);
}

TEST_F(TurnsTest, WhoMayRaiseAPeakGetsNoLimit) {
  alternate(two_full_logs);  // never both at once, but they may be
  EXPECT_TRUE(writes_log(0) && writes_log(1));
}

TEST_F(TurnsTest, APeakBeyondTheLimitsIsSeenAtOnce) {
  for (int i = 0; i < two_full_logs; ++i) {
    allocate(0);
    allocate(1);
    free(0);
    free(1);
  }
  allocate(1);
  allocate(0, 7);
  EXPECT_TRUE(writes_log(0) && writes_log(1));
  free(0, 7);
  EXPECT_EQ(peak_bytes(), 8);
}

TEST_F(TurnsTest, AfterAResetLimitsAreNoMore) {
  for (int i = 0; i < two_full_logs; ++i) {
    allocate(0);
    allocate(1);
    free(0);
    free(1);
  }
  reset_peaks();
  allocate_and_free(1, 1);
  EXPECT_EQ(peak_bytes(), 1);
}

TEST_F(TurnsTest, WithEveryArenaClosedThereAreNoLimits) {
  for (int i = 0; i < two_full_logs; ++i) {
    allocate(0);
    allocate(1);
    free(0);
    free(1);
  }
  turns.admit_closed(*arenas.all()[0]);
  counters(0).add_block(PoolKind::small, 9, 9, {});
  EXPECT_TRUE(writes_log(1));
  counters(0).remove_block(PoolKind::small, 9, 9, {});
  EXPECT_EQ(peak_bytes(), 9);
}

TEST_F(TurnsTest, PendingFreesAreActive) {
  for (const bool with_logs : {false, true}) {
    if (with_logs) alternate(many_turns);
    reset_peaks();
    allocate(0, 100);
    admit_if_needed(0);
    counters(0).begin_pending_free(PoolKind::small, 100);
    allocate(1, 30);
    free(1, 30);
    allocate(0, 40);
    free(0, 40);
    admit_if_needed(0);
    counters(0).end_pending_free(PoolKind::small, 100, 100, {});
    EXPECT_EQ(peak_bytes(), 100);
    EXPECT_EQ(report().active_bytes.all.peak, 140);
    EXPECT_EQ(report().active.all.peak, 2);
    EXPECT_EQ(report().active.all.current, 0);
  }
}

/// Whatever turns, logs and limits follow upon each other.
TEST_F(TurnsTest, PeaksAreThoseOfTheSums) {
  std::mt19937_64 random(11);
  std::vector<std::vector<std::int64_t>> live(4);
  std::int64_t sum = 0;
  std::int64_t peak = 0;
  std::size_t arena_count = 1;
  std::size_t most_blocks = 1;
  for (int step = 0; step < 200'000; ++step) {
    if (step % 5000 == 0) {
      arena_count = 1 + random() % 4;
      most_blocks = 1 + random() % 20;
    }
    const std::size_t number = random() % arena_count;
    if (live[number].size() < most_blocks && random() % 2 == 0) {
      live[number].push_back(static_cast<std::int64_t>(1 + random() % 100));
      sum += live[number].back();
      peak = std::max(peak, sum);
      allocate(number, live[number].back());
    } else if (!live[number].empty()) {
      sum -= live[number].back();
      free(number, live[number].back());
      live[number].pop_back();
    }
    if (step % 9973 == 0) {
      ASSERT_EQ(peak_bytes(), peak) << "step " << step;
      reset_peaks();
      peak = sum;
    }
  }
}

}  // namespace
}  // namespace gpucheck::runtime::detail
