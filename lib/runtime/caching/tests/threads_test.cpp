#include <algorithm>
#include <atomic>
#include <barrier>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "base/text/units.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {
namespace {

constexpr int thread_count = 4;

/// Random allocations and frees, half of the frees of blocks that another thread made.
class Exchange {
 public:
  void put(void* pointer) {
    const std::scoped_lock lock(mutex_);
    pointers_.push_back(pointer);
  }
  void* take() {
    const std::scoped_lock lock(mutex_);
    if (pointers_.empty()) return nullptr;
    void* pointer = pointers_.back();
    pointers_.pop_back();
    return pointer;
  }

 private:
  std::mutex mutex_;
  std::vector<void*> pointers_;
};

void work(CachingAllocator& allocator, device::Stream own, device::Stream shared, std::uint64_t seed,
          Exchange& exchange) {
  std::mt19937_64 random(seed);
  std::vector<void*> live;
  for (int step = 0; step < 3000; ++step) {
    if (live.size() < 20 || random() % 2 == 0) {
      void* pointer = allocator.allocate(1 + random() % (1U << (random() % 23)), random() % 4 == 0 ? shared : own);
      if (random() % 16 == 0) allocator.record_stream(pointer, shared);
      if (random() % 4 == 0) {
        exchange.put(pointer);
      } else {
        live.push_back(pointer);
      }
    } else {
      allocator.free(live.back());
      live.pop_back();
    }
    if (random() % 4 == 0) allocator.free(exchange.take());
    if (random() % 256 == 0) allocator.empty_cache();
    if (random() % 256 == 0) static_cast<void>(allocator.snapshot());
  }
  for (void* pointer : live) allocator.free(pointer);
}

class Threads : public testing::TestWithParam<const char*> {};

TEST_P(Threads, MayAllDoEverything) {
  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  allocator.set_settings(GetParam());
  const device::Stream shared = machine.side_stream();
  std::vector<device::Stream> streams;
  for (int i = 0; i < thread_count; ++i) streams.push_back(machine.side_stream());
  Exchange exchange;
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) {
    threads.emplace_back([&, i] {
      work(allocator, streams[static_cast<std::size_t>(i)], shared, static_cast<std::uint64_t>(i), exchange);
    });
  }
  for (std::thread& thread : threads) thread.join();
  while (void* pointer = exchange.take()) allocator.free(pointer);
  allocator.empty_cache();
  const MemoryStatistics stats = allocator.stats();
  for (const PoolStatistic* statistic :
       {&stats.allocation, &stats.active, &stats.allocated_bytes, &stats.active_bytes, &stats.requested_bytes,
        &stats.inactive_split, &stats.inactive_split_bytes, &stats.segment, &stats.reserved_bytes}) {
    EXPECT_EQ(statistic->all.current, 0);
    EXPECT_EQ(statistic->all.allocated, statistic->all.freed);
    EXPECT_EQ(statistic->all.allocated, statistic->small_pool.allocated + statistic->large_pool.allocated);
    EXPECT_GE(statistic->all.peak, std::max(statistic->small_pool.peak, statistic->large_pool.peak));
    EXPECT_LE(statistic->all.peak, statistic->small_pool.peak + statistic->large_pool.peak);
  }
  EXPECT_EQ(machine.driver().live_bytes(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Settings, Threads, testing::Values("", "release_lock_on_cudamalloc:True"),
                         [](const auto& information) { return information.index == 0 ? "none" : "lock_released"; });

/// Threads that take turns see the same peak as one thread would.
TEST(ThreadsInTurn, HaveExactPeaks) {
  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  std::vector<void*> live;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 5; ++i) {
      const device::Stream stream = machine.side_stream();
      std::thread([&] { live.push_back(allocator.allocate(1000, stream)); }).join();
    }
    EXPECT_EQ(allocator.stats().allocation.all.peak, 5);
    EXPECT_EQ(allocator.stats().allocated_bytes.all.peak, 5 * 1024);
    for (void* pointer : live) std::thread([&] { allocator.free(pointer); }).join();
    live.clear();
  }
}

/// Threads, each with a stream, that pass a turn around: what one has done is before what the next does.
void pass_around(int rounds, const std::function<void(int thread, int round)>& work) {
  std::atomic<int> turn = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < thread_count; ++thread) {
    threads.emplace_back([&, thread] {
      for (int mine = thread; mine < rounds; mine += thread_count) {
        while (turn.load(std::memory_order_acquire) != mine) std::this_thread::yield();
        work(thread, mine);
        turn.store(mine + 1, std::memory_order_release);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

struct OrderedThreads : testing::Test {
  OrderedThreads() {
    for (int i = 0; i < thread_count; ++i) streams.push_back(machine.side_stream());
  }
  device::Stream stream_of(int thread) const { return streams[static_cast<std::size_t>(thread)]; }
  CachingAllocator& allocator() { return machine.allocator(); }

  static constexpr int rounds = 6000;
  Simulated machine;
  std::vector<device::Stream> streams;
};

TEST_F(OrderedThreads, AFreeIsBeforeTheAllocationThatFollowsOnAnotherThread) {
  pass_around(rounds, [&](int thread, int) { allocator().free(allocator().allocate(512, stream_of(thread))); });
  EXPECT_EQ(allocator().stats().allocation.all.peak, 1);
  EXPECT_EQ(allocator().stats().allocated_bytes.all.peak, 512);
}

TEST_F(OrderedThreads, AnAllocationIsBeforeTheFreeThatFollowsOnAnotherThread) {
  void* last = nullptr;
  pass_around(rounds, [&](int thread, int round) {
    void* const block = allocator().allocate(512, stream_of(thread));
    allocator().free(std::exchange(last, round == rounds - 1 ? nullptr : block));
    if (round == rounds - 1) allocator().free(block);
  });
  EXPECT_EQ(allocator().stats().allocation.all.peak, 2);
  EXPECT_EQ(allocator().stats().allocation.all.current, 0);
}

/// All at once, as far as a barrier lets them: the highest sum is where all wait.
TEST_F(OrderedThreads, WhatAllHaveAtABarrierIsThePeak) {
  constexpr int blocks = 5;
  constexpr int barrier_rounds = 300;
  std::barrier barrier(thread_count);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < thread_count; ++thread) {
    threads.emplace_back([&, thread] {
      std::vector<void*> live;
      for (int round = 0; round < barrier_rounds; ++round) {
        const bool all = round == barrier_rounds - 1;
        for (int i = 0; i < (all ? blocks : blocks - 1); ++i) {
          live.push_back(allocator().allocate(512, stream_of(thread)));
          if (i < 2) allocator().free(std::exchange(live.back(), allocator().allocate(512, stream_of(thread))));
        }
        barrier.arrive_and_wait();
        for (void* block : live) allocator().free(block);
        live.clear();
        barrier.arrive_and_wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(allocator().stats().allocation.all.peak, blocks * thread_count);
}

/// However the threads meet, each has `high` blocks at most.
TEST_F(OrderedThreads, PeaksAreWithinWhatCanHaveBeen) {
  constexpr std::size_t high = 40;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < thread_count; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937_64 random(static_cast<std::uint64_t>(thread));
      std::vector<void*> live;
      for (int step = 0; step < rounds; ++step) {
        if (live.size() < high && random() % 2 == 0) {
          live.push_back(allocator().allocate(1 + random() % 3000, stream_of(thread)));
        } else if (!live.empty()) {
          allocator().free(live.back());
          live.pop_back();
        }
        if (step % 4096 == 0) {
          const MemoryStatistics stats = allocator().stats();
          EXPECT_GE(stats.allocation.all.peak, stats.allocation.all.current);
          EXPECT_LE(stats.allocation.all.peak, static_cast<std::int64_t>(high) * thread_count);
        }
      }
      for (void* block : live) allocator().free(block);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const MemoryStatistics stats = allocator().stats();
  EXPECT_EQ(stats.allocation.all.current, 0);
  EXPECT_EQ(stats.active, stats.allocation);
  EXPECT_EQ(stats.active_bytes, stats.allocated_bytes);
  EXPECT_GE(stats.allocated_bytes.all.peak, stats.requested_bytes.all.peak);
}

}  // namespace
}  // namespace gpucheck::runtime::test
