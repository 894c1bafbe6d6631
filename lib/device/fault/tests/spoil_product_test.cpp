#include "device/fault/spoil_product.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include "device/fault/common_plans.hpp"
#include "device/fault/tests/faulty.hpp"

namespace gpucheck::fault {
namespace {

using device::ElementType;
using device::MatrixProduct;

constexpr std::size_t rows = 6;
constexpr std::size_t columns = 4;
constexpr std::size_t leading = 10;
constexpr std::size_t middle = columns / 2 * leading + rows / 2;

/// A product of ones: each element of D is 2, the column's rest is left alone.
template <typename T>
struct Product {
  explicit Product(const Plan& plan, ElementType type = ElementType::fp64)
      : faulty(plan),
        ones(faulty.make_memory(256)),
        d(faulty.make_memory(columns * leading * sizeof(T))),
        product{.m = rows,
                .n = columns,
                .k = 2,
                .leading_a = rows,
                .leading_b = 2,
                .leading_d = leading,
                .a = type,
                .b = type,
                .d = type,
                .compute = type == ElementType::fp64 ? device::ComputeType::fp64 : device::ComputeType::fp32} {
    const std::array<T, 256 / sizeof(T)> numbers = [] {
      std::array<T, 256 / sizeof(T)> filled;
      filled.fill(1);
      return filled;
    }();
    device::check(faulty.device().copy(ones.get(), numbers.data(), 256, device::CopyKind::host_to_device, {}), "copy");
    device::check(faulty.device().fill(d.get(), 0, columns * leading * sizeof(T), {}), "fill");
  }

  Status multiply() const {
    const device::ProductAlgorithm algorithm = faulty.device().choose_algorithm(product, 0).value();
    return faulty.device().multiply(product, algorithm, {.a = ones.get(), .b = ones.get(), .d = d.get()}, {});
  }

  [[nodiscard]] std::vector<T> result() const {
    const std::vector<std::uint8_t> bytes = read(faulty, d.get(), columns * leading * sizeof(T));
    std::vector<T> numbers(columns * leading);
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }

  static std::vector<T> right() {
    std::vector<T> numbers(columns * leading, T{});
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i % leading < rows ? T{2} : T{};
    return numbers;
  }

  Faulty faulty;
  device::UniqueDeviceMemory ones;
  device::UniqueDeviceMemory d;
  MatrixProduct product;
};

TEST(SpoiledProduct, IsRightWithoutAPlan) {
  const Product<double> product({});
  ASSERT_EQ(product.multiply(), Status::success);
  EXPECT_EQ(product.result(), Product<double>::right());
}

TEST(SpoiledProduct, HasOneHighBitFlippedOnce) {
  const Product<double> product(product_flips_bit(nth_call(1)));
  ASSERT_EQ(product.multiply(), Status::success);
  std::vector<double> expected = Product<double>::right();
  expected[middle] = 0;  // 2 has no other bit than that
  EXPECT_EQ(product.result(), expected);
  ASSERT_EQ(product.multiply(), Status::success);
  EXPECT_EQ(product.result(), Product<double>::right());
  EXPECT_TRUE(product.faulty.simulator().races().empty());
}

TEST(SpoiledProduct, HasTheSameWrongElementEachTime) {
  const Product<double> product(product_flips_bit(every_call));
  ASSERT_EQ(product.multiply(), Status::success);
  const std::vector<double> first = product.result();
  ASSERT_EQ(product.multiply(), Status::success);
  EXPECT_EQ(product.result(), first);
  EXPECT_NE(first, Product<double>::right());
}

TEST(SpoiledProduct, HasTheLowestBitFlipped) {
  const Product<double> product(product_flips_low_bit(nth_call(1)));
  ASSERT_EQ(product.multiply(), Status::success);
  std::vector<double> expected = Product<double>::right();
  expected[middle] = std::nextafter(2.0, 3.0);
  EXPECT_EQ(product.result(), expected);
}

template <typename T>
void expect_not_finite(ElementType type) {
  const Product<T> product(product_not_finite(nth_call(1)), type);
  ASSERT_EQ(product.multiply(), Status::success);
  std::vector<T> seen = product.result();
  EXPECT_TRUE(std::isnan(seen[middle]));
  EXPECT_TRUE(std::isinf(seen[middle + 1]));
  seen[middle] = seen[middle + 1] = 2;
  EXPECT_EQ(seen, Product<T>::right());
}
TEST(SpoiledProduct, IsNotFinite) {
  expect_not_finite<double>(ElementType::fp64);
  expect_not_finite<float>(ElementType::fp32);
}

TEST(SpoiledProduct, OfIntegersIsAlwaysFinite) {
  EXPECT_FALSE(can_spoil({.d = ElementType::int32}, Effect::not_finite));
  EXPECT_TRUE(can_spoil({.d = ElementType::int32}, Effect::flip_low_bit));
  EXPECT_TRUE(can_spoil({.d = ElementType::bf16}, Effect::not_finite));
}

TEST(SpoiledProduct, IsLate) {
  const Product<double> product(product_delayed(nth_call(1), std::chrono::milliseconds(5)));
  const auto start = product.faulty.make_event();
  const auto stop = product.faulty.make_event();
  const auto elapsed = [&] {
    device::check(product.faulty.device().record(start.get(), {}), "record");
    device::check(product.multiply(), "multiply");
    device::check(product.faulty.device().record(stop.get(), {}), "record");
    device::check(product.faulty.device().synchronize(), "synchronize");
    return product.faulty.device().elapsed_ms(start.get(), stop.get()).value();
  };
  EXPECT_GE(elapsed(), 5.0F);
  EXPECT_LT(elapsed(), 1.0F);
  EXPECT_EQ(product.result(), Product<double>::right());
}

// Nothing was written that could be spoilt, so the rule waits.
TEST(SpoiledProduct, IsNotOneThatFailed) {
  const Product<double> product(product_flips_low_bit(nth_call(1)));
  const device::ProductAlgorithm algorithm = product.faulty.device().choose_algorithm(product.product, 0).value();
  EXPECT_EQ(product.faulty.device().multiply(product.product, algorithm, {}, {}), Status::invalid_value);
  ASSERT_EQ(product.multiply(), Status::success);
  EXPECT_NE(product.result(), Product<double>::right());
}

TEST(VendorLibrary, SeemsToBeMissing) {
  const Faulty faulty(once(Operation::math_library, Effect::wrong_answer));
  EXPECT_EQ(faulty.device().math_library().value().problem, "cannot open shared object file");
  EXPECT_EQ(faulty.device().math_library().value().problem, "");
}

}  // namespace
}  // namespace gpucheck::fault
