#include "runtime/caching/statistics/sweep.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace gpucheck::runtime::detail {
namespace {

/// An arena's counters with a log.
struct Writer {
  Writer() {
    log->begin(counters);
    counters.log = log.get();
    counters.room = ChangeLog::capacity;
  }
  void allocate(PoolKind kind, std::int64_t bytes) { counters.add_block(kind, bytes, bytes, {1, bytes}); }
  void free(PoolKind kind, std::int64_t bytes) { counters.remove_block(kind, bytes, bytes, {-1, -bytes}); }

  Counters counters;
  std::unique_ptr<ChangeLog> log = std::make_unique<ChangeLog>();
};

MemoryStatistics peaks_after(std::vector<Writer>& writers) {
  Ledger ledger;
  std::vector<const ChangeLog*> logs;
  for (Writer& writer : writers) {
    writer.log->end(writer.counters);
    logs.push_back(writer.log.get());
  }
  raise_peaks(ledger, logs);
  MemoryStatistics result;
  ledger.report({}, result);
  return result;
}

TEST(Sweep, HighestValuesOfDifferentTimesDoNotAddUp) {
  std::vector<Writer> writers(2);
  for (Writer& writer : writers) {
    writer.allocate(PoolKind::small, 100);
    writer.free(PoolKind::small, 100);
  }
  EXPECT_EQ(peaks_after(writers).allocated_bytes.all.peak, 100);
}

TEST(Sweep, SmallAndLargeBlocksHavePeaksOfTheirOwn) {
  std::vector<Writer> writers(2);
  writers[0].allocate(PoolKind::small, 10);
  writers[1].allocate(PoolKind::large, 1000);
  writers[0].free(PoolKind::small, 10);
  writers[1].allocate(PoolKind::large, 5);
  const MemoryStatistics stats = peaks_after(writers);
  EXPECT_EQ(stats.allocated_bytes.small_pool.peak, 10);
  EXPECT_EQ(stats.allocated_bytes.large_pool.peak, 1005);
  EXPECT_EQ(stats.allocated_bytes.all.peak, 1010);
  EXPECT_EQ(stats.allocation.all.peak, 2);
  EXPECT_EQ(stats.inactive_split_bytes.all.peak, 1010);
}

TEST(Sweep, ALogWithoutChangesStaysAsItWas) {
  std::vector<Writer> writers(2);
  writers[1].allocate(PoolKind::small, 10);
  EXPECT_EQ(peaks_after(writers).allocated_bytes.all.peak, 10);
}

TEST(Sweep, TimesOfALogRise) {
  Writer writer;
  for (int i = 0; i < 100; ++i) writer.allocate(PoolKind::small, 1);
  for (std::size_t i = 1; i < 100; ++i) EXPECT_LT((*writer.log)[i - 1].time, (*writer.log)[i].time);
}

void write_at_random(Writer& writer, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> live;
  for (std::size_t i = 0; i < ChangeLog::capacity; ++i) {
    const bool grows = i % 200 < 100 ? random() % 4 != 0 : random() % 4 == 0;
    if (live.empty() || grows) {
      live.push_back(static_cast<std::int64_t>(1 + random() % 1000));
      writer.allocate(PoolKind::small, live.back());
    } else {
      writer.free(PoolKind::small, live.back());
      live.pop_back();
    }
  }
}

/// Threads that write at the same time: the peaks are those of all changes put in the order of their times.
TEST(Sweep, FindsWhatAllChangesInOrderGive) {
  for (std::uint64_t round = 0; round < 20; ++round) {
    std::vector<Writer> writers(1 + round % 5);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < writers.size(); ++i) {
      threads.emplace_back([&, i] { write_at_random(writers[i], 100 * round + i); });
    }
    for (std::thread& thread : threads) thread.join();
    std::vector<Change> changes;
    for (const Writer& writer : writers) {
      for (std::size_t i = 0; i < writer.log->size(); ++i) changes.push_back((*writer.log)[i]);
    }
    std::ranges::stable_sort(changes, {}, &Change::time);
    std::int64_t bytes = 0;
    std::int64_t peak = 0;
    for (const Change& change : changes) {
      bytes += change.bytes;
      peak = std::max(peak, bytes);
    }
    EXPECT_EQ(peaks_after(writers).allocated_bytes.all.peak, peak) << "round " << round;
  }
}

}  // namespace
}  // namespace gpucheck::runtime::detail
