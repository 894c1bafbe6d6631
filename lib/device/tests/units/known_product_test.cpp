#include "device/kernels/support/known_product.hpp"

#include <array>
#include <gtest/gtest.h>
#include <set>

#include "base/splitmix.hpp"

namespace gpucheck::device::kernels {
namespace {

TEST(Mix, IsSplitmix) {
  for (const std::uint64_t counter : {0ULL, 1ULL, 12345ULL, ~0ULL}) EXPECT_EQ(mix(counter), splitmix(counter));
}

const std::array known_products{KnownProduct{.seed = 1, .depth = 10, .magnitude = 1, .powers = 1},
                                KnownProduct{.seed = 2, .depth = 32, .magnitude = 5, .powers = 3},
                                KnownProduct{.seed = 3, .depth = 1000, .magnitude = 255, .powers = 3},
                                KnownProduct{.seed = 4, .depth = 64, .magnitude = (1 << 19) - 1, .powers = 4}};
constexpr std::size_t lines = 40;

std::int64_t added_up(const KnownProduct& known, std::size_t row, std::size_t column, std::size_t end) {
  std::int64_t sum = 0;
  for (std::size_t l = 0; l < end; ++l) sum += std::int64_t{known.a(row, l)} * known.b(l, column);
  return sum;
}

TEST(KnownProduct, IsWhatAddingUpGives) {
  for (const KnownProduct& known : known_products) {
    for (std::size_t row = 0; row < lines; ++row) {
      for (std::size_t column = 0; column < lines; ++column) {
        ASSERT_EQ(known.d(row, column), added_up(known, row, column, known.depth)) << row << ", " << column;
      }
    }
  }
}

TEST(KnownProduct, IsNeverZero) {
  for (const KnownProduct& known : known_products) {
    for (std::size_t row = 0; row < lines; ++row) {
      for (std::size_t column = 0; column < lines; ++column) EXPECT_NE(known.d(row, column), 0);
    }
  }
}

TEST(KnownProduct, HasOddFactorsTimesALinesPowerOfTwo) {
  for (const KnownProduct& known : known_products) {
    std::set<std::int32_t> powers;
    for (std::size_t row = 0; row < lines; ++row) {
      const std::int32_t power = known.a(row, 0) & -known.a(row, 0);
      powers.insert(power);
      for (std::size_t l = 0; l + 1 < known.depth; ++l) {
        const std::int32_t factor = known.a(row, l) / power;
        ASSERT_NE(factor % 2, 0);
        ASSERT_LE(std::abs(factor), known.magnitude);
      }
      EXPECT_EQ(known.a(row, known.depth - 1), 0);
      EXPECT_NE(known.b(known.depth - 1, row), 0);
    }
    EXPECT_EQ(powers.size(), known.powers);
    EXPECT_EQ(*powers.rbegin(), 1 << (known.powers - 1));
  }
}

// Sums grow before they cancel: an accumulator has something to do.
TEST(KnownProduct, CancelsOnlyInTheSecondHalf) {
  const KnownProduct known{.seed = 5, .depth = 2000, .magnitude = 15, .powers = 1};
  std::int64_t largest = 0;
  for (std::size_t row = 0; row < lines; ++row) {
    largest = std::max(largest, std::abs(added_up(known, row, row, known.depth / 2)));
  }
  EXPECT_GT(largest, 4 * std::int64_t{KnownProduct::classes} * 15 * 15);
}

TEST(KnownProduct, DiffersFromLineToLineAndSeedToSeed) {
  KnownProduct known{.seed = 6, .depth = 100, .magnitude = 255, .powers = 1};
  std::set<std::int32_t> seen;
  for (std::size_t row = 0; row < lines; ++row) seen.insert(known.a(row, 3));
  EXPECT_GT(seen.size(), lines / 2);
  const std::int64_t first = known.d(1, 2);
  known.seed = 7;
  EXPECT_NE(known.d(1, 2), first);
}

}  // namespace
}  // namespace gpucheck::device::kernels
