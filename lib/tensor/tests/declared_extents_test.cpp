#include "device/sim/tests/declared_extents.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

#include "tensor/kernels/checks.hpp"
#include "tensor/kernels/layout.hpp"
#include "tensor/kernels/reduce.hpp"
#include "tensor/kernels/strided.hpp"
#include "tensor/kernels/views.hpp"
#include "tensor/random/kernels/random.hpp"
#include "tensor/random/kernels/random_discrete.hpp"
#include "tensor/random/kernels/random_inputs.hpp"
#include "tensor/random/kernels/sampling.hpp"
#include "tensor/random/kernels/sorting.hpp"

namespace gpucheck::device::kernels {
namespace {

TEST(DeclaredExtents, OfKernelsWithStridesAndVectors) {
  expect_exact(Launch<FillStrided<float>>{[](Arrays& at) {
                                            return FillStrided<float>{at.add<float>(13), 13, 3, 1};
                                          },
                                          5});
  expect_exact(Launch<FillVectors<float>>{[](Arrays& at) {
                                            return FillVectors<float>{at.add<Vector<float>>(3)->lanes, 12, 1};
                                          },
                                          3});
  expect_exact(Launch<VerifyStrided<float>>{[](Arrays& at) {
                                              const auto* data = at.add<float>(13);
                                              return VerifyStrided<float>{data, 13, 3, 1, at.add<Tally>(1)};
                                            },
                                            2});
  expect_exact(Launch<VerifyVectors<float>>{[](Arrays& at) {
                                              const auto* data = at.add<Vector<float>>(3)->lanes;
                                              return VerifyVectors<float>{data, 12, 1, at.add<Tally>(1)};
                                            },
                                            2});
  expect_exact(Launch<Convert<float, std::int64_t>>{[](Arrays& at) {
                                                      const auto* in = at.add<float>(9);
                                                      return Convert<float, std::int64_t>{in, at.add<std::int64_t>(9)};
                                                    },
                                                    9});
  expect_exact(
      Launch<CopyStrided<std::int64_t>>{[](Arrays& at) {
                                          const auto* in = at.add<std::int64_t>(10);
                                          return CopyStrided<std::int64_t>{in, 2, 1, 5, at.add<std::int64_t>(10)};
                                        },
                                        10});
}

constexpr Layout rows_of(std::size_t batches, std::size_t rows, std::size_t columns) {
  return {.rank = 3, .sizes = {batches, rows, columns}, .strides = {rows * columns, columns, 1}};
}

TEST(DeclaredExtents, OfKernelsOnViews) {
  expect_exact(Launch<AddViews>{
      [](Arrays& at) {
        const View<const float> a{at.add<float>(12), rows_of(2, 3, 2)};
        const View<const float> b{at.add<float>(6), {.rank = 3, .sizes = {2, 3, 2}, .strides = {0, 2, 1}}};
        return AddViews{a, b, {at.add<float>(12), rows_of(2, 3, 2)}};
      },
      12});
  expect_exact(Launch<MultiplyMatrices>{[](Arrays& at) {
                                          const View<const float> a{at.add<float>(12), rows_of(2, 2, 3)};
                                          const View<const float> b{at.add<float>(12), rows_of(2, 3, 2)};
                                          return MultiplyMatrices{a, b, {at.add<float>(8), rows_of(2, 2, 2)}};
                                        },
                                        8});
}

TEST(DeclaredExtents, OfKernelsThatDrawAndCheck) {
  expect_exact(Launch<RequireNonzero<ComplexFloat>>{
      [](Arrays& at) { return RequireNonzero<ComplexFloat>{at.add<ComplexFloat>(1)}; }});
  expect_exact(Launch<IndexRows<float>>{[](Arrays& at) {
                                          const auto* in = at.add<float>(4);
                                          const auto* indices = at.add<std::int64_t>(3);
                                          return IndexRows<float>{in, 1, 4, indices, at.add<float>(12)};
                                        },
                                        12});
}

/// Where the numbers of a kernel in a graph begin, which it reads.
PhiloxStart random_in_graph(Arrays& at) {
  PhiloxStart start;
  start.seed_at = at.add<std::int64_t>(1);
  start.offset_at = at.add<std::int64_t>(1);
  return start;
}

template <unsigned width>
Dropout<float> dropout_of_24(Arrays& at) {
  const auto* in = at.add<float>(24);
  auto* out = at.add<float>(24);
  auto* mask = at.add<bool>(24);
  return {in, out, mask, 24, width, 0.5F, 2, random_in_graph(at)};
}

TEST(DeclaredExtents, OfRandomNumbers) {
  expect_exact(Launch<Draw<Uniform<float>>>{[](Arrays& at) {
                                              auto* out = at.add<float>(9);
                                              return Draw<Uniform<float>>{out, 9, 4, random_in_graph(at), {1, 0, 1}};
                                            },
                                            1});
  expect_exact(Launch<Draw<UniformInteger64<std::int8_t>>>{
      [](Arrays& at) {
        auto* out = at.add<std::int8_t>(9);
        return Draw<UniformInteger64<std::int8_t>>{out, 9, 4, random_in_graph(at), {100, 0}};
      },
      2});
  expect_exact(
      Launch<BernoulliEach<float, float>>{[](Arrays& at) {
                                            const auto* in = at.add<float>(9);
                                            auto* out = at.add<float>(9);
                                            return BernoulliEach<float, float>{in, out, 9, random_in_graph(at)};
                                          },
                                          3});
  expect_exact(Launch<Poisson<float>>{[](Arrays& at) {
                                        const auto* in = at.add<float>(9);
                                        auto* out = at.add<float>(9);
                                        return Poisson<float>{in, out, random_in_graph(at)};
                                      },
                                      9});
  expect_exact(Launch<Dropout<float>>{dropout_of_24<1>, 2});
  expect_exact(Launch<Dropout<float>>{dropout_of_24<2>, 2});
  expect_exact(Launch<Dropout<float>>{dropout_of_24<8>, 2});
  expect_exact(Launch<RandomizedRelu<float>>{[](Arrays& at) {
                                               const auto* in = at.add<float>(9);
                                               auto* out = at.add<float>(9);
                                               auto* slopes = at.add<float>(9);
                                               return RandomizedRelu<float>{
                                                   in, out, slopes, 9, 0, 1, random_in_graph(at)};
                                             },
                                             2});
}

TEST(DeclaredExtents, OfSampling) {
  constexpr std::size_t many = 4001;
  expect_exact(Launch<SumTilesBefore<float>>{[](Arrays& at) {
                                               const auto* sums = at.add<float>(69);
                                               return SumTilesBefore<float>{sums, at.add<float>(70)};
                                             },
                                             70});
  expect_exact(
      Launch<CheckWeights<float>>{[](Arrays& at) {
                                    const auto* weights = at.add<float>(2 * many);
                                    auto* wrong = at.add<std::uint64_t>(1);
                                    return CheckWeights<float>{weights, 2, many, wrong, at.add<std::uint64_t>(2)};
                                  },
                                  8,
                                  {},
                                  1});
  expect_exact(Launch<DivideWeights<float>>{[](Arrays& at) {
                                              const auto* weights = at.add<float>(9);
                                              return DivideWeights<float>{weights, at.add<float>(9)};
                                            },
                                            9});
  expect_exact(Launch<NormalizeRows<float>>{[](Arrays& at) {
                                              const auto* weights = at.add<float>(80);
                                              return NormalizeRows<float>{weights, 2, 40, at.add<float>(80)};
                                            },
                                            128, BlockShape{64, 96 * sizeof(float)}});
  expect_exact(Launch<FindGreatest<float>>{[](Arrays& at) {
                                             const auto* values = at.add<float>(80);
                                             return FindGreatest<float>{values, 2, 40, at.add<std::int64_t>(2)};
                                           },
                                           512, FindGreatest<float>::block()});
}

CountDigits<std::uint32_t> count_digits(Arrays& at) {
  const Digit<std::uint32_t> digit{at.add<std::uint32_t>(100), 100, 40, 0, 15, 0};
  return {digit, at.add<std::uint64_t>(48)};
}

TEST(DeclaredExtents, OfSorting) {
  constexpr std::size_t count = 100;
  expect_exact(Launch<CountDigits<std::uint32_t>>{count_digits, 3});
  expect_exact(Launch<AccumulateCounts>{[](Arrays& at) {
                                          return AccumulateCounts{at.add<std::uint64_t>(48), 48};
                                        },
                                        AccumulateCounts::threads, AccumulateCounts::block()});
  expect_exact(Launch<ShuffleEqualKeys<std::uint32_t>>{
      [](Arrays& at) {
        const auto* keys = at.add<std::uint32_t>(count);
        auto* values = at.add<std::int64_t>(count);
        return ShuffleEqualKeys<std::uint32_t>{keys, values, 15, random_in_graph(at)};
      },
      count});
  expect_exact(Launch<DescendingKeys<float>>{[](Arrays& at) {
                                               const auto* values = at.add<float>(9);
                                               return DescendingKeys<float>{values, at.add<std::uint32_t>(9)};
                                             },
                                             9});
}

TEST(DeclaredExtents, OfSums) {
  constexpr std::size_t elements = 1001;
  constexpr SumShape integers = sum_shape<std::int64_t>(elements);
  expect_exact(Launch<SumIntegers>{[](Arrays& at) {
                                     const auto* in = at.add<std::int64_t>(elements);
                                     return SumIntegers{in, elements, at.add<std::uint64_t>(1)};
                                   },
                                   integers.count(), integers.block()});
  constexpr std::size_t many = 20'003;
  constexpr SumShape floats = sum_shape<float>(many);
  static_assert(floats.blocks > 1);
  expect_exact(Launch<SumPartially<float>>{[](Arrays& at) {
                                             const auto* in = at.add<float>(many);
                                             return SumPartially<float>{in, many, at.add<double>(floats.blocks)};
                                           },
                                           floats.count(), floats.block()});
}

}  // namespace
}  // namespace gpucheck::device::kernels
