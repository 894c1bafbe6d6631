#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "cases/shared/kernels/products.hpp"
#include "cases/tests/kernels/suites.hpp"

// The kernels that fill in operands of products and check them.
namespace gpucheck::device::contract {
namespace {

using kernels::CheckKnownProduct;
using kernels::KnownProduct;
using kernels::ProductTally;

constexpr KnownProduct known{.seed = 3, .depth = 48, .magnitude = 5, .powers = 3};
constexpr std::size_t rows = 200;
constexpr std::size_t columns = 150;
constexpr std::size_t leading = 256;
constexpr std::size_t matrix_elements = columns * leading;
constexpr std::size_t factors = KnownProduct::classes;

TEST_P(ProductKernels, FillTheOperandsOfAKnownProduct) {
  const auto stream = make_stream();
  constexpr std::size_t apart = 64;
  for (const bool is_b : {false, true}) {
    const auto operand = make_array<float>(10 * apart);
    run(kernels::FillKnownOperand<float>{operand.data(), apart, is_b, known}, 10 * known.depth, stream.get());
    const std::vector<float> seen = read(operand, stream.get());
    for (std::size_t line = 0; line < 10; ++line) {
      for (std::size_t l = 0; l < known.depth; ++l) {
        const std::int32_t expected = is_b ? known.b(l, line) : known.a(line, l);
        ASSERT_EQ(seen[line * apart + l], static_cast<float>(expected)) << line << ", " << l;
      }
    }
  }
}

/// Elements that are wrong in D, by row and column.
struct Planted {
  std::size_t row;
  std::size_t column;
  double value;  ///< 0: one whose last bit is another
};

template <typename T>
std::vector<T> product_with(const std::vector<Planted>& planted) {
  std::vector<T> d(matrix_elements, kernels::to_element<T>(7));  // also between columns
  for (std::size_t i = 0; i < rows * columns; ++i) {
    d[i / rows * leading + i % rows] = kernels::to_element<T>(known.d(i % rows, i / rows));
  }
  for (const Planted& wrong : planted) {
    T& element = d[wrong.column * leading + wrong.row];
    if (wrong.value != 0) {
      element = kernels::to_element<T>(wrong.value);
    } else {
      auto* const first_byte = reinterpret_cast<unsigned char*>(&element);
      *first_byte = static_cast<unsigned char>(*first_byte ^ 1U);
    }
  }
  return d;
}

/// All tallies in one, and the wrong elements of each square.
struct Compared {
  ProductTally tally;
  std::vector<std::uint64_t> wrong_in_tiles;
};

Compared added_up(const std::vector<ProductTally>& tallies, std::vector<std::uint64_t> tiles) {
  Compared all{{}, std::move(tiles)};
  for (const ProductTally& tally : tallies) {
    all.tally.checked += tally.checked;
    all.tally.wrong += tally.wrong;
    all.tally.not_a_number += tally.not_a_number;
    all.tally.infinite += tally.infinite;
  }
  return all;
}

}  // namespace

template <typename T>
void ProductKernels::expect_found(const std::vector<std::array<double, 3>>& planted_elements,
                                  std::uint64_t not_a_number, std::uint64_t infinite) const {
  std::vector<Planted> planted;
  std::vector<std::uint64_t> wrong_in_tiles(4);  // two down, two across
  for (const auto& [row, column, value] : planted_elements) {
    planted.push_back({static_cast<std::size_t>(row), static_cast<std::size_t>(column), value});
    ++wrong_in_tiles[static_cast<std::size_t>(column) / 128 * 2 + static_cast<std::size_t>(row) / 128];
  }
  const auto stream = make_stream();
  const std::vector<T> product = product_with<T>(planted);
  const auto d = make_array<T>(matrix_elements);
  check(device().copy(d.data(), product.data(), d.bytes(), CopyKind::host_to_device, stream.get()), "copy");
  const auto of_rows = make_array<std::int32_t>(rows * factors);
  const auto of_columns = make_array<std::int32_t>(columns * factors);
  run(kernels::FillKnownFactors{of_rows.data(), rows, false, known}, rows * factors, stream.get());
  run(kernels::FillKnownFactors{of_columns.data(), columns, true, known}, columns * factors, stream.get());
  const auto tallies = make_array<ProductTally>(CheckKnownProduct<T>::slots);
  const auto tiles = make_array<std::uint64_t>(4);
  check(device().fill(tallies.data(), 0, tallies.bytes(), stream.get()), "fill");
  check(device().fill(tiles.data(), 0, tiles.bytes(), stream.get()), "fill");
  const CheckKnownProduct<T> compare{d.data(),          rows,           columns,     leading, of_rows.data(),
                                     of_columns.data(), tallies.data(), tiles.data()};
  run(compare, compare.count(), stream.get());
  const Compared seen = added_up(read(tallies, stream.get()), read(tiles, stream.get()));
  EXPECT_EQ(seen.tally.checked, rows * columns);
  EXPECT_EQ(seen.tally.wrong, planted.size());
  EXPECT_EQ(seen.tally.not_a_number, not_a_number);
  EXPECT_EQ(seen.tally.infinite, infinite);
  EXPECT_EQ(seen.wrong_in_tiles, wrong_in_tiles);
}

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_P(ProductKernels, FindNothingInARightProduct) {
  expect_found<double>({}, 0, 0);
  expect_found<float>({}, 0, 0);
  expect_found<kernels::Half>({}, 0, 0);
  expect_found<kernels::BFloat16>({}, 0, 0);
  expect_found<std::int32_t>({}, 0, 0);
}

TEST_P(ProductKernels, FindEachWrongElementOfAProduct) {
  expect_found<double>({{0, 0, 0}, {199, 149, nan}, {128, 3, infinity}, {5, 128, -infinity}, {127, 127, 1e9}}, 1, 2);
  expect_found<float>({{0, 0, 0}, {199, 149, nan}, {128, 3, infinity}, {5, 128, -infinity}, {127, 127, 1e9}}, 1, 2);
  expect_found<kernels::Half>({{1, 0, 0}, {199, 149, nan}, {198, 149, -infinity}}, 1, 1);
  expect_found<kernels::BFloat16>({{1, 0, 0}, {199, 149, nan}, {198, 149, infinity}}, 1, 1);
  expect_found<std::int32_t>({{1, 0, 0}, {199, 149, 2147483647.0}, {3, 3, -1048576}}, 0, 0);
}

TEST_P(ProductKernels, FillInNumbersMuchLikeNormalOnes) {
  const auto stream = make_stream();
  constexpr std::size_t count = 100'000;
  const auto floats = make_array<float>(count);
  run(kernels::FillNormal<float>{floats.data(), 1}, count, stream.get());
  const std::vector<float> seen = read(floats, stream.get());
  const double mean = std::accumulate(seen.begin(), seen.end(), 0.0) / count;
  const double square = std::inner_product(seen.begin(), seen.end(), seen.begin(), 0.0) / count;
  EXPECT_NEAR(mean, 0, 0.02);
  EXPECT_NEAR(square, 1, 0.02);
  const auto bytes = make_array<std::int8_t>(count);
  run(kernels::FillNormal<std::int8_t>{bytes.data(), 1}, count, stream.get());
  const std::vector<std::int8_t> small = read(bytes, stream.get());
  EXPECT_GT(*std::max_element(small.begin(), small.end()), 110);
  EXPECT_LT(*std::min_element(small.begin(), small.end()), -110);
}

}  // namespace

std::uint64_t ProductKernels::digest_of(const std::vector<std::uint64_t>& words) const {
  const auto stream = make_stream();
  const auto array = make_array<std::uint64_t>(words.size());
  const auto digest = make_array<std::uint64_t>(1);
  check(device().copy(array.data(), words.data(), array.bytes(), CopyKind::host_to_device, stream.get()), "copy");
  check(device().fill(digest.data(), 0, digest.bytes(), stream.get()), "fill");
  run(kernels::DigestWords{array.data(), words.size(), digest.data()}, 96, {.threads = 32, .shared_bytes = 256},
      stream.get());
  return read(digest, stream.get()).front();
}

namespace {

TEST_P(ProductKernels, DigestEachBitAndItsPlace) {
  std::vector<std::uint64_t> words(1000);
  std::iota(words.begin(), words.end(), 1);
  const std::uint64_t digest = digest_of(words);
  EXPECT_EQ(digest_of(words), digest);
  std::swap(words[10], words[11]);
  EXPECT_NE(digest_of(words), digest);
  std::swap(words[10], words[11]);
  words.back() ^= 1;
  EXPECT_NE(digest_of(words), digest);
}

TEST_P(ProductKernels, CompareDigests) {
  const auto stream = make_stream();
  const auto digests = make_array<std::uint64_t>(3);
  const std::vector<std::uint64_t> values{5, 5, 6};
  check(device().copy(digests.data(), values.data(), digests.bytes(), CopyKind::host_to_device, stream.get()), "copy");
  const auto tally = make_array<kernels::DigestTally>(1);
  check(device().fill(tally.data(), 0, tally.bytes(), stream.get()), "fill");
  for (const std::size_t other : {1U, 2U, 2U}) {
    run(kernels::CompareDigests{digests.data() + other, digests.data(), tally.data()}, 1, stream.get());
  }
  const kernels::DigestTally seen = read(tally, stream.get()).front();
  EXPECT_EQ(seen.compared, 3U);
  EXPECT_EQ(seen.different, 2U);
}

}  // namespace
}  // namespace gpucheck::device::contract
