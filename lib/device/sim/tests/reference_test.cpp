#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

#include "device/kernels/support/half.hpp"
#include "device/sim/reference/reference_collective.hpp"
#include "device/sim/reference/reference_product.hpp"
#include "device/sim/tests/dot_product.hpp"

// The mathematics of the simulated device's libraries, with results worked out by hand.
namespace gpucheck::sim {
namespace {

using device::Collective;
using device::CollectiveKind;
using device::ComputeType;
using device::ElementType;
using device::MatrixProduct;
using device::ProductAlgorithm;
using device::Reduction;

/// op(A) = [1 2 3; 4 5 6] and op(B) = [7 8; 9 10; 11 12]: D = [58 64; 139 154], for each way to store them.
struct Stored {
  std::string name;
  bool transpose_a;
  std::int64_t leading_a;
  std::vector<float> a;
  bool transpose_b;
  std::int64_t leading_b;
  std::vector<float> b;
};
void PrintTo(const Stored& stored, std::ostream* out) { *out << stored.name; }

constexpr float gap = 1000;  // stands between the columns, and belongs to no matrix

std::vector<Stored> ways_to_store() {
  const std::vector<float> a{1, 4, gap, 2, 5, gap, 3, 6};
  const std::vector<float> a_transposed{1, 2, 3, gap, 4, 5, 6};
  const std::vector<float> b{7, 9, 11, 8, 10, 12};
  const std::vector<float> b_transposed{7, 8, gap, gap, 9, 10, gap, gap, 11, 12};
  return {{"as they are", false, 3, a, false, 3, b},
          {"A transposed", true, 4, a_transposed, false, 3, b},
          {"B transposed", false, 3, a, true, 4, b_transposed},
          {"both transposed", true, 4, a_transposed, true, 4, b_transposed}};
}

class ReferenceLayouts : public testing::TestWithParam<Stored> {
 protected:
  static MatrixProduct product(const Stored& stored) {
    return {.m = 2,
            .n = 2,
            .k = 3,
            .transpose_a = stored.transpose_a,
            .transpose_b = stored.transpose_b,
            .leading_a = stored.leading_a,
            .leading_b = stored.leading_b,
            .leading_d = 3,
            .scale = 2};
  }
};

// D lies with gaps too, which stay as they are; sums in two halves are those of one pass.
TEST_P(ReferenceLayouts, AreMultipliedElementByElement) {
  const Stored& stored = GetParam();
  for (const std::uint64_t room : {0U, 16U}) {
    const ProductAlgorithm algorithm = choose_reference_algorithm(product(stored), room);
    EXPECT_EQ(algorithm.workspace_bytes, room);
    std::array<float, 4> workspace{};
    std::vector<float> d(5, gap);
    multiply_on_host(product(stored), algorithm,
                     {.a = stored.a.data(), .b = stored.b.data(), .d = d.data(), .workspace = workspace.data()});
    EXPECT_EQ(d, (std::vector<float>{116, 278, gap, 128, 308}));
  }
}

INSTANTIATE_TEST_SUITE_P(, ReferenceLayouts, testing::ValuesIn(ways_to_store()));

template <typename T>
MatrixProduct dot(ElementType type, ComputeType compute, const std::vector<T>& row) {
  return dot_product(type, compute, static_cast<std::int64_t>(row.size()));
}

// The workspace holds one sum of each element of D: 4 bytes each, 8 of doubles; with one product there is no half.
TEST(ReferenceAlgorithm, TakesTwoHalvesWhereTheyFit) {
  MatrixProduct product{.m = 3, .n = 5, .k = 2};
  EXPECT_EQ(choose_reference_algorithm(product, 59).workspace_bytes, 0U);
  EXPECT_EQ(choose_reference_algorithm(product, 59).description, "sums from the first product to the last");
  EXPECT_EQ(choose_reference_algorithm(product, 60).workspace_bytes, 60U);
  EXPECT_EQ(choose_reference_algorithm(product, 1000).description, "sums in two halves");
  product.compute = ComputeType::fp64;
  EXPECT_EQ(choose_reference_algorithm(product, 119).workspace_bytes, 0U);
  EXPECT_EQ(choose_reference_algorithm(product, 120).workspace_bytes, 120U);
  product.k = 1;
  EXPECT_EQ(choose_reference_algorithm(product, 120).workspace_bytes, 0U);
}

// 2^24 + 1 is rounded to 2^24 and 1 + 1 is not: the order of a sum shows.
TEST(ReferenceAlgorithm, OfAnOddDeviceBeginsAtTheEnd) {
  const std::vector<float> ones(3, 1.0F);
  const std::vector<float> row{0x1p24F, 1.0F, 1.0F};
  const MatrixProduct product = dot(ElementType::fp32, ComputeType::fp32, row);
  const ProductAlgorithm forward = choose_reference_algorithm(product, 0);
  float d = 0;
  multiply_on_host(product, forward, {.a = row.data(), .b = ones.data(), .d = &d});
  EXPECT_EQ(d, 0x1p24F);
  multiply_on_host(product, from_the_end(forward), {.a = row.data(), .b = ones.data(), .d = &d});
  EXPECT_EQ(d, 0x1p24F + 2);
}

// An odd number of products: the first half has the lesser part.
TEST(ReferenceAlgorithm, CutsInTheMiddle) {
  const std::vector<float> ones(5, 1.0F);
  const auto in_halves = [&](const std::vector<float>& row) {
    const MatrixProduct product = dot(ElementType::fp32, ComputeType::fp32, row);
    float d = 0;
    float half = 0;
    multiply_on_host(product, choose_reference_algorithm(product, 4),
                     {.a = row.data(), .b = ones.data(), .d = &d, .workspace = &half});
    return std::pair(d, half);
  };
  EXPECT_EQ(in_halves({1, 2, 4, 8, 16}), std::pair(31.0F, 3.0F));
  EXPECT_EQ(in_halves({0x1p24F, 0, 1, 1, 0}), std::pair(0x1p24F + 2, 0x1p24F));
}

TEST(ReferenceProduct, OfDoublesAndWholeNumbersIsInTheirOwnKind) {
  const std::vector<double> doubles{0x1p52, 1};
  const std::vector<double> units{1, 1};
  double d = 0;
  multiply_on_host(dot(ElementType::fp64, ComputeType::fp64, doubles), {},
                   {.a = doubles.data(), .b = units.data(), .d = &d});
  EXPECT_EQ(d, 0x1p52 + 1);
  const std::vector<std::int8_t> bytes{-128, 127, -128};
  MatrixProduct whole = dot(ElementType::int8, ComputeType::int32, bytes);
  whole.d = ElementType::int32;
  std::int32_t sum = 0;
  multiply_on_host(whole, {}, {.a = bytes.data(), .b = bytes.data(), .d = &sum});
  EXPECT_EQ(sum, 128 * 128 + 127 * 127 + 128 * 128);
}

// 2 * 3 = 6, times 0.5 of the product and the factors 4 and 8 on the device.
TEST(ReferenceProduct, HasTheFactorsThatAreThere) {
  const std::uint8_t two = 0x40;  // fp8_e4m3
  const std::uint8_t three = 0x44;
  const float four = 4;
  const float eight = 8;
  MatrixProduct product = dot(ElementType::fp8_e4m3, ComputeType::fp32, std::vector<std::uint8_t>{two});
  product.d = ElementType::fp32;
  product.scale = 0.5;
  const auto scaled = [&](const float* of_a, const float* of_b) {
    float d = 0;
    multiply_on_host(product, {}, {.a = &two, .b = &three, .d = &d, .scale_a = of_a, .scale_b = of_b});
    return d;
  };
  EXPECT_EQ(scaled(nullptr, nullptr), 3);
  EXPECT_EQ(scaled(&four, nullptr), 12);
  EXPECT_EQ(scaled(nullptr, &eight), 24);
  EXPECT_EQ(scaled(&four, &eight), 96);
}

// Whichever operand is of the wider kind: sums keep 14 bits of both, and of 16-bit types all 24.
TEST(ReferenceProduct, SumsOfFp8AreNarrowOfEitherKind) {
  const std::vector<std::uint8_t> e5m2{0x74, 0x3C};  // 2^14 and 1
  const std::vector<std::uint8_t> ones_e5m2{0x3C, 0x3C};
  const std::vector<std::uint8_t> ones_e4m3{0x38, 0x38};
  MatrixProduct product = dot(ElementType::fp8_e5m2, ComputeType::fp32, e5m2);
  product.d = ElementType::fp32;
  float d = 0;
  multiply_on_host(product, {}, {.a = e5m2.data(), .b = ones_e5m2.data(), .d = &d});
  EXPECT_EQ(d, 0x1p14F);
  product.b = ElementType::fp8_e4m3;
  multiply_on_host(product, {}, {.a = e5m2.data(), .b = ones_e4m3.data(), .d = &d});
  EXPECT_EQ(d, 0x1p14F);
  const std::vector<device::kernels::Half> halves{device::kernels::Half(0x1p14F), device::kernels::Half(1.0F)};
  const std::vector<device::kernels::Half> ones(2, device::kernels::Half(1.0F));
  MatrixProduct of_halves = dot(ElementType::fp16, ComputeType::fp32, halves);
  of_halves.d = ElementType::fp32;
  multiply_on_host(of_halves, {}, {.a = halves.data(), .b = ones.data(), .d = &d});
  EXPECT_EQ(d, 0x1p14F + 1);
}

constexpr std::size_t ranks = 3;

/// What each of three ranks receives of a collective of two 32-bit numbers; rank r sends 10 r + 1, 10 r + 2, ...
std::vector<std::vector<std::int32_t>> received(Collective collective, std::size_t sent_blocks,
                                                std::size_t received_blocks) {
  collective.type = ElementType::int32;
  collective.count = 2;
  std::vector<std::vector<std::int32_t>> sent;
  std::vector<std::vector<std::int32_t>> answers(ranks, std::vector<std::int32_t>(2 * received_blocks, -1));
  std::vector<device::RankOperands> operands;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    sent.emplace_back();
    for (std::size_t i = 0; i < 2 * sent_blocks; ++i)
      sent.back().push_back(static_cast<std::int32_t>(10 * rank + i + 1));
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    operands.push_back({.sent = sent[rank].data(), .received = answers[rank].data(), .stream = {}});
  }
  communicate_on_host(collective, operands);
  return answers;
}

using Numbers = std::vector<std::vector<std::int32_t>>;

TEST(ReferenceCollective, ReducesOverAllRanks) {
  const auto reduced = [](Reduction reduction) {
    return received({.kind = CollectiveKind::all_reduce, .reduction = reduction}, 1, 1);
  };
  EXPECT_EQ(reduced(Reduction::sum), (Numbers{{33, 36}, {33, 36}, {33, 36}}));
  EXPECT_EQ(reduced(Reduction::minimum), (Numbers{{1, 2}, {1, 2}, {1, 2}}));
  EXPECT_EQ(reduced(Reduction::maximum), (Numbers{{21, 22}, {21, 22}, {21, 22}}));
}

TEST(ReferenceCollective, GivesEachRankItsSum) {
  EXPECT_EQ(received({.kind = CollectiveKind::reduce_scatter}, 3, 1), (Numbers{{33, 36}, {39, 42}, {45, 48}}));
}

TEST(ReferenceCollective, MovesBlocksToWhereTheyBelong) {
  EXPECT_EQ(received({.kind = CollectiveKind::all_gather}, 1, 3),
            (Numbers{{1, 2, 11, 12, 21, 22}, {1, 2, 11, 12, 21, 22}, {1, 2, 11, 12, 21, 22}}));
  EXPECT_EQ(received({.kind = CollectiveKind::all_to_all}, 3, 3),
            (Numbers{{1, 2, 11, 12, 21, 22}, {3, 4, 13, 14, 23, 24}, {5, 6, 15, 16, 25, 26}}));
  EXPECT_EQ(received({.kind = CollectiveKind::broadcast, .root = 1}, 1, 1), (Numbers{{11, 12}, {11, 12}, {11, 12}}));
  EXPECT_EQ(received({.kind = CollectiveKind::broadcast, .root = 2}, 1, 1), (Numbers{{21, 22}, {21, 22}, {21, 22}}));
}

// To the rank that is so far ahead in the circle.
TEST(ReferenceCollective, SendsAroundTheCircle) {
  EXPECT_EQ(received({.kind = CollectiveKind::send_receive, .distance = 1}, 1, 1),
            (Numbers{{21, 22}, {1, 2}, {11, 12}}));
  EXPECT_EQ(received({.kind = CollectiveKind::send_receive, .distance = 2}, 1, 1),
            (Numbers{{11, 12}, {21, 22}, {1, 2}}));
}

// From the first rank to the last, rounded after each: 2^24 + 1 + 1 is 2^24, and 1 + 1 + 2^24 is not.
TEST(ReferenceCollective, RoundsAfterEachRank) {
  const auto sum = [](std::array<float, ranks> sent) {
    std::array<float, ranks> answers{};
    std::vector<device::RankOperands> operands;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      operands.push_back({.sent = &sent[rank], .received = &answers[rank], .stream = {}});
    }
    communicate_on_host({.kind = CollectiveKind::all_reduce, .type = ElementType::fp32, .count = 1}, operands);
    return answers[1];
  };
  EXPECT_EQ(sum({0x1p24F, 1, 1}), 0x1p24F);
  EXPECT_EQ(sum({1, 1, 0x1p24F}), 0x1p24F + 2);
}

}  // namespace
}  // namespace gpucheck::sim
