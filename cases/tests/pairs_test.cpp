#include "cases/pairs.hpp"

#include <gtest/gtest.h>

namespace gpucheck::cases {
namespace {

constexpr double usual_gbps = 300;

/// All pairs of so many devices, each as fast as the others.
std::vector<Pair> healthy(std::size_t devices) {
  std::vector<Pair> pairs;
  for (std::size_t first = 0; first < devices; ++first) {
    for (std::size_t second = first + 1; second < devices; ++second) pairs.push_back({first, second, usual_gbps});
  }
  return pairs;
}

using Devices = std::vector<std::size_t>;

TEST(Suspects, AreNoneWhereAllPairsAreWell) {
  EXPECT_EQ(suspects({}), Devices());
  EXPECT_EQ(suspects(healthy(2)), Devices());
  EXPECT_EQ(suspects(healthy(8)), Devices());
}

TEST(Suspects, AreTheOneThatAllSlowPairsShare) {
  std::vector<Pair> pairs = healthy(8);
  for (Pair& pair : pairs) {
    if (pair.first == 5 || pair.second == 5) pair.gbps = 0.7 * usual_gbps;
  }
  EXPECT_EQ(bad_pairs(pairs).size(), 7U);
  EXPECT_EQ(suspects(pairs), Devices{5});
}

TEST(Suspects, AreTheOneThatAllWrongPairsShare) {
  std::vector<Pair> pairs = healthy(4);
  for (Pair& pair : pairs) pair.wrong = pair.first == 2 || pair.second == 2;
  EXPECT_EQ(suspects(pairs), Devices{2});
}

TEST(Suspects, AreBothOfASinglePair) {
  std::vector<Pair> pairs = healthy(2);
  pairs.front().wrong = true;
  EXPECT_EQ(suspects(pairs), (Devices{0, 1}));
}

TEST(Suspects, AreAscendingHoweverTheirPairNamesThem) {
  EXPECT_EQ(suspects({{3, 1, usual_gbps, true}, {0, 2, usual_gbps}, {0, 1, usual_gbps}}), (Devices{1, 3}));
}

TEST(Suspects, AreNoneWherePairsShareNothing) {
  std::vector<Pair> pairs = healthy(4);
  for (Pair& pair : pairs) pair.wrong = pair.second == pair.first + 1 && pair.first % 2 == 0;
  EXPECT_EQ(bad_pairs(pairs).size(), 2U);
  EXPECT_EQ(suspects(pairs), Devices());
}

/// A quarter slower than the median, and the least bit more.
TEST(BadPairs, AreSlowerThanThreeQuartersOfTheMedian) {
  std::vector<Pair> pairs = healthy(4);
  pairs[2].gbps = 0.75 * usual_gbps;
  EXPECT_TRUE(bad_pairs(pairs).empty());
  pairs[2].gbps = 0.7499 * usual_gbps;
  ASSERT_EQ(bad_pairs(pairs).size(), 1U);
  EXPECT_EQ(bad_pairs(pairs).front().second, 3U);
}

/// The faster of two pairs is the median: the other one is slow beside it.
TEST(BadPairs, OfTwoAreHeldToTheFaster) {
  std::vector<Pair> pairs{{0, 1, 300}, {0, 2, 100}};
  ASSERT_EQ(bad_pairs(pairs).size(), 1U);
  EXPECT_EQ(bad_pairs(pairs).front().second, 2U);
  EXPECT_EQ(suspects(pairs), (Devices{0, 2}));
}

TEST(Suspects, OfASlowAndAWrongPairAreWhatBothShare) {
  std::vector<Pair> pairs = healthy(4);
  pairs[0].wrong = true;             // 0-1
  pairs[4].gbps = 0.5 * usual_gbps;  // 1-3
  EXPECT_EQ(suspects(pairs), Devices{1});
  pairs[5].wrong = true;  // 2-3
  EXPECT_EQ(suspects(pairs), Devices());
}

TEST(Suspects, ALittleSlowerIsNotSlow) {
  std::vector<Pair> pairs = healthy(4);
  pairs.front().gbps = 0.8 * usual_gbps;
  EXPECT_EQ(bad_pairs(pairs).size(), 0U);
}

}  // namespace
}  // namespace gpucheck::cases
