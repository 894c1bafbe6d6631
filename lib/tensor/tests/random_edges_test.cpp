#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "runtime/memory/transfer.hpp"
#include "runtime/tests/error_of.hpp"
#include "runtime/tests/simulated.hpp"
#include "tensor/random/inputs.hpp"
#include "tensor/random/integers.hpp"
#include "tensor/random/multinomial.hpp"
#include "tensor/random/permutation.hpp"

// Parameters at the ends of what a distribution takes, and ranges at the ends of what a type holds.
namespace gpucheck::tensor::test {
namespace {

using runtime::test::error_of;
using runtime::test::Simulated;

/// On a device of four multiprocessors, which draws from 4 * 2048 sequences at most.
class RandomEdges : public testing::Test {
 protected:
  static constexpr std::size_t sequences = 8192;

  template <typename T>
  std::vector<T> download(const Buffer<T>& values) {
    std::vector<T> host(values.size());
    runtime::copy_to_host(runtime, host.data(), values.data(), values.size_bytes(), runtime::Transfer::blocking,
                          runtime.current_stream());
    return host;
  }
  template <typename T, typename Draw>
  std::vector<T> drawn(std::size_t count, Draw draw) {
    Buffer<T> out(runtime, count, runtime.current_stream());
    generator.manual_seed(7);
    draw(out.data());
    return download(out);
  }
  /// The different numbers among those of `random` in [from, to).
  template <typename T>
  std::set<double> numbers_in(std::int64_t from, std::int64_t to) {
    std::set<double> numbers;
    for (const T number : drawn<T>(10'000, [&](T* out) { ops::random(generator, out, 10'000, from, to); })) {
      numbers.insert(static_cast<double>(static_cast<float>(number)));
    }
    return numbers;
  }
  template <typename T>
  std::string refusal(std::int64_t from, std::int64_t to) {
    T number{};
    return error_of([&] { ops::random(generator, &number, 1, from, to); });
  }
  template <typename T>
  std::string refusal(std::int64_t from) {
    T number{};
    return error_of([&] { ops::random_from(generator, &number, 1, from); });
  }
  /// How far the generator goes for `count` numbers of a draw.
  template <typename T, typename Draw>
  std::uint64_t offset_after(std::size_t count, Draw draw) {
    static_cast<void>(drawn<T>(count, draw));
    return generator.offset();
  }

  Simulated machine{0, sim::profile("small")};
  runtime::Runtime& runtime = machine.runtime();
  Generator generator{runtime, 7};
};

TEST_F(RandomEdges, WhatHasNoWidthIsOneNumber) {
  EXPECT_EQ(drawn<float>(3, [&](float* out) { ops::uniform(generator, out, 3, 2, 2); }), std::vector<float>(3, 2));
  EXPECT_EQ(drawn<float>(3, [&](float* out) { ops::normal(generator, out, 3, 5, 0); }), std::vector<float>(3, 5));
  EXPECT_EQ(drawn<std::int32_t>(3, [&](std::int32_t* out) { ops::bernoulli(generator, out, 3, 0); }),
            std::vector<std::int32_t>(3, 0));
  EXPECT_EQ(drawn<std::int32_t>(3, [&](std::int32_t* out) { ops::bernoulli(generator, out, 3, 1); }),
            std::vector<std::int32_t>(3, 1));
  float number = 0;
  EXPECT_EQ(error_of([&] { ops::geometric(generator, &number, 1, 0); }),
            "geometric_ expects p to be in (0, 1), but got p=0");
  EXPECT_EQ(error_of([&] { ops::bernoulli(generator, &number, 1, -0.5); }),
            "bernoulli_ expects p to be in [0, 1], but got p=-0.5");
  const std::vector<float> narrow =
      drawn<float>(100, [&](float* out) { ops::log_normal(generator, out, 100, 0, 0.125); });
  EXPECT_TRUE(std::ranges::all_of(narrow, [](float each) { return each > 0.5F && each < 2.0F; }));
}

TEST_F(RandomEdges, DropoutTakesProbabilitiesFromZeroUpToOne) {
  Buffer<float> in(runtime, 4, runtime.current_stream());
  ops::uniform(generator, in.data(), 4, 2, 2);
  Buffer<bool> mask(runtime, 4, runtime.current_stream());
  const auto dropped = [&](double probability) {
    return drawn<float>(4, [&](float* out) { ops::dropout(generator, in.data(), out, mask.data(), 4, probability); });
  };
  EXPECT_EQ(dropped(0), std::vector<float>(4, 2)) << "nothing is dropped, nothing scaled";
  EXPECT_EQ(error_of([&] { dropped(-0.125); }), "dropout probability has to be between 0 and 1, but got -0.125");
  EXPECT_EQ(error_of([&] { dropped(1); }), "dropout probability has to be between 0 and 1, but got 1");
}

TEST_F(RandomEdges, NewMemoryHasTheSameNumbers) {
  constexpr std::size_t count = 1'000;
  generator.manual_seed(7);
  const std::vector<float> uniform = download(ops::rand(generator, count));
  EXPECT_EQ(uniform, drawn<float>(count, [&](float* out) { ops::uniform(generator, out, count); }));
  generator.manual_seed(7);
  const std::vector<float> normal = download(ops::randn(generator, count));
  EXPECT_EQ(normal, drawn<float>(count, [&](float* out) { ops::normal(generator, out, count); }));
  EXPECT_TRUE(std::ranges::all_of(uniform, [](float each) { return each >= 0 && each < 1; }));
  EXPECT_TRUE(std::ranges::any_of(normal, [](float each) { return each < 0; }));
}

// Between 2048 and 4096 a half holds every second number, from there on every fourth.
TEST_F(RandomEdges, ARangeBeginsAtTheLeastThatATypeHolds) {
  EXPECT_EQ(numbers_in<Half>(4'097, 4'105), (std::set<double>{4'100, 4'104}));
  EXPECT_EQ(*numbers_in<Half>(4'096, 4'101).begin(), 4'096);
  EXPECT_EQ(*numbers_in<Half>(2'047, 2'060).begin(), 2'047);
}

TEST_F(RandomEdges, ARangeEndsBelowItsBound) {
  const std::set<double> halves = numbers_in<Half>(4'080, 4'100);
  EXPECT_LT(*halves.rbegin(), 4'100);
  EXPECT_TRUE(halves.contains(4'094));
  EXPECT_EQ(*numbers_in<Half>(0, 2'049).rbegin(), 2'048);
  EXPECT_EQ(*numbers_in<float>(0, 100).rbegin(), 99);
}

TEST_F(RandomEdges, RangesThatATypeHoldsNothingOfAreRefused) {
  EXPECT_EQ(refusal<float>(5, 3), "random_ expects 'from' to be less than 'to', but got from=5 >= to=3");
  EXPECT_EQ(refusal<Half>(4'097, 4'099),
            "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from=4100 >= "
            "to=4099");
  EXPECT_EQ(refusal<std::uint8_t>(-1, 5), "from is out of bounds for the type of the numbers");
  EXPECT_EQ(refusal<std::uint8_t>(256, 300), "from is out of bounds for the type of the numbers");
  EXPECT_EQ(refusal<std::int8_t>(-129, 5), "from is out of bounds for the type of the numbers");
  EXPECT_EQ(refusal<std::int8_t>(-128, 129), "to - 1 is out of bounds for the type of the numbers");
  EXPECT_EQ(refusal<std::uint8_t>(256), "from is out of bounds for the type of the numbers");
  EXPECT_EQ(refusal<std::int16_t>(32'768), "from is out of bounds for the type of the numbers");
  EXPECT_EQ(refusal<float>(16'777'216),
            "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got "
            "from=16777216 > to_inc=16777216");
  EXPECT_EQ(refusal<Half>(2'048),
            "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got "
            "from=2048 > to_inc=2048");
}

// The whole of a byte, each number of it.
TEST_F(RandomEdges, AWholeTypeCanBeDrawn) {
  const std::vector<std::int8_t> signed_bytes =
      drawn<std::int8_t>(20'000, [&](std::int8_t* out) { ops::random(generator, out, 20'000, -128, 128); });
  EXPECT_EQ((std::set<std::int8_t>(signed_bytes.begin(), signed_bytes.end()).size()), 256U);
  const std::vector<std::uint8_t> high =
      drawn<std::uint8_t>(1'000, [&](std::uint8_t* out) { ops::random_from(generator, out, 1'000, 254); });
  EXPECT_EQ((std::set<std::uint8_t>(high.begin(), high.end())), (std::set<std::uint8_t>{254, 255}));
  const std::vector<float> above =
      drawn<float>(1'000, [&](float* out) { ops::random_from(generator, out, 1'000, 16'777'215); });
  EXPECT_EQ((std::set<float>(above.begin(), above.end())), (std::set<float>{16'777'215, 16'777'216}));
}

// One number more than four of each sequence are, or two of 64 bits: then each sequence gives four words more.
TEST_F(RandomEdges, LargeRangesTake64Bits) {
  constexpr std::size_t count = 2 * sequences + 1;
  const auto between = [&](std::int64_t range) {
    return offset_after<std::int32_t>(
        count, [&, range](std::int32_t* out) { ops::random(generator, out, count, -1, range - 1); });
  };
  EXPECT_EQ(between((std::int64_t{1} << 28U) - 1), 4U);
  EXPECT_EQ(between(std::int64_t{1} << 28U), 8U);
  const auto of_all = [&]<typename T>(T) {
    return offset_after<T>(count, [&](T* out) { ops::random(generator, out, count); });
  };
  EXPECT_EQ(of_all(std::int64_t{}), 8U);
  EXPECT_EQ(of_all(double{}), 8U);
  EXPECT_EQ(of_all(float{}), 4U);
  EXPECT_EQ(of_all(std::int32_t{}), 4U);
  const std::vector<std::int64_t> large =
      drawn<std::int64_t>(100, [&](std::int64_t* out) { ops::random(generator, out, 100); });
  EXPECT_GT(std::ranges::max(large), std::int64_t{1} << 60U);
  EXPECT_GE(std::ranges::min(large), 0);
}

/// That a permutation is the order of random keys, which are drawn before, in their lowest `bits`, as signed numbers
/// where those are all; where two keys are equal either may come first.
template <typename Key>
void expect_order_of_keys(runtime::Runtime& runtime, Generator& generator, std::size_t count, int bits) {
  SCOPED_TRACE(count);
  const auto read = [&]<typename T>(const Buffer<T>& buffer) {
    std::vector<T> host(buffer.size());
    runtime::copy_to_host(runtime, host.data(), buffer.data(), buffer.size_bytes(), runtime::Transfer::blocking,
                          runtime.current_stream());
    return host;
  };
  generator.manual_seed(3);
  Buffer<Key> drawn(runtime, count, runtime.current_stream());
  ops::random(generator, drawn.data(), count, std::numeric_limits<Key>::min(), std::numeric_limits<Key>::max());
  const std::vector<Key> keys = read(drawn);
  generator.manual_seed(3);
  const std::vector<std::int64_t> order = read(ops::randperm(generator, count));
  ASSERT_EQ(order.size(), count);
  using Unsigned = std::make_unsigned_t<Key>;
  const auto key_of = [&](std::int64_t index) {
    const auto key = static_cast<Unsigned>(keys[static_cast<std::size_t>(index)]);
    return bits == std::numeric_limits<Unsigned>::digits ? key ^ (Unsigned{1} << (bits - 1))
                                                         : key & ((Unsigned{1} << bits) - 1);
  };
  EXPECT_TRUE(std::ranges::is_sorted(order, {}, key_of));
}

// No two of n keys of b bits are equal with a probability of exp(-n * n / 2^(b+1)), which is to be 0.9: that takes 23
// bits for 1000 numbers and 32 for up to 30083; beyond them keys have 64 bits, of which 33 count.
TEST_F(RandomEdges, APermutationIsTheOrderOfItsKeys) {
  expect_order_of_keys<std::int32_t>(runtime, generator, 1'000, 23);
  expect_order_of_keys<std::int32_t>(runtime, generator, 940, 22);
  expect_order_of_keys<std::int32_t>(runtime, generator, 941, 23);
  expect_order_of_keys<std::int32_t>(runtime, generator, 30'083, 32);
  expect_order_of_keys<std::int64_t>(runtime, generator, 30'084, 33);
}

// Refused before memory is touched.
TEST_F(RandomEdges, CategoriesAreCounted) {
  const auto drawn = [&](std::size_t rows, std::size_t categories, std::size_t samples, bool replacement) {
    return error_of([&] {
      ops::multinomial(generator, ops::Weights<float>{nullptr, rows, categories}, nullptr, samples, replacement);
    });
  };
  constexpr std::size_t most = std::size_t{1} << 24U;
  EXPECT_EQ(drawn(0, most, 1, true), "no error");
  EXPECT_EQ(drawn(0, most + 1, 1, true), "number of categories cannot exceed 2^24");
  EXPECT_EQ(drawn(0, 1, 1, true), "no error");
  EXPECT_EQ(drawn(0, 0, 1, true), "There is no category to draw from. Give at least one weight.");
  EXPECT_EQ(drawn(0, 3, 3, false), "no error");
  EXPECT_EQ(drawn(0, 3, 4, false), "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  EXPECT_EQ(drawn(0, 3, 4, true), "no error");
}

}  // namespace
}  // namespace gpucheck::tensor::test
