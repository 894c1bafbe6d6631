#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "device/kernels/support/distributions.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/tests/error_of.hpp"
#include "runtime/tests/simulated.hpp"
#include "tensor/ops.hpp"
#include "tensor/random/inputs.hpp"
#include "tensor/random/integers.hpp"
#include "tensor/random/multinomial.hpp"
#include "tensor/random/permutation.hpp"

// What is drawn is checked against PyTorch in random_truth_test.cpp; here is what it refuses,
// and what no row of PyTorch's holds.
namespace gpucheck::tensor::test {
namespace {

using runtime::test::error_of;
using runtime::test::Simulated;

class Random : public testing::Test {
 protected:
  template <typename T>
  Buffer<T> upload(const std::vector<T>& values) {
    return runtime::to_device<T>(runtime, values.data(), values.size(), runtime::Transfer::blocking,
                                 runtime.current_stream());
  }
  template <typename T>
  std::vector<T> download(const Buffer<T>& values) {
    std::vector<T> host(values.size());
    runtime::copy_to_host(runtime, host.data(), values.data(), values.size_bytes(), runtime::Transfer::blocking,
                          runtime.current_stream());
    return host;
  }
  std::vector<std::int64_t> categories(const std::vector<float>& weights, std::size_t samples, bool replacement,
                                       std::size_t rows = 1) {
    const Buffer<float> on_device = upload(weights);
    Buffer<std::int64_t> out(runtime, rows * samples, runtime.current_stream());
    ops::multinomial(generator, ops::Weights<float>{on_device.data(), rows, weights.size() / rows}, out.data(), samples,
                     replacement);
    return download(out);
  }

  Simulated machine;
  runtime::Runtime& runtime = machine.runtime();
  Generator generator{runtime, 7};
  float value = 0;  ///< its address stands for memory that is not touched
};

TEST_F(Random, NoNumbersNeedNothing) {
  EXPECT_EQ(ops::rand(generator, 0).data(), nullptr);
  EXPECT_EQ(ops::randperm(generator, 0).data(), nullptr);
  ops::bernoulli_each<float, float>(generator, nullptr, nullptr, 0);
  ops::poisson<float>(generator, nullptr, nullptr, 0);
  ops::dropout<float>(generator, nullptr, nullptr, nullptr, 0);
  ops::rrelu<float>(generator, nullptr, nullptr, nullptr, 0);
  EXPECT_EQ(generator.offset(), 0U);
}

TEST_F(Random, RefusesWhatIsNoDistribution) {
  EXPECT_EQ(error_of([&] { ops::uniform(generator, &value, 1, 2, 1); }),
            "uniform_ expects to return a [from, to) range, but found from=2 > to=1");
  EXPECT_EQ(error_of([&] { ops::normal(generator, &value, 1, 0, -1); }), "normal expects std >= 0.0, but found std -1");
  EXPECT_EQ(error_of([&] { ops::log_normal(generator, &value, 1, 0, 0); }),
            "log_normal_ expects std > 0.0, but found std=0");
  EXPECT_EQ(error_of([&] { ops::exponential(generator, &value, 1, 0); }),
            "exponential_ expects lambda > 0.0, but found lambda=0");
  EXPECT_EQ(error_of([&] { ops::cauchy(generator, &value, 1, 0, 0); }),
            "cauchy_ expects sigma > 0.0, but found sigma=0");
  EXPECT_EQ(error_of([&] { ops::geometric(generator, &value, 1, 1); }),
            "geometric_ expects p to be in (0, 1), but got p=1");
  EXPECT_EQ(error_of([&] { ops::bernoulli(generator, &value, 1, 1.5); }),
            "bernoulli_ expects p to be in [0, 1], but got p=1.5");
  EXPECT_EQ(error_of([&] { ops::random(generator, &value, 1, 3, 3); }),
            "random_ expects 'from' to be less than 'to', but got from=3 >= to=3");
  EXPECT_EQ(error_of([&] { ops::dropout(generator, &value, &value, nullptr, 1, 1.0); }),
            "dropout probability has to be between 0 and 1, but got 1");
  std::uint8_t small = 0;
  EXPECT_EQ(error_of([&] { ops::random(generator, &small, 1, 0, 257); }),
            "to - 1 is out of bounds for the type of the numbers");
  EXPECT_EQ(error_of([&] { ops::random_from(generator, &small, 1, std::numeric_limits<std::int64_t>::lowest()); }),
            "random_full_64_bits_range_kernel_cuda handles only int64, double, float and bfloat16");
  EXPECT_EQ(generator.offset(), 0U);
}

// What is stored at once must not depend on where the memory begins, nor reach beyond its end.
TEST_F(Random, WritesTheSameAtEveryAddress) {
  constexpr std::size_t count = 1'200'003;  // some rounds of all sequences, and a part of one
  constexpr float untouched = -1;
  Buffer<float> out(runtime, count + 8, runtime.current_stream());
  std::vector<float> expected;
  for (const std::size_t begin : {0U, 1U, 2U, 4U}) {
    SCOPED_TRACE(begin);
    ops::fill(runtime, out.data(), out.size(), untouched, runtime.current_stream());
    generator.manual_seed(7);
    ops::uniform(generator, out.data() + begin, count);
    std::vector<float> drawn = download(out);
    EXPECT_EQ(std::ranges::count(drawn, untouched), 8);
    EXPECT_EQ(std::count(drawn.begin() + static_cast<std::ptrdiff_t>(begin + count), drawn.end(), untouched),
              static_cast<std::ptrdiff_t>(8 - begin));
    drawn.erase(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(begin));
    drawn.resize(count);
    if (expected.empty()) expected = drawn;
    EXPECT_TRUE(drawn == expected);
  }
}

// Where the lower half of a position ends within a draw.
TEST_F(Random, DrawsOnWhereAPositionGrowsBeyond32Bits) {
  constexpr std::size_t count = 1'200'000;
  constexpr std::uint64_t before = (std::uint64_t{1} << 34U) - 4;  // positions count groups of four
  constexpr std::size_t round = std::size_t{132} * 2048 * 4;
  Buffer<float> out(runtime, count, runtime.current_stream());
  generator.set_offset(before);
  ops::uniform(generator, out.data(), count);
  const std::vector<float> drawn = download(out);
  generator.set_offset(before + 4);
  ops::uniform(generator, out.data(), count);
  const std::vector<float> next = download(out);
  ASSERT_GT(count, round);
  EXPECT_TRUE(std::equal(drawn.begin() + static_cast<std::ptrdiff_t>(round), drawn.end(), next.begin()));
}

TEST(LogOfUniform, IsTheLogarithm) {
  for (std::uint64_t word = 0; word < std::uint64_t{1} << 32U; word += 99'991) {
    const float uniform = device::kernels::uniform_of(static_cast<std::uint32_t>(word));
    const double exact = std::log(static_cast<double>(uniform));
    EXPECT_NEAR(device::kernels::log_of_uniform(uniform), exact, std::ldexp(std::abs(exact), -23)) << word;
  }
  EXPECT_EQ(device::kernels::log_of_uniform(1), 0);
}

TEST_F(Random, RefusesWhatCannotBeDrawnFrom) {
  const auto drawn = [&](const std::vector<float>& weights, std::size_t samples, bool replacement) {
    return error_of([&] { static_cast<void>(categories(weights, samples, replacement)); });
  };
  EXPECT_EQ(drawn({1, 1}, 0, true), "cannot sample n_sample <= 0 samples");
  EXPECT_EQ(drawn({1, 1}, 3, false), "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
}

TEST_F(Random, ImpossibleWeightsAreAssertions) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::vector<float>> impossible{
      {1, -1, 1}, {1, infinity, 1}, {1, -infinity, 1}, {1, std::numeric_limits<float>::quiet_NaN(), 1}, {0, 0, 0}};
  for (const std::vector<float>& weights : impossible) {
    for (const std::size_t samples : {std::size_t{1}, std::size_t{2}}) {
      Simulated other;
      Generator its_own(other.runtime());
      const Buffer<float> on_device =
          runtime::to_device<float>(other.runtime(), weights.data(), weights.size(), runtime::Transfer::blocking, {});
      Buffer<std::int64_t> out(other.runtime(), samples, {});
      ops::multinomial(its_own, ops::Weights<float>{on_device.data(), 1, weights.size()}, out.data(), samples, true);
      EXPECT_EQ(other.device().synchronize(), device::Status::assertion) << testing::PrintToString(weights);
    }
  }
}

TEST_F(Random, CategoriesComeByTheirWeights) {
  const std::vector<float> weights{0.0F, 1.0F, 0.0F, 3.0F, 0.0F};
  constexpr std::size_t samples = 40'000;
  const std::vector<std::int64_t> drawn = categories(weights, samples, true);
  const auto ones = std::ranges::count(drawn, 1);
  EXPECT_EQ(ones + std::ranges::count(drawn, 3), std::ptrdiff_t{samples});
  EXPECT_NEAR(static_cast<double>(ones), samples * 0.25, 5 * std::sqrt(samples * 0.25 * 0.75));
  int once = 0;
  for (int i = 0; i < 400; ++i) once += categories(weights, 1, true).front() == 3 ? 1 : 0;
  EXPECT_NEAR(once, 300, 5 * std::sqrt(400 * 0.25 * 0.75));
}

TEST_F(Random, FromManyCategoriesTheOneThatCanBe) {
  std::vector<float> weights(5000, 0.0F);
  weights[4321] = 1e-3F;
  EXPECT_EQ(categories(weights, 100, true), std::vector<std::int64_t>(100, 4321));
  EXPECT_EQ(categories(weights, 1, true), std::vector<std::int64_t>{4321});
  EXPECT_EQ(categories(weights, 1, false), std::vector<std::int64_t>{4321});
}

TEST_F(Random, WithoutReplacementEachCategoryComesOnce) {
  std::vector<std::int64_t> drawn = categories(std::vector<float>(100, 1.0F), 100, false);
  std::ranges::sort(drawn);
  std::vector<std::int64_t> all(100);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(drawn, all);
}

TEST_F(Random, EachRowHasItsOwnCategories) {
  const std::vector<float> weights{0, 1, 0, 0, 0, 1};
  EXPECT_EQ(categories(weights, 2, true, 2), (std::vector<std::int64_t>{1, 1, 2, 2}));
  EXPECT_EQ(categories(weights, 1, true, 2), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(categories(weights, 1, false, 2), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(Random, APermutationHasEveryNumberOnce) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{100}, std::size_t{40'000}}) {
    std::vector<std::int64_t> order = download(ops::randperm(generator, count));
    EXPECT_EQ(order.size(), count);
    EXPECT_TRUE(count <= 2 || !std::ranges::is_sorted(order));
    std::ranges::sort(order);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(order[i], static_cast<std::int64_t>(i));
  }
}

// For a type that cannot hold each of them the numbers end before the bound.
TEST_F(Random, NumbersStayBelowTheirBound) {
  Buffer<Half> out(runtime, 10'000, runtime.current_stream());
  ops::random(generator, out.data(), out.size(), 0, 65504);
  for (const Half number : download(out)) ASSERT_LT(static_cast<float>(number), 65504.0F);
}

TEST(HalfNumbers, AreRoundedToNearest) {
  const auto half = [](float value) { return device::kernels::Half(value).bits; };
  EXPECT_EQ(half(1.0F), 0x3C00);
  EXPECT_EQ(half(-2.0F), 0xC000);
  EXPECT_EQ(half(65504.0F), 0x7BFF);
  EXPECT_EQ(half(65519.0F), 0x7BFF);
  EXPECT_EQ(half(65520.0F), 0x7C00);
  EXPECT_EQ(half(0x1p-24F), 0x0001);
  EXPECT_EQ(half(0x1p-25F), 0x0000);
  EXPECT_EQ(half(0x1.8p-25F), 0x0001);
  EXPECT_EQ(half(1.0F + 0x1p-11F), 0x3C00);
  EXPECT_EQ(half(1.0F + 0x1.8p-10F), 0x3C02);
  const auto brain = [](float value) { return device::kernels::BFloat16(value).bits; };
  EXPECT_EQ(brain(1.0F), 0x3F80);
  EXPECT_EQ(brain(1.0F + 0x1p-8F), 0x3F80);
  EXPECT_EQ(brain(1.0F + 0x1.8p-7F), 0x3F82);
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    device::kernels::Half number;
    number.bits = static_cast<std::uint16_t>(bits);
    const auto value = static_cast<float>(number);
    ASSERT_TRUE(value != value || device::kernels::Half(value).bits == bits) << bits;
  }
}

}  // namespace
}  // namespace gpucheck::tensor::test
