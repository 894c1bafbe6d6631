#include <gtest/gtest.h>

#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/random/random.hpp"
#include "tensor/operators/reductions/reductions.hpp"

namespace gpucheck::tensor {
namespace {
TEST(First, Adds) {
  const Tensor a = ones({2, 3});
  const Tensor b = add(a, 2);
  EXPECT_EQ(item(sum(b)).to_double(), 18.0);
  EXPECT_EQ(item(sum(add(a, b, 2), {0, 1})).to_double(), 42.0);
  bernoulli_(b, 0.5);
}
}  // namespace
}  // namespace gpucheck::tensor
