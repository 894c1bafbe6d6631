#include "device/kernels/support/fp8.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

// Numbers of the tables in "OCP 8-bit Floating Point Specification (OFP8)", revision 1.0.
namespace gpucheck::device::kernels {
namespace {

template <typename T>
float value_of(unsigned bits) {
  T number;
  number.bits = static_cast<std::uint8_t>(bits);
  return static_cast<float>(number);
}

TEST(Fp8, HasTheNumbersOfE4M3) {
  EXPECT_EQ(value_of<Float8E4M3>(0x7E), 448.0F);
  EXPECT_EQ(value_of<Float8E4M3>(0xFE), -448.0F);
  EXPECT_EQ(value_of<Float8E4M3>(0x38), 1.0F);
  EXPECT_EQ(value_of<Float8E4M3>(0x08), 0x1p-6F);           // smallest normal
  EXPECT_EQ(value_of<Float8E4M3>(0x07), 0.875F * 0x1p-6F);  // largest subnormal
  EXPECT_EQ(value_of<Float8E4M3>(0x01), 0x1p-9F);           // smallest subnormal
  EXPECT_EQ(value_of<Float8E4M3>(0x00), 0.0F);
  EXPECT_TRUE(std::signbit(value_of<Float8E4M3>(0x80)));
  EXPECT_TRUE(std::isnan(value_of<Float8E4M3>(0x7F)));
  EXPECT_TRUE(std::isnan(value_of<Float8E4M3>(0xFF)));
}

TEST(Fp8, HasTheNumbersOfE5M2) {
  EXPECT_EQ(value_of<Float8E5M2>(0x7B), 57344.0F);
  EXPECT_EQ(value_of<Float8E5M2>(0x3C), 1.0F);
  EXPECT_EQ(value_of<Float8E5M2>(0x04), 0x1p-14F);
  EXPECT_EQ(value_of<Float8E5M2>(0x03), 0.75F * 0x1p-14F);
  EXPECT_EQ(value_of<Float8E5M2>(0x01), 0x1p-16F);
  EXPECT_EQ(value_of<Float8E5M2>(0x7C), std::numeric_limits<float>::infinity());
  EXPECT_EQ(value_of<Float8E5M2>(0xFC), -std::numeric_limits<float>::infinity());
  for (const unsigned bits : {0x7DU, 0x7EU, 0x7FU, 0xFDU}) EXPECT_TRUE(std::isnan(value_of<Float8E5M2>(bits)));
}

/// Every number becomes itself; between two neighbours the nearer one, in the middle the even one.
template <typename T>
void expect_nearest(unsigned largest) {
  for (unsigned bits = 0; bits <= largest; ++bits) {
    const float low = value_of<T>(bits);
    EXPECT_EQ(T(low).bits, bits);
    EXPECT_EQ(T(-low).bits, bits | 0x80U);
    if (bits == largest) return;
    const float high = value_of<T>(bits + 1);
    const float middle = (low + high) / 2;
    EXPECT_EQ(T(middle).bits, bits % 2 == 0 ? bits : bits + 1) << bits;
    EXPECT_EQ(T(std::nextafter(middle, 0.0F)).bits, bits) << bits;
    EXPECT_EQ(T(std::nextafter(middle, high)).bits, bits + 1) << bits;
  }
}
TEST(Fp8, TakesTheNearestNumber) {
  expect_nearest<Float8E4M3>(0x7E);
  expect_nearest<Float8E5M2>(0x7B);
}

TEST(Fp8, StaysAtTheLargestNumber) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float value : {449.0F, 480.0F, 1e30F, infinity}) {
    EXPECT_EQ(Float8E4M3(value).bits, 0x7E);
    EXPECT_EQ(Float8E4M3(-value).bits, 0xFE);
  }
  for (const float value : {57345.0F, 61440.0F, 1e30F, infinity}) EXPECT_EQ(Float8E5M2(value).bits, 0x7B);
  EXPECT_EQ(Float8E4M3(std::nanf("")).bits & 0x7F, 0x7F);
  EXPECT_EQ(Float8E5M2(std::nanf("")).bits & 0x7F, 0x7F);
}

TEST(Fp8, TakesTheSmallestNumbersToZero) {
  EXPECT_EQ(Float8E4M3(0x1p-10F).bits, 0);
  EXPECT_EQ(Float8E4M3(0x1p-30F).bits, 0);
  EXPECT_EQ(Float8E4M3(std::numeric_limits<float>::denorm_min()).bits, 0);
  EXPECT_EQ(Float8E5M2(0x1p-17F).bits, 0);
  EXPECT_EQ(Float8E5M2(-0x1p-40F).bits, 0x80);
}

}  // namespace
}  // namespace gpucheck::device::kernels
