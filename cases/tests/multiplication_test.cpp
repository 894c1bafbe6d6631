#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

#include "cases/shared/gemm_support.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "device/sim/sim_driver.hpp"

// What products are checked by, with elements made wrong by hand.
namespace gpucheck::cases::in_gemm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Remembers where the last product was written to.
class ProductPlace final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  device::Status multiply(const device::MatrixProduct& product, const device::ProductAlgorithm& algorithm,
                          const device::ProductOperands& operands, device::Stream stream) override {
    last = static_cast<std::byte*>(operands.d);
    return inner().multiply(product, algorithm, operands, stream);
  }
  std::byte* last = nullptr;
};

/// Known products of 32-bit integers: two tiles of 128 down and two across, the second of each of 16.
class Products : public testing::Test {
 protected:
  static constexpr std::size_t size = 144;

  void SetUp() override {
    product.fill_known(known_products(types::int8, size).front());
    product.spoil_product();
    product.multiply();
    wait();
  }
  void wait() { ASSERT_EQ(device.synchronize(), device::Status::success); }
  /// Makes an element another number, or what it was.
  void add_to(std::size_t row, std::size_t column, std::int32_t more) {
    std::byte* const place = device.last + (column * size + row) * sizeof(std::int32_t);
    std::int32_t number = 0;
    ASSERT_EQ(device.copy(&number, place, sizeof(number), device::CopyKind::device_to_host, {}),
              device::Status::success);
    wait();
    number += more;
    ASSERT_EQ(device.copy(place, &number, sizeof(number), device::CopyKind::host_to_device, {}),
              device::Status::success);
    wait();
  }
  /// What one check finds.
  Findings checked() {
    product.check();
    return product.findings();
  }

  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("small")});
  ProductPlace device{driver->open(0).value()};
  runtime::Runtime runtime{device};
  Multiplication product{runtime, types::int8, size, {}};
};

TEST_F(Products, ThatAreRightAreAllRight) {
  const Findings found = checked();
  EXPECT_EQ(found.tally.checked, size * size);
  EXPECT_EQ(found.tally.wrong, 0U);
  EXPECT_THAT(found.wrong_in_tiles, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(product.wrong_places(found), IsEmpty());
  EXPECT_EQ(product.right_samples(10), 10);
}

TEST_F(Products, AWrongElementIsFoundInItsTileAndNamed) {
  struct Place {
    std::size_t row, column, tile;
  };
  for (const auto& [row, column, tile] : {Place{0, 0, 0}, Place{127, 0, 0}, Place{128, 0, 1}, Place{0, 127, 0},
                                          Place{0, 128, 2}, Place{143, 143, 3}, Place{128, 127, 1}}) {
    product.fill_known(known_products(types::int8, size).front());  // findings begin anew
    product.multiply();
    wait();
    add_to(row, column, 5);
    const Findings found = checked();
    EXPECT_EQ(found.tally.wrong, 1U) << row << ", " << column;
    std::vector<std::uint64_t> tiles(4);
    tiles[tile] = 1;
    EXPECT_EQ(found.wrong_in_tiles, tiles) << row << ", " << column;
    const std::vector<std::string> places = product.wrong_places(found);
    ASSERT_EQ(places.size(), 2U) << row << ", " << column;
    EXPECT_TRUE(places[0].starts_with("1 wrong in rows ")) << places[0];
    EXPECT_TRUE(places[1].starts_with(fmt::format("row {}, column {}: expected ", row, column))) << places[1];
  }
}

TEST_F(Products, OfManyWrongElementsTheFirstFewAreNamed) {
  for (std::size_t row = 0; row < 10; ++row) add_to(row, 3, 1);
  add_to(130, 140, 1);
  const Findings found = checked();
  EXPECT_EQ(found.tally.wrong, 11U);
  EXPECT_THAT(found.wrong_in_tiles, ElementsAre(10, 0, 0, 1));
  const std::vector<std::string> places = product.wrong_places(found);
  ASSERT_EQ(places.size(), 11U) << "two tiles, eight elements of the one and one of the other";
  EXPECT_EQ(places[0], "10 wrong in rows 0 to 127, columns 0 to 127");
  EXPECT_TRUE(places[8].starts_with("row 7, column 3: ")) << places[8];
  EXPECT_EQ(places[9], "1 wrong in rows 128 to 143, columns 128 to 143");
}

TEST_F(Products, WhatIsRightWhenItIsReadAgainIsSaid) {
  add_to(1, 1, 1);
  const Findings found = checked();
  add_to(1, 1, -1);
  EXPECT_THAT(product.wrong_places(found),
              ElementsAre("1 wrong in rows 0 to 127, columns 0 to 127", "none of them is wrong when read again"));
}

TEST_F(Products, FindingsOfSeveralChecksAddUp) {
  add_to(2, 2, 1);
  product.check();
  product.check();
  const Findings found = product.findings();
  EXPECT_EQ(found.tally.checked, 2 * size * size);
  EXPECT_EQ(found.tally.wrong, 2U);
}

TEST_F(Products, SamplesLookAtTheFirstTheLastAndTheMiddle) {
  for (const std::size_t place : {std::size_t{0}, size - 1, size / 2}) {
    add_to(place, place, 1);
    EXPECT_EQ(product.right_samples(3), 2) << place;
    add_to(place, place, -1);
  }
  EXPECT_EQ(product.right_samples(3), 3);
}

TEST_F(Products, ADigestIsOfEveryByteToTheLast) {
  const std::uint64_t digest = product.digest();
  product.compare_digest();
  EXPECT_EQ(product.digest_tally().different, 0U);
  for (const auto& [row, column] :
       {std::pair<std::size_t, std::size_t>{0, 0}, {size - 1, size - 1}, {size - 2, size - 1}}) {
    add_to(row, column, 1);
    product.compare_digest();
    add_to(row, column, -1);
  }
  EXPECT_EQ(product.digest_tally().compared, 4U);
  EXPECT_EQ(product.digest_tally().different, 3U);
  EXPECT_EQ(product.digest(), digest);
  // Two elements that have changed places are another product.
  add_to(0, 0, 7);
  add_to(1, 0, -7);
  EXPECT_NE(product.digest(), digest);
}

}  // namespace
}  // namespace gpucheck::cases::in_gemm
