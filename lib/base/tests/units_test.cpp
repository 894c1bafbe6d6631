#include "base/units.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace gpucheck {
namespace {

using namespace literals;

// The boundaries are PyTorch's: a unit is used up to and including 1024 of itself.
TEST(FormatBytes, ChoosesTheUnitPyTorchChooses) {
  EXPECT_EQ(format_bytes(0), "0 bytes");
  EXPECT_EQ(format_bytes(1024), "1024 bytes");
  EXPECT_EQ(format_bytes(1025), "1.00 KiB");
  EXPECT_EQ(format_bytes(1_MiB), "1024.00 KiB");
  EXPECT_EQ(format_bytes(20_MiB), "20.00 MiB");
  EXPECT_EQ(format_bytes(1_GiB), "1024.00 MiB");
  EXPECT_EQ(format_bytes(800000000_GiB), "800000000.00 GiB");
}

TEST(ParseBytes, ReadsPlainNumbersAndBinaryUnits) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("1048576"), 1_MiB);
  EXPECT_EQ(parse_bytes("512KiB"), 512_KiB);
  EXPECT_EQ(parse_bytes("16 MiB"), 16_MiB);
  EXPECT_EQ(parse_bytes("2GiB"), 2_GiB);
}

TEST(ParseBytes, RejectsEverythingElse) {
  for (const char* text : {"", "MiB", "-1", "1.5GiB", "1MB", "12 parsecs", "99999999999999999999", "17179869184GiB"}) {
    EXPECT_THROW(parse_bytes(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace gpucheck
