#include <gtest/gtest.h>
#include <set>
#include <string>

#include "device/sim/machine/race_detector.hpp"
#include "device/sim/tests/strided/launches.hpp"

// Races between accesses with gaps.
namespace gpucheck::sim {
namespace {

using device::AccessMode;
using device::MemoryAccess;
using device::Race;

/// A matrix and two streams that nothing orders.
class StridedRaces : public testing::Test {
 protected:
  static constexpr std::int64_t rows = 100;
  static constexpr std::int64_t all = 10;

  [[nodiscard]] MemoryAccess part(AccessMode mode, std::int64_t first, std::int64_t end) const {
    return columns(mode, matrix_, rows, all, first, end);
  }
  [[nodiscard]] MemoryAccess elements(AccessMode mode, std::int64_t first, std::int64_t end) const {
    return {matrix_ + first, static_cast<std::size_t>(end - first) * 4, mode, 4};
  }
  template <char letter>
  void launch(const MemoryAccess& access, device::Stream stream) const {
    check(touch(fixture_.device(), idle_kernel<letter>(), {access}, stream), "launch");
  }
  [[nodiscard]] std::vector<Race> races() const { return fixture_.driver().races(); }

  Fixture fixture_;
  device::Stream a_ = fixture_.stream();
  device::Stream b_ = fixture_.stream();
  std::int32_t* matrix_ = fixture_.memory(rows * all);
};

TEST_F(StridedRaces, AreNoneBetweenHalvesOfTheColumns) {
  launch<'x'>(part(AccessMode::write, 0, 5), a_);
  launch<'y'>(part(AccessMode::read_write, 5, 10), b_);
  launch<'x'>(part(AccessMode::read, 0, 5), a_);
  EXPECT_TRUE(races().empty());
}

TEST_F(StridedRaces, AreNoneBetweenEvenAndOddElements) {
  const Integers sizes{rows * all / 2};
  const Integers strides{2};
  launch<'x'>(device::writes_strided(matrix_, sizes, strides), a_);
  launch<'y'>(device::writes_strided(matrix_ + 1, sizes, strides), b_);
  EXPECT_TRUE(races().empty());
}

TEST_F(StridedRaces, OneElementInCommonIsOneThatNamesBothAndTheElement) {
  launch<'x'>(part(AccessMode::write, 0, 5), a_);
  launch<'y'>(elements(AccessMode::read, 74, 80), b_);
  ASSERT_EQ(races().size(), 1U);
  const Race race = races()[0];
  EXPECT_EQ((std::set<std::string>{race.earlier, race.later}), (std::set<std::string>{"x", "y"}));
  EXPECT_EQ(race.address, matrix_ + 74);
  EXPECT_EQ(race.bytes, 4U);
  EXPECT_NE(race.description.find("4 bytes"), std::string::npos) << race.description;
}

TEST_F(StridedRaces, AreNoneInTheGaps) {
  launch<'x'>(part(AccessMode::write, 0, 5), a_);
  launch<'y'>(elements(AccessMode::write, 75, 80), b_);
  launch<'y'>(elements(AccessMode::write, 35, 40), b_);
  EXPECT_TRUE(races().empty());
  launch<'x'>(part(AccessMode::write, 0, 6), a_);
  ASSERT_EQ(races().size(), 2U) << "one with each";
  EXPECT_EQ(races()[0].bytes, 4U);
}

TEST_F(StridedRaces, AreFoundWhicheverComesFirst) {
  launch<'x'>(elements(AccessMode::write, 0, 1000), a_);
  launch<'y'>(part(AccessMode::read, 9, 10), b_);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_EQ(races()[0].address, matrix_ + 9);
  EXPECT_EQ(races()[0].bytes, 4U);
}

TEST_F(StridedRaces, ReadersDoNotConflict) {
  launch<'x'>(part(AccessMode::read, 0, 10), a_);
  launch<'x'>(part(AccessMode::read, 2, 4), a_);
  launch<'y'>(part(AccessMode::read, 3, 5), b_);
  EXPECT_TRUE(races().empty());
  launch<'z'>(part(AccessMode::write, 3, 4), b_);
  EXPECT_EQ(races().size(), 2U) << "with both readers of the other stream";
}

TEST_F(StridedRaces, AreNoneOnceOrdered) {
  launch<'x'>(part(AccessMode::write, 0, 5), a_);
  fixture_.order(a_, b_);
  launch<'y'>(part(AccessMode::write, 4, 10), b_);
  launch<'y'>(elements(AccessMode::write, 0, 1000), b_);
  fixture_.order(b_, a_);
  launch<'x'>(part(AccessMode::read, 0, 5), a_);
  EXPECT_TRUE(races().empty());
}

TEST_F(StridedRaces, AreNotReportedAgainWithWhatComesAfterTheSecondWriter) {
  launch<'x'>(elements(AccessMode::write, 0, 1000), a_);
  launch<'y'>(part(AccessMode::write, 0, 5), b_);
  ASSERT_EQ(races().size(), 1U);
  launch<'z'>(part(AccessMode::read, 0, 5), b_);
  launch<'z'>(part(AccessMode::write, 1, 3), b_);
  launch<'z'>(elements(AccessMode::read, 20, 25), b_);
  EXPECT_EQ(races().size(), 1U);
  // This one also touches what only the first one wrote.
  launch<'z'>(elements(AccessMode::read, 20, 26), b_);
  ASSERT_EQ(races().size(), 2U);
  EXPECT_EQ(races()[1].address, matrix_ + 25);
  EXPECT_EQ(races()[1].bytes, 4U);
}

TEST_F(StridedRaces, AreNotReportedAgainWhereTheSecondWriterLeftNoGaps) {
  launch<'x'>(part(AccessMode::write, 0, 5), a_);
  launch<'y'>(elements(AccessMode::write, 10, 990), b_);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_EQ(races()[0].address, matrix_ + 10);
  launch<'z'>(elements(AccessMode::read, 10, 990), b_);
  launch<'z'>(elements(AccessMode::read, 300, 600), b_);
  EXPECT_EQ(races().size(), 1U);
  launch<'z'>(elements(AccessMode::read, 9, 990), b_);
  EXPECT_EQ(races().size(), 1U);
  launch<'z'>(elements(AccessMode::read, 4, 990), b_);
  ASSERT_EQ(races().size(), 2U);
  EXPECT_EQ(races()[1].address, matrix_ + 4);
}

TEST_F(StridedRaces, AreFoundInGraphs) {
  const device::GraphExec graph = fixture_.captured(a_, [&] { launch<'x'>(part(AccessMode::write, 0, 5), a_); });
  check(fixture_.device().launch(graph, a_), "launch");
  launch<'y'>(part(AccessMode::write, 5, 10), b_);
  EXPECT_TRUE(races().empty());
  launch<'y'>(part(AccessMode::write, 4, 10), b_);
  EXPECT_EQ(races().size(), 1U);
}

TEST_F(StridedRaces, BroadcastsAndWindowsAreTheMemoryThatTheyCover) {
  const Integers sizes{10, 3};
  launch<'x'>(device::reads_strided(matrix_, sizes, Integers{0, 1}), a_);
  launch<'y'>(device::writes_strided(matrix_ + 3, sizes, Integers{1, 1}), b_);
  EXPECT_TRUE(races().empty());
  launch<'z'>(device::reads_strided(matrix_ + 14, Integers{4}, Integers{-4}), a_);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_EQ(races()[0].address, matrix_ + 6);
}

/// The detector alone, shown one access of each operation, all on streams of their own.
class Detector {
 public:
  void show(const MemoryAccess& access, const VectorClock& knows = {}) {
    const std::uint64_t number = ++operations_;
    detector_.access({.name = "operation",
                      .stream = {number},
                      .sequence = number,
                      .finish_ns = number,
                      .stamp = {static_cast<Component>(number), 1}},
                     knows, access);
  }
  RaceDetector& operator*() { return detector_; }
  [[nodiscard]] std::size_t races() const { return detector_.races().size(); }
  [[nodiscard]] std::uint64_t other_of_last_race() const { return detector_.races().back().earlier_stream.value; }

 private:
  RaceDetector detector_;
  std::uint64_t operations_ = 0;
};

constexpr std::uintptr_t lowest = 0x100000;

MemoryAccess every_second(AccessMode mode, std::uintptr_t first, std::size_t count) {
  return {reinterpret_cast<const void*>(lowest + first), 1, mode, 1, {1, {device::Repetition{count, 2}}}};
}

MemoryAccess bytes(AccessMode mode, std::uintptr_t first, std::size_t count) {
  return {reinterpret_cast<const void*>(lowest + first), count, mode};
}

TEST(RaceDetector, ForgetsPartOfAPattern) {
  Detector detector;
  detector.show(every_second(AccessMode::write, 0, 1'000'000));
  (*detector).forget(reinterpret_cast<const void*>(lowest + 100), 1'000'000);
  detector.show(bytes(AccessMode::write, 100, 1'000'000));
  EXPECT_EQ(detector.races(), 0U);
  detector.show(bytes(AccessMode::write, 99, 1));
  EXPECT_EQ(detector.races(), 0U) << "an odd one";
  detector.show(bytes(AccessMode::write, 98, 1));
  EXPECT_EQ(detector.races(), 1U);
  detector.show(bytes(AccessMode::write, 1'000'100, 1));
  EXPECT_EQ(detector.races(), 2U);
  EXPECT_EQ(detector.other_of_last_race(), 1U);
}

TEST(RaceDetector, ForgetsWholePatterns) {
  Detector detector;
  detector.show(every_second(AccessMode::write, 0, 50));
  (*detector).forget(reinterpret_cast<const void*>(lowest), 99);
  detector.show(bytes(AccessMode::write, 0, 100));
  EXPECT_EQ(detector.races(), 0U);
  detector.show(every_second(AccessMode::read, 200, 50));
  (*detector).forget_all();
  detector.show(bytes(AccessMode::write, 200, 100));
  EXPECT_EQ(detector.races(), 0U);
}

// After so many overwritten runs nobody looks further: the pair is a race all the same.
TEST(RaceDetector, APairThatIsTooLongToLookThroughIsReported) {
  constexpr std::size_t many = 2 * RaceDetector::most_parts;
  for (const bool is_long : {false, true}) {
    const std::size_t runs = is_long ? many : 100;
    Detector detector;
    detector.show(bytes(AccessMode::write, 0, 2 * many));
    detector.show(every_second(AccessMode::write, 0, many));
    ASSERT_EQ(detector.races(), 1U);
    VectorClock knows_the_second;
    knows_the_second.advance({2, 1});
    detector.show(every_second(AccessMode::read, 2, runs), knows_the_second);
    EXPECT_EQ(detector.races(), is_long ? 2U : 1U);
  }
}

TEST(RaceDetector, KeepsAsManyPatternsAsItSaysAndThenForgetsTheOldest) {
  Detector detector;
  constexpr std::size_t most = RaceDetector::most_patterns;
  for (std::size_t i = 0; i < most; ++i) detector.show(every_second(AccessMode::write, 10 * i, 3));
  detector.show(bytes(AccessMode::read, 0, 1));
  EXPECT_EQ(detector.races(), 1U) << "with the first one";
  EXPECT_EQ(detector.other_of_last_race(), 1U);
  detector.show(every_second(AccessMode::write, 10 * most, 3));
  detector.show(bytes(AccessMode::read, 0, 1));
  EXPECT_EQ(detector.races(), 1U) << "it is forgotten";
  detector.show(bytes(AccessMode::read, 10 * (most - 1), 1));
  EXPECT_EQ(detector.races(), 2U);
  EXPECT_EQ(detector.other_of_last_race(), most);
}

TEST(RaceDetector, ForgetsFirstWhatTheHostKnows) {
  Detector detector;
  constexpr std::size_t most = RaceDetector::most_patterns;
  for (std::size_t i = 0; i < most; ++i) detector.show(every_second(AccessMode::write, 10 * i, 3));
  VectorClock all_but_the_first;
  for (Component i = 2; i <= most; ++i) all_but_the_first.advance({i, 1});
  (*detector).forget_known(all_but_the_first);
  for (std::size_t i = 1; i < most; ++i) detector.show(every_second(AccessMode::write, 10 * (most + i), 3));
  detector.show(bytes(AccessMode::read, 0, 1));
  EXPECT_EQ(detector.races(), 1U) << "nobody knew the first one";
}

TEST(RaceDetector, APatternTakesThePlaceOfWhatItOverwritesAndOfReadsThatItFollows) {
  Detector detector;
  detector.show(every_second(AccessMode::write, 100, 3));
  VectorClock knows;
  for (std::size_t i = 2; i <= 2 * RaceDetector::most_patterns; ++i) {
    detector.show(every_second(i % 3 == 0 ? AccessMode::write : AccessMode::read, 0, 3), knows);
    knows.advance({static_cast<Component>(i), 1});
  }
  for (std::size_t i = 0; i < 2 * RaceDetector::most_patterns; ++i) {
    detector.show(every_second(AccessMode::read, 200, 3), knows);
    knows.advance({static_cast<Component>(2 * RaceDetector::most_patterns + 1 + i), 1});
  }
  EXPECT_EQ(detector.races(), 0U);
  detector.show(bytes(AccessMode::read, 100, 1));
  EXPECT_EQ(detector.races(), 1U) << "the first one is still kept";
}

}  // namespace
}  // namespace gpucheck::sim
