#include "device/sim/tests/declared_extents.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

#include "device/kernels/bandwidth.hpp"
#include "device/kernels/broken_memory.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/kernels/memtest.hpp"
#include "device/kernels/multiprocessors.hpp"
#include "device/kernels/products.hpp"
#include "device/tests/kernels/block_probes.hpp"

namespace gpucheck::device::kernels {
namespace {

TEST(DeclaredExtents, OfElementwiseKernels) {
  expect_exact(Launch<Fill<float>>{[](Arrays& at) { return Fill<float>{at.add<float>(9), 1}; }, 9});
  expect_exact(Launch<Iota<std::int32_t>>{[](Arrays& at) {
                                            return Iota<std::int32_t>{at.add<std::int32_t>(9), 1};
                                          },
                                          9});
  expect_exact(Launch<AddScalar<std::int64_t>>{[](Arrays& at) {
                                                 const auto* in = at.add<std::int64_t>(9);
                                                 return AddScalar<std::int64_t>{in, at.add<std::int64_t>(9), 1};
                                               },
                                               9});
  expect_exact(Launch<AddArrays<std::uint8_t>>{[](Arrays& at) {
                                                 const auto* a = at.add<std::uint8_t>(9);
                                                 const auto* b = at.add<std::uint8_t>(17);
                                                 return AddArrays<std::uint8_t>{a, b, at.add<std::uint8_t>(9), 2};
                                               },
                                               9});
  expect_exact(Launch<AddArrays<std::uint8_t>>{[](Arrays& at) {
                                                 const auto* a = at.add<std::uint8_t>(9);
                                                 const auto* b = at.add<std::uint8_t>(1);
                                                 return AddArrays<std::uint8_t>{a, b, at.add<std::uint8_t>(9), 0};
                                               },
                                               9});
  expect_exact(Launch<Count>{[](Arrays& at) { return Count{at.add<std::uint64_t>(1), 1}; }, 5});
  expect_exact(Launch<RequireBelow>{[](Arrays& at) { return RequireBelow{at.add<std::int32_t>(9), 1}; }, 9});
}

TEST(DeclaredExtents, OfKernelsThatBreakMemory) {
  expect_exact(Launch<FlipBit>{[](Arrays& at) { return FlipBit{at.add<std::uint8_t>(1), 1}; }});
  expect_exact(Launch<StickBit>{[](Arrays& at) { return StickBit{at.add<std::uint8_t>(1), 1}; }});
  expect_exact(Launch<AliasAddressLine>{[](Arrays& at) {
                                          return AliasAddressLine{at.add<std::uint64_t>(8), 8, 4, 0};
                                        },
                                        8});
}

/// Memory of nine vectors, as many as two invocations take in one turn and one more.
TestedMemory nine_vectors(Arrays& at) { return {.data = at.add<TwoWords>(9), .vectors = 9}; }

template <bool replace>
ComparePattern<RepeatedWord, replace> compare_nine(Arrays& at) {
  const TestedMemory memory = nine_vectors(at);
  auto* const compared = at.add<SpreadCounter>(1);
  return {memory, {1}, 0, 0, at.add<MismatchLog>(1), compared};
}

TEST(DeclaredExtents, OfMemoryTests) {
  expect_exact(Launch<WritePattern<OwnAddress>>{[](Arrays& at) {
                                                  return WritePattern<OwnAddress>{nine_vectors(at), {}};
                                                },
                                                2});
  expect_exact(Launch<VerifyPattern<RepeatedWord>>{.make = compare_nine<false>, .count = 2, .always_touched = 2});
  expect_exact(Launch<ReplacePattern<RepeatedWord>>{.make = compare_nine<true>, .count = 2, .always_touched = 2});
}

TEST(DeclaredExtents, OfBandwidthKernels) {
  expect_exact(Launch<ReadVectors>{.make =
                                       [](Arrays& at) {
                                         const auto* in = at.add<Vector<std::uint32_t>>(9);
                                         return ReadVectors{in, 9, at.add<std::uint64_t>(1)};
                                       },
                                   .count = 2,
                                   .always_touched = 1});
  expect_exact(Launch<SumWords>{[](Arrays& at) {
                                  const auto* in = at.add<Vector<std::uint64_t>>(9);
                                  return SumWords{in, 9, at.add<SpreadCounter>(1)};
                                },
                                2});
  expect_exact(Launch<CopyVectors>{[](Arrays& at) {
                                     const auto* in = at.add<Vector<std::uint64_t>>(9);
                                     return CopyVectors{in, at.add<Vector<std::uint64_t>>(9), 9};
                                   },
                                   2});
  expect_exact(Launch<LinkLines>{[](Arrays& at) { return LinkLines{at.add<LinkedLine>(8), 8, 5, 3}; }, 8});
  expect_exact(Launch<FollowLinks>{[](Arrays& at) {
    const auto* lines = at.add<LinkedLine>(1);
    return FollowLinks{lines, 1, 1, at.add<std::uint64_t>(1)};
  }});
}

TEST(DeclaredExtents, OfBlockKernels) {
  expect_exact(Launch<RotateInBlocks>{[](Arrays& at) { return RotateInBlocks{at.add<std::uint64_t>(100)}; },
                                      100,
                                      {.threads = 32, .shared_bytes = 256}});
  expect_exact(Launch<CheckSharedMemory>{[](Arrays& at) { return CheckSharedMemory{at.add<SharedMemoryTally>(1)}; },
                                         64,
                                         {.threads = 32, .shared_bytes = 256}});
  expect_exact(Launch<CountFrom>{[](Arrays& at) {
                                   return CountFrom{0, at.add<std::uint64_t>(2)};
                                 },
                                 64,
                                 {.threads = 32}});
}

constexpr KnownProduct known{.seed = 1, .depth = 12, .magnitude = 5};
constexpr std::size_t classes = KnownProduct::classes;

TEST(DeclaredExtents, OfProductKernels) {
  expect_exact(
      Launch<FillKnownOperand<float>>{[](Arrays& at) {
                                        return FillKnownOperand<float>{at.add<float>(2 * 20 + 12), 20, true, known};
                                      },
                                      std::size_t{3} * 12});
  expect_exact(Launch<FillKnownFactors>{[](Arrays& at) {
                                          return FillKnownFactors{at.add<std::int32_t>(5 * classes), 5, false, known};
                                        },
                                        5 * classes});
  expect_exact(Launch<CheckKnownProduct<float>>{
      [](Arrays& at) {
        const auto* d = at.add<float>(2 * 8 + 4);
        const auto* of_rows = at.add<std::int32_t>(4 * classes);
        const auto* of_columns = at.add<std::int32_t>(3 * classes);
        auto* tallies = at.add<ProductTally>(CheckKnownProduct<float>::slots);
        return CheckKnownProduct<float>{d, 4, 3, 8, of_rows, of_columns, tallies, at.add<std::uint64_t>(1)};
      },
      4});
  expect_exact(Launch<FillNormal<std::int8_t>>{[](Arrays& at) {
                                                 return FillNormal<std::int8_t>{at.add<std::int8_t>(9), 1};
                                               },
                                               9});
  expect_exact(Launch<DigestWords>{.make =
                                       [](Arrays& at) {
                                         const auto* in = at.add<std::uint64_t>(9);
                                         return DigestWords{in, 9, at.add<std::uint64_t>(1)};
                                       },
                                   .count = 4,
                                   .block = {.threads = 2, .shared_bytes = 16}});
  expect_exact(Launch<CompareDigests>{[](Arrays& at) {
    const auto* digest = at.add<std::uint64_t>(1);
    const auto* first = at.add<std::uint64_t>(1);
    return CompareDigests{digest, first, at.add<DigestTally>(1)};
  }});
}

}  // namespace
}  // namespace gpucheck::device::kernels
