#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <random>
#include <string>
#include <thread>
#include <vector>

/// The loops that both sides of the comparison with PyTorch run, word for word. A side
/// brings an allocator: `void* allocate(std::size_t)` and `void free(void*)` on the
/// calling thread's stream. Prints "NAME<tab>VALUE" lines: nanoseconds for one
/// allocation and its free, or millions of them a second.
namespace peers {

using Clock = std::chrono::steady_clock;

inline double nanoseconds(Clock::time_point start, Clock::time_point stop) {
  return std::chrono::duration<double, std::nano>(stop - start).count();
}

inline void print(const std::string& name, double value) { std::printf("%s\t%.3f\n", name.c_str(), value); }

/// Nanoseconds for allocating and freeing a block that the cache has.
template <typename Allocator>
double cached_block_ns(Allocator& allocator, std::size_t bytes, int count) {
  for (int i = 0; i < 1000; ++i) allocator.free(allocator.allocate(bytes));
  const auto start = Clock::now();
  for (int i = 0; i < count; ++i) allocator.free(allocator.allocate(bytes));
  return nanoseconds(start, Clock::now()) / count;
}

/// Nanoseconds for replacing a random one of `live_count` blocks of 512 B to 2 MiB,
/// log-uniform. The draws are included.
template <typename Allocator>
double churn_ns(Allocator& allocator, std::size_t live_count) {
  constexpr int warm_up = 50'000;
  constexpr int count = 200'000;
  std::mt19937_64 random(1);
  const auto size = [&random] {
    const double uniform = static_cast<double>(random() >> 11U) * 0x1p-53;
    return static_cast<std::size_t>(512 * std::pow(2.0, uniform * 12));
  };
  std::vector<void*> live;
  for (std::size_t i = 0; i < live_count; ++i) live.push_back(allocator.allocate(size()));
  const auto replace = [&](int times) {
    for (int i = 0; i < times; ++i) {
      void*& pointer = live[random() % live.size()];
      allocator.free(pointer);
      pointer = allocator.allocate(size());
    }
  };
  replace(warm_up);
  const auto start = Clock::now();
  replace(count);
  const double result = nanoseconds(start, Clock::now()) / count;
  for (void* pointer : live) allocator.free(pointer);
  return result;
}

/// Millions of allocations and frees of 4 KiB a second, all threads together, each on
/// a stream of its own: `make()` gives a thread its allocator, on that thread.
template <typename Make>
double threads_per_microsecond(int thread_count, Make make) {
  constexpr int count = 200'000;
  std::latch ready(thread_count + 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) {
    threads.emplace_back([&] {
      auto allocator = make();
      allocator.free(allocator.allocate(4096));
      ready.arrive_and_wait();
      for (int round = 0; round < count; ++round) allocator.free(allocator.allocate(4096));
    });
  }
  ready.arrive_and_wait();
  const auto start = Clock::now();
  for (std::thread& thread : threads) thread.join();
  return thread_count * 1e3 * count / nanoseconds(start, Clock::now());
}

/// An allocator that costs nothing: what of `churn_ns` is the loop itself.
struct NoAllocator {
  void* allocate(std::size_t bytes) { return reinterpret_cast<void*>(bytes); }
  void free(void* pointer) { kept = pointer; }
  void* volatile kept = nullptr;
};

/// Everything. `empty_cache()` gives cached memory back; `record(bool)` turns a history
/// of 100,000 events without stacks on or off.
template <typename Allocator, typename Make, typename EmptyCache, typename Record>
void run(Allocator& allocator, Make make, EmptyCache empty_cache, Record record) {
  constexpr int count = 200'000;
  for (const std::size_t bytes :
       {std::size_t{512}, std::size_t{1} << 20, std::size_t{20} << 20, std::size_t{200} << 20}) {
    print("cached " + std::to_string(bytes) + " B, ns", cached_block_ns(allocator, bytes, count));
  }
  empty_cache();
  for (const std::size_t live : {100U, 1'000U, 10'000U}) {
    print("churn " + std::to_string(live) + " live, ns", churn_ns(allocator, live));
    empty_cache();
  }
  NoAllocator nothing;
  print("churn loop alone, ns", churn_ns(nothing, 1'000));
  for (const int threads : {1, 2, 4, 8}) {
    print(std::to_string(threads) + " threads, million/s", threads_per_microsecond(threads, make));
  }
  print("history off 4096 B, ns", cached_block_ns(allocator, 4096, count));
  record(true);
  print("history on 4096 B, ns", cached_block_ns(allocator, 4096, count));
  record(false);
}

}  // namespace peers
