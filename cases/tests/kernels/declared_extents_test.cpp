#include "device/sim/tests/declared_extents.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

#include "cases/shared/kernels/bandwidth.hpp"
#include "cases/shared/kernels/collectives.hpp"
#include "cases/shared/kernels/memtest.hpp"
#include "cases/shared/kernels/products.hpp"

namespace gpucheck::device::kernels {
namespace {

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

TEST(DeclaredExtents, OfContributionKernels) {
  expect_exact(Launch<WriteContributions<float>>{[](Arrays& at) {
                                                   return WriteContributions<float>{at.add<float>(9), 9, 5, 1, {1, 4}};
                                                 },
                                                 2});
  expect_exact(Launch<CompareContributions<float>>{
      [](Arrays& at) {
        const auto* in = at.add<float>(9);
        auto* const findings = at.add<ContributionFindings>(1);
        return CompareContributions<float>{in, 9, 5, 0, 2, Reduction::sum, {1, 4}, findings};
      },
      2});
}

}  // namespace
}  // namespace gpucheck::device::kernels
