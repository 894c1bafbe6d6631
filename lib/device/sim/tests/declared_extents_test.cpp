#include "device/sim/tests/declared_extents.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

#include "device/kernels/broken_memory.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/kernels/multiprocessors.hpp"
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

}  // namespace
}  // namespace gpucheck::device::kernels
