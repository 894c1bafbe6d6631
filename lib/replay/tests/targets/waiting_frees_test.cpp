#include "replay/targets/waiting_frees.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace gpucheck::replay {
namespace {

using End = WaitingFrees::End;
using Numbers = std::vector<std::uint16_t>;

TEST(WaitingFrees, EndAsRecordedAtTheFirstPace) {
  WaitingFrees frees(0);
  EXPECT_EQ(frees.begin(3), End::as_recorded);
  EXPECT_EQ(frees.begin(1), End::as_recorded);
  EXPECT_EQ(frees.end(3), Numbers{3});
  EXPECT_EQ(frees.end(1), Numbers{1});
}

TEST(WaitingFrees, OfWhatDoesNotWaitNothingEnds) {
  WaitingFrees frees(0);
  EXPECT_EQ(frees.end(7), Numbers());
  frees.begin(2);
  EXPECT_EQ(frees.end(2), Numbers{2});
  EXPECT_EQ(frees.end(2), Numbers());
}

/// How many of a thousand frees, each of which ends before the next one begins, end in which way.
std::array<int, 3> ways(Pace pace) {
  WaitingFrees frees(pace);
  std::array<int, 3> counts{};
  for (int i = 0; i < 1000; ++i) {
    ++counts.at(static_cast<std::size_t>(frees.begin(0)));
    static_cast<void>(frees.end(0));
  }
  return counts;
}

TEST(WaitingFrees, EndInEveryWayAtAnyOtherPace) {
  for (Pace pace = 1; pace < 20; ++pace) {
    EXPECT_GT(std::ranges::min(ways(pace)), 250) << pace;
  }
  EXPECT_NE(ways(1), ways(2));
}

TEST(WaitingFrees, LateOnesEndWhenNoneWaitsAnyMore) {
  WaitingFrees frees(1);
  Numbers late;
  Numbers seen;
  constexpr std::uint16_t count = 100;
  for (std::uint16_t number = 0; number < count; ++number) {
    if (frees.begin(number) == End::late) late.push_back(number);
  }
  for (std::uint16_t number = 0; number + 1 < count; ++number) {
    for (const std::uint16_t ended : frees.end(number)) EXPECT_FALSE(std::ranges::binary_search(late, ended));
  }
  for (const std::uint16_t ended : frees.end(count - 1)) {
    if (std::ranges::binary_search(late, ended)) seen.push_back(ended);
  }
  EXPECT_EQ(seen, late);
  EXPECT_GT(late.size(), 20U);
}

}  // namespace
}  // namespace gpucheck::replay
