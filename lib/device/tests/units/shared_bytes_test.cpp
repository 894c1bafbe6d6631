#include "device/values/shared_bytes.hpp"

#include <algorithm>
#include <bitset>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/splitmix.hpp"

namespace gpucheck::device {
namespace {

constexpr std::uintptr_t base = 0x10000;
constexpr std::size_t window = 1024;
using Bits = std::bitset<window>;

MemoryAccess pattern(std::uintptr_t at, std::size_t bytes, const std::vector<Repetition>& repetitions = {}) {
  MemoryAccess access{reinterpret_cast<const void*>(base + at), bytes};
  access.repetitions.used = repetitions.size();
  std::ranges::copy(repetitions, access.repetitions.all.begin());
  return access;
}

std::uintptr_t place_of(const MemoryAccess& access) { return reinterpret_cast<std::uintptr_t>(access.address) - base; }

void add_runs(const MemoryAccess& access, std::size_t depth, std::size_t at, Bits& bits) {
  if (depth == access.repetitions.used) {
    for (std::size_t i = 0; i < access.bytes; ++i) bits.set(at + i);
    return;
  }
  const auto [count, stride] = access.repetitions.all[depth];
  for (std::size_t i = 0; i < count; ++i) add_runs(access, depth + 1, at + i * stride, bits);
}

/// Each byte of the access, marked one by one.
Bits bits_of(const MemoryAccess& access) {
  Bits bits;
  add_runs(access, 0, place_of(access), bits);
  return bits;
}

std::string text_of(const MemoryAccess& access) {
  std::string text = "at " + std::to_string(place_of(access)) + " " + std::to_string(access.bytes) + " bytes";
  for (const auto& [count, stride] : access.repetitions) {
    text += ", " + std::to_string(count) + " times each " + std::to_string(stride);
  }
  return text;
}

class Draws {
 public:
  std::size_t below(std::size_t limit) { return splitmix(++count_) % limit; }

  /// Any number of repetitions in any order, with strides of 0, gaps and overlaps.
  MemoryAccess access() {
    std::vector<Repetition> repetitions(below(Repetitions::most + 1));
    for (Repetition& one : repetitions) one = {1 + below(4), below(below(2) == 0 ? 9 : 50)};
    if (below(50) == 0 && !repetitions.empty()) repetitions[0].count = 0;
    return pattern(below(300), below(12) == 0 ? below(40) : 1 + below(4), repetitions);
  }

 private:
  std::uint64_t count_ = 0;
};

TEST(SharedBytes, OfRunsAreWhereTheyOverlap) {
  EXPECT_TRUE(share_bytes(pattern(0, 4), pattern(3, 4), false));
  EXPECT_FALSE(share_bytes(pattern(0, 4), pattern(4, 4), true));
  EXPECT_TRUE(share_bytes(pattern(0, 8), pattern(2, 1), false));
  EXPECT_FALSE(share_bytes(pattern(0, 8), pattern(2, 0), true));
  EXPECT_FALSE(share_bytes(pattern(0, 0), pattern(0, 0), true));
}

TEST(SharedBytes, AreNoneOfEvenAndOddElements) {
  constexpr std::size_t many = std::size_t{1} << 40;
  const MemoryAccess even = pattern(0, 4, {{many, 8}});
  EXPECT_FALSE(share_bytes(even, pattern(4, 4, {{many, 8}}), true));
  EXPECT_TRUE(share_bytes(even, pattern(3, 4, {{many, 8}}), false));
  EXPECT_TRUE(share_bytes(even, pattern(5, 4, {{many, 8}}), false));
  // Every third element meets every second one.
  EXPECT_TRUE(share_bytes(even, pattern(4, 4, {{many, 12}}), false));
  EXPECT_FALSE(share_bytes(even, pattern(4, 4, {{1, 12}}), true));
  EXPECT_TRUE(share_bytes(even, pattern(4, 4, {{2, 12}}), false));
}

TEST(SharedBytes, AreNoneOfTheHalvesOfAMatrix) {
  constexpr std::size_t rows = 1'000'000;
  const MemoryAccess left = pattern(0, 400, {{rows, 1000}});
  EXPECT_FALSE(share_bytes(left, pattern(400, 600, {{rows, 1000}}), true));
  EXPECT_TRUE(share_bytes(left, pattern(399, 600, {{rows, 1000}}), false));
  EXPECT_TRUE(share_bytes(left, pattern(400, 601, {{rows, 1000}}), false));
  EXPECT_FALSE(share_bytes(left, pattern(400 + 999'999'000, 600), true));
  EXPECT_TRUE(share_bytes(left, pattern(399 + 999'999'000, 600), false));
}

TEST(SharedBytes, AreFoundWhereOneMeetsTheOtherOnce) {
  // 99'991 and 100'003 are primes: the sums first agree in the last step of the one.
  constexpr std::size_t a = 99'991;
  constexpr std::size_t b = 100'003;
  EXPECT_TRUE(share_bytes(pattern(b, 1, {{b, a}}), pattern(0, 1, {{a + 2, b}}), false));
  const MemoryAccess one = pattern(0, 1, {{b + 1, a}});
  EXPECT_TRUE(share_bytes(one, pattern(a * b, 1), false));
  EXPECT_FALSE(share_bytes(pattern(a, 1, {{b - 1, a}}), pattern(b, 1, {{a - 1, b}}), true));
  EXPECT_TRUE(share_bytes(pattern(a, 1, {{b, a}}), pattern(b, 1, {{a, b}}), false));
}

TEST(SharedBytes, AreNoneOutsideOfAnAddressSpace) {
  constexpr std::size_t far = std::size_t{1} << 63;
  EXPECT_FALSE(share_bytes(pattern(0, 4, {{3, far}}), pattern(0, 4), true));
  EXPECT_FALSE(share_bytes(pattern(0, ~std::size_t{0}), pattern(0, 4), true));
  EXPECT_FALSE(extent_of(pattern(0, 4, {{3, far}})));
  EXPECT_EQ(extent_of(pattern(0, 4, {{3, 10}})), (Stretch{base, base + 24}));
  EXPECT_EQ(extent_of(pattern(7, 0)), (Stretch{base + 7, base + 7}));
}

TEST(SharedBytes, WhatIsMadeToBeHardIsGivenUp) {
  const auto hard = [](std::uintptr_t at, std::size_t step) {
    return pattern(at, 1,
                   {{30, 2 * (500'000'003 + step)},
                    {30, 2 * (500'000'009 + step)},
                    {30, 2 * (500'000'033 + step)},
                    {30, 2 * (500'000'057 + step)}});
  };
  const MemoryAccess one = hard(0, 0);
  const MemoryAccess other = hard(2, 1'000'000);
  EXPECT_TRUE(share_bytes(one, other, true));
  EXPECT_FALSE(share_bytes(one, other, false));
  EXPECT_FALSE(share_bytes(one, hard(1, 1'000'000), true)) << "an odd one among even ones is seen at once";
}

TEST(SharedBytes, AgreeWithWhatIsMarkedByteByByte) {
  Draws draws;
  int shared = 0;
  constexpr int trials = 60'000;
  for (int i = 0; i < trials; ++i) {
    const MemoryAccess a = draws.access();
    const MemoryAccess b = draws.access();
    const bool expected = (bits_of(a) & bits_of(b)).any();
    shared += expected ? 1 : 0;
    ASSERT_EQ(share_bytes(a, b, !expected), expected) << text_of(a) << " and " << text_of(b);
    ASSERT_EQ(share_bytes(b, a, !expected), expected) << text_of(b) << " and " << text_of(a);
  }
  EXPECT_GT(shared, trials / 8);
  EXPECT_LT(shared, trials / 8 * 7);
}

TEST(SharedBytes, AreShownAllAndNoOthers) {
  Draws draws;
  for (int i = 0; i < 5'000; ++i) {
    const MemoryAccess a = draws.access();
    const MemoryAccess b = draws.access();
    Bits seen;
    std::size_t parts = 1'000'000;
    ASSERT_TRUE(for_each_shared(a, b, parts, [&](Stretch stretch) {
      EXPECT_LT(stretch.begin, stretch.end);
      for (std::uintptr_t at = stretch.begin; at < stretch.end; ++at) seen.set(at - base);
      return true;
    }));
    ASSERT_EQ(seen, bits_of(a) & bits_of(b)) << text_of(a) << " and " << text_of(b);
  }
}

TEST(SharedBytes, AreShownFromTheFirstOnUntilItIsEnough) {
  const MemoryAccess columns = pattern(4, 4, {{std::size_t{1} << 30, 16}});
  std::vector<Stretch> seen;
  const auto see_two = [&](Stretch stretch) {
    seen.push_back(stretch);
    return seen.size() < 2;
  };
  std::size_t parts = 1'000;
  EXPECT_TRUE(for_each_shared(columns, pattern(1'600'002, 1'000'000), parts, see_two));
  EXPECT_GT(parts, 800U);
  EXPECT_EQ(seen, (std::vector<Stretch>{{base + 1'600'004, base + 1'600'008}, {base + 1'600'020, base + 1'600'024}}));
  seen.clear();
  parts = 10;
  EXPECT_FALSE(for_each_shared(columns, columns, parts, see_two)) << "ten parts are not enough to find one run";
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(parts, 0U);
}

TEST(SharedBytes, WhatIsLeftBesideAStretchIsTheRest) {
  Draws draws;
  for (int i = 0; i < 5'000; ++i) {
    const MemoryAccess access = draws.access();
    const std::uintptr_t begin = base + draws.below(400);
    const Stretch taken{begin, begin + draws.below(60)};
    const auto parts = parts_outside(access, taken, 10'000);
    ASSERT_TRUE(parts);
    Bits expected = bits_of(access);
    for (std::uintptr_t at = taken.begin; at < taken.end; ++at) expected.reset(at - base);
    Bits rest;
    for (const MemoryAccess& part : *parts) rest |= bits_of(part);
    ASSERT_EQ(rest, expected) << text_of(access) << " without " << taken.end - begin << " bytes at " << begin - base;
  }
}

TEST(SharedBytes, WhatIsLeftOfAMillionRunsIsAFewParts) {
  const MemoryAccess columns = pattern(4, 4, {{1'000'000, 16}});
  const auto parts = parts_outside(columns, {base + 1'600'000, base + 3'200'000}, 1'000);
  ASSERT_TRUE(parts);
  EXPECT_LT(parts->size(), 50U);
  std::size_t runs = 0;
  for (const MemoryAccess& part : *parts) runs += traffic_bytes(part) / 4;
  EXPECT_EQ(runs, 900'000U);
  EXPECT_FALSE(parts_outside(columns, {base + 1'600'000, base + 3'200'000}, 5));
}

}  // namespace
}  // namespace gpucheck::device
