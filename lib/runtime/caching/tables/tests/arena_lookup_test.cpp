#include "runtime/caching/tables/arena_lookup.hpp"

#include <deque>
#include <gtest/gtest.h>

namespace gpucheck::runtime::detail {
namespace {

/// Enough arenas that the table grows several times and streams meet in a slot. What drivers give for streams are
/// addresses at equal distances; the default stream is 0.
TEST(StreamMap, FindsTheArenaOfEachStreamAndNoOther) {
  constexpr std::size_t count = 200;
  for (const std::uint64_t distance : {1U, 64U, 4096U, 1U << 30U}) {
    Pool pool;
    std::deque<Arena> arenas;
    StreamMap map;
    for (std::size_t i = 0; i < count; ++i) {
      arenas.emplace_back(i).assign(pool, device::Stream{i * distance});
      map.insert(arenas.back());
      EXPECT_EQ(map.find(device::Stream{(i + 1) * distance}), nullptr) << "not added yet";
    }
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(map.find(device::Stream{i * distance}), &arenas[i]) << distance;
    EXPECT_EQ(map.find(device::Stream{count * distance}), nullptr);
  }
}

}  // namespace
}  // namespace gpucheck::runtime::detail
