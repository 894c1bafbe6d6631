#include "base/text/units.hpp"

#include <gtest/gtest.h>
#include <limits>

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

TEST(FormatBytes, TakesTheNextUnitForOneByteMore) {
  EXPECT_EQ(format_bytes(1_MiB + 1), "1.00 MiB");
  EXPECT_EQ(format_bytes(1_GiB + 1), "1.00 GiB");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
}

TEST(FormatShare, IsInPercentWithOneDecimal) {
  EXPECT_EQ(format_share(1, 8), "12.5%");
  EXPECT_EQ(format_share(0, 1), "0.0%");
  EXPECT_EQ(format_share(1, 1), "100.0%");
  EXPECT_EQ(format_share(3, 2), "150.0%");
  EXPECT_EQ(format_share(0, 0), "-");
  EXPECT_EQ(format_share(1, 0), "-");
}

TEST(ParseBytes, ReadsPlainNumbersAndBinaryUnits) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("1048576"), 1_MiB);
  EXPECT_EQ(parse_bytes("512KiB"), 512_KiB);
  EXPECT_EQ(parse_bytes("16 MiB"), 16_MiB);
  EXPECT_EQ(parse_bytes("2GiB"), 2_GiB);
}

TEST(ParseBytes, EndsWhere64BitsDo) {
  constexpr std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(parse_bytes("18446744073709551615"), greatest);
  EXPECT_EQ(parse_bytes("18446744073709551615B"), greatest);
  EXPECT_EQ(parse_bytes("18014398509481983KiB"), greatest - 1_KiB + 1);
  EXPECT_EQ(parse_bytes("17592186044415MiB"), greatest - 1_MiB + 1);
  EXPECT_EQ(parse_bytes("17179869183GiB"), greatest - 1_GiB + 1);
  EXPECT_EQ(parse_bytes("16777215TiB"), greatest - 1024_GiB + 1);
  for (const char* text : {"18446744073709551616", "18014398509481984KiB", "17592186044416MiB", "16777216TiB"}) {
    EXPECT_THROW(parse_bytes(text), UsageError) << text;
  }
}

TEST(ParseBytes, RejectsEverythingElse) {
  for (const char* text : {"", "MiB", "-1", "1.5", "1.5B", "1.GiB", ".5GiB", "1,5GiB", "1.5.5GiB", "24G", "12 parsecs",
                           "99999999999999999999", "17179869184GiB", "17179869183.9999999999GiB", "20000000TB"}) {
    EXPECT_THROW(parse_bytes(text), UsageError) << text;
  }
}

// PyTorch prints "79.18 GiB", nvidia-smi "81559MiB", a card's box "24GB".
TEST(ParseBytes, ReadsSizesAsTheyArePrinted) {
  EXPECT_EQ(parse_bytes("79.18GiB"), 85'018'877'624U);  // 79.18 * 2^30 = 85018877624.32
  EXPECT_EQ(parse_bytes("79.18 GiB"), parse_bytes("79.18GiB"));
  EXPECT_EQ(parse_bytes("1.5 KiB"), 1536U);
  EXPECT_EQ(parse_bytes("0.25GiB"), 256_MiB);
  EXPECT_EQ(parse_bytes("81559MiB"), 81'559U * 1_MiB);
  EXPECT_EQ(parse_bytes("24GB"), 24'000'000'000U);
  EXPECT_EQ(parse_bytes("1.5TB"), 1'500'000'000'000U);
  EXPECT_EQ(parse_bytes("500 mb"), 500'000'000U);
  EXPECT_EQ(parse_bytes("2gib"), 2_GiB);
}

TEST(ParseBytes, SaysWhatIsWrongWithWhat) {
  const auto refusal = [](const char* text) -> std::string {
    try {
      return std::to_string(parse_bytes(text));
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  const std::string forms =
      ": write a number, with KiB, MiB, GiB or TiB after it if you like (powers of 1024), or kB, MB, GB or TB (powers "
      "of 1000), for example 512MiB or 79.18GiB";
  EXPECT_EQ(refusal("MiB"), "\"MiB\" is not a size in bytes (it does not start with a number)" + forms);
  EXPECT_EQ(refusal("99999999999999999999"),
            "\"99999999999999999999\" is not a size in bytes (it does not fit 64 bits)" + forms);
  EXPECT_EQ(refusal("1.MiB"), "\"1.MiB\" is not a size in bytes (no digit follows the point)" + forms);
  EXPECT_EQ(refusal("1.5"), "\"1.5\" is not a size in bytes (a part of a byte)" + forms);
  EXPECT_EQ(refusal("12 parsecs"), "\"12 parsecs\" is not a size in bytes (unknown unit)" + forms);
}

TEST(ParseBytes, RoundsAPartToTheNearestByte) {
  EXPECT_EQ(parse_bytes("0.0004kB"), 0U);
  EXPECT_EQ(parse_bytes("0.0005kB"), 1U);
  EXPECT_EQ(parse_bytes("1.0019KB"), 1002U);
}

}  // namespace
}  // namespace gpucheck
