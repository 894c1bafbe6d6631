#include <gtest/gtest.h>
#include <memory>
#include <set>

#include "base/text/units.hpp"
#include "cases/shared/gemm_support.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "device/sim/sim_driver.hpp"

// What products are asked for, and with which operands.
namespace gpucheck::cases::test_of_operands {
namespace {

using namespace literals;
using device::ElementType;
using in_gemm::Multiplication;
using in_gemm::ProductType;

/// Remembers what was multiplied last.
class ProductNotes final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  device::Status multiply(const device::MatrixProduct& product, const device::ProductAlgorithm& algorithm,
                          const device::ProductOperands& operands, device::Stream stream) override {
    last_product = product;
    last_operands = operands;
    return inner().multiply(product, algorithm, operands, stream);
  }
  device::MatrixProduct last_product;
  device::ProductOperands last_operands;
};

class Operands : public testing::Test {
 protected:
  static constexpr std::size_t size = 32;

  std::vector<std::byte> bytes_of(const void* memory, std::size_t count) {
    std::vector<std::byte> bytes(count);
    device::check(device.copy(bytes.data(), memory, count, device::CopyKind::device_to_host, {}), "copy");
    device::check(device.synchronize(), "synchronize");
    return bytes;
  }
  float float_at(const float* place) {
    float value = 0;
    std::memcpy(&value, bytes_of(place, sizeof(float)).data(), sizeof(float));
    return value;
  }

  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("small")});
  ProductNotes device{driver->open(0).value()};
  runtime::Runtime runtime{device};
};

TEST_F(Operands, OfRandomNumbersAreOthersForEachSeedAndMatrix) {
  Multiplication product(runtime, in_gemm::types::fp32, size, {});
  std::set<std::vector<std::byte>> seen;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    product.fill_random(seed);
    product.multiply();
    seen.insert(bytes_of(device.last_operands.a, size * size * 4));
    seen.insert(bytes_of(device.last_operands.b, size * size * 4));
  }
  EXPECT_EQ(seen.size(), 6U);
  product.fill_random(2);
  product.multiply();
  seen.insert(bytes_of(device.last_operands.a, size * size * 4));
  EXPECT_EQ(seen.size(), 6U) << "the same for the same seed";
}

TEST_F(Operands, AreSquareMatricesOfWhichTheFirstIsTransposed) {
  for (const ProductType* type : {&in_gemm::types::fp64, &in_gemm::types::fp8_e5m2, &in_gemm::types::int8}) {
    Multiplication product(runtime, *type, size, {});
    product.fill_random(1);
    product.multiply();
    const device::MatrixProduct& asked = device.last_product;
    for (const std::int64_t each : {asked.m, asked.n, asked.k, asked.leading_a, asked.leading_b, asked.leading_d}) {
      EXPECT_EQ(each, static_cast<std::int64_t>(size));
    }
    EXPECT_TRUE(asked.transpose_a);
    EXPECT_FALSE(asked.transpose_b);
    EXPECT_TRUE(asked.fast_accumulation);
    EXPECT_EQ(asked.a, type->a);
    EXPECT_EQ(asked.b, type->b);
    EXPECT_EQ(asked.d, type->d);
    EXPECT_EQ(asked.compute, type->compute);
    EXPECT_EQ(device.last_operands.workspace_bytes, 64_MiB);
    EXPECT_EQ(product.operations(), 2.0 * 32 * 32 * 32);
    EXPECT_EQ(product.elements(), 32U * 32);
  }
}

TEST_F(Operands, OfAKnownProductAreAsDeepAsIt) {
  Multiplication product(runtime, in_gemm::types::fp16, size, {});
  device::kernels::KnownProduct known = in_gemm::known_products(in_gemm::types::fp16, size).front();
  known.depth = 16;
  product.fill_known(known);
  product.multiply();
  EXPECT_EQ(device.last_product.k, 16);
  EXPECT_EQ(device.last_product.m, 32);
  EXPECT_EQ(product.operations(), 2.0 * 32 * 32 * 16);
  product.check();
  EXPECT_EQ(product.findings().tally.checked, 32U * 32);
  EXPECT_EQ(product.findings().tally.wrong, 0U);
  EXPECT_EQ(product.right_samples(8), 8);
  product.fill_random(1);
  product.multiply();
  EXPECT_EQ(device.last_product.k, 32) << "random numbers fill the whole depth again";
}

/// Together the two scales of fp8 change nothing; other types have none.
TEST_F(Operands, OfOneByteAreScaled) {
  for (const ProductType* type : {&in_gemm::types::fp8_e4m3, &in_gemm::types::fp8_e5m2}) {
    Multiplication product(runtime, *type, size, {});
    product.fill_random(1);
    product.multiply();
    ASSERT_NE(device.last_operands.scale_a, nullptr);
    ASSERT_NE(device.last_operands.scale_b, nullptr);
    const float scale_a = float_at(device.last_operands.scale_a);
    EXPECT_EQ(scale_a * float_at(device.last_operands.scale_b), 1);
    EXPECT_NE(scale_a, 1);
  }
  for (const ProductType* type : {&in_gemm::types::int8, &in_gemm::types::bf16}) {
    Multiplication product(runtime, *type, size, {});
    product.fill_random(1);
    product.multiply();
    EXPECT_EQ(device.last_operands.scale_a, nullptr);
    EXPECT_EQ(device.last_operands.scale_b, nullptr);
  }
}

TEST_F(Operands, ASpoiledProductIsNone) {
  for (const ProductType* type : {&in_gemm::types::fp64, &in_gemm::types::fp32, &in_gemm::types::fp16,
                                  &in_gemm::types::bf16, &in_gemm::types::int8}) {
    Multiplication product(runtime, *type, size, {});
    product.fill_known(in_gemm::known_products(*type, size).front());
    product.spoil_product();
    product.check();
    EXPECT_EQ(product.findings().tally.wrong, 32U * 32);
    EXPECT_EQ(product.right_samples(8), 0);
  }
}

}  // namespace
}  // namespace gpucheck::cases::test_of_operands
