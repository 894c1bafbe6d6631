#include "runtime/caching/arena/arena_lock.hpp"

#include <chrono>
#include <ctime>
#include <gtest/gtest.h>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

namespace gpucheck::runtime::detail {
namespace {

using namespace std::chrono_literals;

std::chrono::nanoseconds time_on_a_processor() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

TEST(ArenaLock, OneThreadAtATimeIsInside) {
  ArenaLock lock;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 10'000; ++round) {
        if (i == 0 && round % 16 == 0) {  // one thread at a time closes
          lock.close();
          ++count;
          lock.reopen();
        } else {
          const std::scoped_lock held(lock);
          ++count;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 40'000);
}

/// Whoever waits for a call of the device leaves the processor to others.
TEST(ArenaLock, WhoFindsItClosedSleeps) {
  ArenaLock lock;
  lock.close();
  std::latch begun(1);
  std::chrono::nanoseconds waited{};
  std::thread waiter([&] {
    begun.count_down();
    const auto start = time_on_a_processor();
    const std::scoped_lock held(lock);
    waited = time_on_a_processor() - start;
  });
  begun.wait();
  std::this_thread::sleep_for(300ms);
  lock.reopen();
  waiter.join();
  EXPECT_LT(waited, 30ms);
}

TEST(ArenaLock, AllThatSleepAreWoken) {
  ArenaLock lock;
  for (int round = 0; round < 50; ++round) {
    lock.close();
    std::vector<std::thread> waiters;
    for (int i = 0; i < 3; ++i) waiters.emplace_back([&] { const std::scoped_lock held(lock); });
    if (round % 2 == 0) std::this_thread::sleep_for(1ms);
    lock.reopen();
    for (std::thread& waiter : waiters) waiter.join();
  }
}

}  // namespace
}  // namespace gpucheck::runtime::detail
