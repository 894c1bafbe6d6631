#pragma once

#include <array>
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

#include "training_step.hpp"

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

/// Nanoseconds for two sizes alive in turns: no call asks for what the call before it freed.
template <typename Allocator>
double in_turns_ns(Allocator& allocator, std::size_t first_bytes, std::size_t second_bytes, int count) {
  void* first = allocator.allocate(first_bytes);
  const auto take_turns = [&](int times) {
    for (int i = 0; i < times; ++i) {
      void* second = allocator.allocate(second_bytes);
      allocator.free(first);
      first = allocator.allocate(first_bytes);
      allocator.free(second);
    }
  };
  take_turns(1000);
  const auto start = Clock::now();
  take_turns(count);
  const double result = nanoseconds(start, Clock::now()) / (2.0 * count);
  allocator.free(first);
  return result;
}

/// Nanoseconds for blocks of mixed sizes that are freed in reverse: a forward and its backward.
template <typename Allocator>
double nested_ns(Allocator& allocator, int count) {
  constexpr std::size_t depth = 16;
  std::array<std::size_t, depth> sizes{};
  std::mt19937 random(7);
  for (std::size_t& size : sizes) size = std::size_t{512} << (random() % 14);
  std::array<void*, depth> live{};
  const auto nest = [&](int times) {
    for (int i = 0; i < times; ++i) {
      for (std::size_t level = 0; level < depth; ++level) live[level] = allocator.allocate(sizes[level]);
      for (std::size_t level = depth; level-- > 0;) allocator.free(live[level]);
    }
  };
  nest(1000);
  const auto start = Clock::now();
  nest(count);
  return nanoseconds(start, Clock::now()) / (static_cast<double>(depth) * count);
}

template <typename Allocator>
double training_step_ns(Allocator& allocator, const TrainingStep& step, int rounds) {
  step.play(allocator, 5);
  const auto start = Clock::now();
  step.play(allocator, rounds);
  return nanoseconds(start, Clock::now()) / (static_cast<double>(step.allocations()) * rounds);
}

/// Millions of allocations and frees a second, all threads together, each on a stream of its
/// own: `make()` gives a thread its allocator, on that thread; `play(allocator, rounds)` makes
/// `pairs` of calls in each round.
template <typename Make, typename Play>
double threads_per_microsecond(int thread_count, Make make, Play play, std::size_t pairs, int rounds) {
  std::latch ready(thread_count + 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) {
    threads.emplace_back([&] {
      auto allocator = make();
      play(allocator, 1);
      ready.arrive_and_wait();
      play(allocator, rounds);
    });
  }
  ready.arrive_and_wait();
  const auto start = Clock::now();
  for (std::thread& thread : threads) thread.join();
  return 1e3 * thread_count * static_cast<double>(pairs) * rounds / nanoseconds(start, Clock::now());
}

/// An allocator that costs nothing: what of `churn_ns` is the loop itself.
struct NoAllocator {
  void* allocate(std::size_t bytes) { return reinterpret_cast<void*>(bytes); }
  void free(void* pointer) { kept = pointer; }
  void* volatile kept = nullptr;
};

/// The loops that look like programs: what the allocator is judged by.
template <typename Allocator, typename Make, typename EmptyCache>
void run_programs(Allocator& allocator, Make make, EmptyCache empty_cache, const std::vector<TrainingStep>& steps) {
  constexpr int count = 200'000;
  for (const TrainingStep& step : steps) {
    print("training step " + step.name() + ", ns", training_step_ns(allocator, step, 100));
    empty_cache();
  }
  print("in turns 4 KiB and 1 MiB, ns", in_turns_ns(allocator, 4096, std::size_t{1} << 20, count));
  print("in turns 8 MiB and 24 MiB, ns", in_turns_ns(allocator, std::size_t{8} << 20, std::size_t{24} << 20, count));
  empty_cache();
  print("nested, 16 mixed sizes, ns", nested_ns(allocator, count / 10));
  empty_cache();
  for (const TrainingStep& step : steps) {
    for (const int threads : {1, 2, 4, 8}) {
      const auto play = [&](auto& own, int rounds) { step.play(own, rounds); };
      // A training takes longer than its threads need to start.
      const int rounds = count / static_cast<int>(step.allocations());
      print("training step " + step.name() + ", " + std::to_string(threads) + " threads, million/s",
            threads_per_microsecond(threads, make, play, step.allocations(), rounds));
      empty_cache();
    }
  }
}

/// Everything. `empty_cache()` frees cached memory; `record(bool)` turns a history
/// of 100,000 events without stacks on or off.
template <typename Allocator, typename Make, typename EmptyCache, typename Record>
void run(Allocator& allocator, Make make, EmptyCache empty_cache, Record record,
         const std::vector<TrainingStep>& steps) {
  constexpr int count = 200'000;
  run_programs(allocator, make, empty_cache, steps);
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
    const auto play = [](auto& own, int rounds) {
      for (int round = 0; round < rounds; ++round) own.free(own.allocate(4096));
    };
    print(std::to_string(threads) + " threads, million/s", threads_per_microsecond(threads, make, play, 1, count));
  }
  print("history off 4096 B, ns", cached_block_ns(allocator, 4096, count));
  record(true);
  print("history on 4096 B, ns", cached_block_ns(allocator, 4096, count));
  record(false);
}

}  // namespace peers
