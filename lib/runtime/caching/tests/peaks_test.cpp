#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "device/check.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/allocator/rounding.hpp"
#include "runtime/tests/simulated.hpp"

// Each arena counts for itself; a peak is that of the sum all the same.
namespace gpucheck::runtime::test {
namespace {

/// What one statistic must be, summed up call by call.
struct Expected {
  std::int64_t current = 0;
  std::int64_t peak = 0;
  void add(std::int64_t amount) {
    current += amount;
    peak = std::max(peak, current);
  }
  void reset_peak() { peak = current; }
};

/// What is expected of one kind of block, or of both.
struct ExpectedScope {
  Expected count, bytes, requested;
  void add(std::int64_t sign, std::uint64_t asked) {
    count.add(sign);
    bytes.add(sign * static_cast<std::int64_t>(round_up_to_block(asked)));
    requested.add(sign * static_cast<std::int64_t>(asked));
  }
  void reset_peaks() {
    for (Expected* one : {&count, &bytes, &requested}) one->reset_peak();
  }
};

class Streams {
 public:
  explicit Streams(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) streams_.push_back({machine_.side_stream(), {}});
  }

  /// Streams grow and shrink by turns, each at its own time.
  void step(std::size_t number) {
    Stream& stream = streams_[number];
    if (stream.live.empty()) stream.grows = true;
    if (stream.live.size() > 40) stream.grows = false;
    if (random_() % 10 < (stream.grows ? 8 : 2)) {
      // Even numbers of MiB leave no rest that would not be split off.
      const std::uint64_t bytes = random_() % 3 == 0 ? (1 + random_() % 4) << 21U : 1 + random_() % 20'000;
      stream.live.push_back({machine_.allocator().allocate(bytes, stream.stream), bytes});
      count(1, bytes);
    } else if (!stream.live.empty()) {
      std::swap(stream.live[random_() % stream.live.size()], stream.live.back());
      machine_.allocator().free(stream.live.back().pointer);
      count(-1, stream.live.back().bytes);
      stream.live.pop_back();
    }
  }
  void reset_peaks() {
    machine_.allocator().reset_peak_stats();
    for (ExpectedScope* scope : {&small_, &large_, &all_}) scope->reset_peaks();
  }
  void expect_exact() {
    const MemoryStatistics stats = machine_.allocator().stats();
    expect(stats.allocation, &ExpectedScope::count);
    expect(stats.active, &ExpectedScope::count);
    expect(stats.allocated_bytes, &ExpectedScope::bytes);
    expect(stats.requested_bytes, &ExpectedScope::requested);
  }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

 private:
  struct Allocation {
    void* pointer = nullptr;
    std::uint64_t bytes = 0;
  };
  struct Stream {
    device::Stream stream;
    std::vector<Allocation> live;
    bool grows = true;
  };

  void count(std::int64_t sign, std::uint64_t bytes) {
    (kind_of(round_up_to_block(bytes)) == PoolKind::small ? small_ : large_).add(sign, bytes);
    all_.add(sign, bytes);
  }
  void expect(const PoolStatistic& statistic, Expected ExpectedScope::*statistic_of) {
    for (const auto& [got, scope] : {std::pair(&statistic.small_pool, &small_),
                                     std::pair(&statistic.large_pool, &large_), std::pair(&statistic.all, &all_)}) {
      EXPECT_EQ(got->current, (scope->*statistic_of).current);
      EXPECT_EQ(got->peak, (scope->*statistic_of).peak);
    }
  }

  Simulated machine_;
  std::mt19937_64 random_{3};
  std::vector<Stream> streams_;
  ExpectedScope small_, large_, all_;
};

TEST(Peaks, AreExactHoweverManyStreamsTakeTurns) {
  constexpr std::size_t stream_count = 8;
  Streams streams(stream_count);
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < 100; ++i) streams.step(streams.draw(stream_count));
    streams.expect_exact();
    if (round % 50 == 49) streams.reset_peaks();
    if (testing::Test::HasFailure()) return;
  }
}

/// Streams that do nothing for a while do not count, and begin again.
TEST(Peaks, AreExactWhenStreamsComeAndGo) {
  Streams streams(12);
  for (int round = 0; round < 100; ++round) {
    const std::size_t first = streams.draw(9);
    for (int i = 0; i < 200; ++i) streams.step(first + streams.draw(3));
    streams.expect_exact();
    if (testing::Test::HasFailure()) return;
  }
}

/// A block stays active while another stream may still use it: with one such block, and with several.
TEST(Peaks, OfActiveBlocksCountThoseWhoseFreesWait) {
  for (const std::int64_t waiting : {1, 2, 3}) {
    Simulated machine;
    CachingAllocator& allocator = machine.allocator();
    const device::Stream stream = machine.side_stream();
    const device::Stream other = machine.side_stream();
    std::vector<void*> used(static_cast<std::size_t>(waiting));
    for (void*& pointer : used) pointer = allocator.allocate(512, stream);
    device::check(device::launch(machine.device(), device::kernels::Spin{long_time_ns}, 1, other), "spin");
    for (void* pointer : used) {
      allocator.record_stream(pointer, other);
      allocator.free(pointer);
    }
    allocator.free(allocator.allocate(512, stream));
    ASSERT_EQ(machine.device().synchronize(other), device::Status::success);
    allocator.free(allocator.allocate(512, stream));
    const MemoryStatistics stats = allocator.stats();
    EXPECT_EQ(stats.active.small_pool.current, 0) << waiting;
    EXPECT_EQ(stats.active.small_pool.peak, waiting + 1) << waiting;
    EXPECT_EQ(stats.active_bytes.all.peak, 512 * (waiting + 1)) << waiting;
    EXPECT_EQ(stats.allocation.all.peak, waiting) << waiting;
  }
}

}  // namespace
}  // namespace gpucheck::runtime::test
