#include "runtime/random/kernels/graph_random.hpp"

#include <cstdint>
#include <gtest/gtest.h>

#include "device/sim/tests/declared_extents.hpp"

namespace gpucheck::device::kernels {
namespace {

TEST(DeclaredExtents, OfRandomNumbersInGraphs) {
  expect_exact(Launch<SetGraphRandom>{[](Arrays& at) {
    auto* seed = at.add<std::int64_t>(1);
    return SetGraphRandom{1, 2, seed, at.add<std::int64_t>(1)};
  }});
}

}  // namespace
}  // namespace gpucheck::device::kernels
