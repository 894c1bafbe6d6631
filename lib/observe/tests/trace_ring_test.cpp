#include "observe/history/trace_ring.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace gpucheck::observe::detail {
namespace {

using Numbers = std::vector<std::uint64_t>;

void push(TraceRing& ring, std::uint64_t number) {
  ring.push({.ticks = number, .address = 0, .size = 0, .context = 0, .origin = 0, .action = {}});
}

Numbers numbers(const TraceRing& ring) {
  Numbers result;
  for (const TraceRecord& record : ring.records()) result.push_back(record.ticks);
  return result;
}

Numbers range(std::uint64_t first, std::size_t count) {
  Numbers result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

TEST(TraceRing, KeepsTheLastOnesTheOldestFirst) {
  for (const std::size_t limit : {1UL, 2UL, 7UL, 1023UL, 1024UL, 1025UL, 3000UL}) {
    TraceRing ring(limit);
    for (std::uint64_t pushed = 1; pushed <= 7000; ++pushed) {
      push(ring, pushed);
      const std::size_t kept = std::min<std::size_t>(pushed, limit);
      ASSERT_EQ(ring.size(), kept);
      if (pushed % 333 != 0 && pushed > 3) continue;
      ASSERT_EQ(numbers(ring), range(pushed - kept + 1, kept)) << limit;
    }
  }
}

TEST(TraceRing, KeepsWhatItHasWhenTheLimitFalls) {
  TraceRing ring(5);
  for (std::uint64_t i = 1; i <= 7; ++i) push(ring, i);
  ring.set_limit(2);
  EXPECT_EQ(numbers(ring), range(3, 5));
  push(ring, 8);
  EXPECT_EQ(numbers(ring), range(4, 5));
}

TEST(TraceRing, GrowsWhenTheLimitRises) {
  TraceRing ring(2);
  for (std::uint64_t i = 1; i <= 3; ++i) push(ring, i);
  ring.set_limit(4);
  for (std::uint64_t i = 4; i <= 6; ++i) push(ring, i);
  EXPECT_EQ(numbers(ring), range(3, 4));
}

void push_free(TraceRing& ring, std::uint64_t number) {
  ring.push_free({.ticks = number,
                  .address = 512 * number,
                  .size = number,
                  .context = 3,
                  .origin = max_origins - 1,
                  .action = runtime::MemoryAction::free_requested});
}

TEST(TraceRing, AFreeIsTwoEvents) {
  TraceRing ring(10);
  push_free(ring, 7);
  const std::vector<TraceRecord> records = ring.records();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].action, runtime::MemoryAction::free_requested);
  EXPECT_EQ(records[1].action, runtime::MemoryAction::free_completed);
  for (const TraceRecord& record : records) {
    EXPECT_EQ(record.ticks, 7U);
    EXPECT_EQ(record.address, 3584U);
    EXPECT_EQ(record.size, 7U);
    EXPECT_EQ(record.context, 3U);
    EXPECT_EQ(record.origin, (1U << 27U) - 1);
  }
}

/// After pushes of 1, 2, 2, 3, 4, 4, 5, 6, 6 ...: each even number is a free.
TEST(TraceRing, TheLimitCountsBothEventsOfAFree) {
  for (const std::size_t limit : {1UL, 2UL, 3UL, 4UL, 1500UL, 2050UL}) {
    TraceRing ring(limit);
    Numbers all;
    for (std::uint64_t number = 1; number <= 5000; ++number) {
      const bool is_free = number % 2 == 0;
      is_free ? push_free(ring, number) : push(ring, number);
      all.insert(all.end(), is_free ? 2 : 1, number);
      if (number % 333 != 0 && number > 4) continue;
      const std::size_t kept = std::min(all.size(), limit);
      ASSERT_EQ(ring.size(), kept);
      ASSERT_EQ(numbers(ring), Numbers(all.end() - static_cast<std::ptrdiff_t>(kept), all.end())) << limit;
    }
    ring.set_limit(1);
    ASSERT_EQ(ring.size(), limit) << "what is there is kept";
    push(ring, 5001);
    all.push_back(5001);
    ASSERT_EQ(numbers(ring), Numbers(all.end() - static_cast<std::ptrdiff_t>(limit), all.end())) << limit;
  }
}

TEST(TraceRing, ForgetsAndStartsAgain) {
  TraceRing ring(3);
  for (std::uint64_t i = 1; i <= 5; ++i) push(ring, i);
  ring.clear();
  EXPECT_EQ(numbers(ring), Numbers{});
  push(ring, 9);
  EXPECT_EQ(numbers(ring), Numbers{9});
}

}  // namespace
}  // namespace gpucheck::observe::detail
