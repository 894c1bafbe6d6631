#include "input/arguments.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace gpucheck::application {
namespace {

TEST(Shard, CountsFromOne) {
  const runner::Shard shard = parse_shard("2/8");
  EXPECT_EQ(shard.index, 2);
  EXPECT_EQ(shard.count, 8);
  for (const char* limit : {"1/1", "1/8", "8/8"}) EXPECT_NO_THROW(parse_shard(limit)) << limit;
}

TEST(Shard, RejectsWhatIsNone) {
  for (const char* text : {"", "/", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/2/3", "1/ 2", "1/99999999999"}) {
    EXPECT_THROW(parse_shard(text), UsageError) << text;
  }
}

TEST(WholeNumber, IsDecimal) {
  EXPECT_EQ(parse_whole_number("010"), 10);
  EXPECT_EQ(parse_whole_number("-3"), -3);
  for (const char* text : {"", "0x10", "1.0", "1e3", "+1", " 1", "1 ", "0b1", "2147483648"}) {
    EXPECT_EQ(parse_whole_number(text), std::nullopt) << text;
  }
}

TEST(Seed, TakesAll64Bits) {
  EXPECT_EQ(parse_seed("0"), 0U);
  EXPECT_EQ(parse_seed("18446744073709551615"), 18446744073709551615U);
}

TEST(Seed, RejectsWhatIsNone) {
  for (const char* text : {"", "-1", "1.5", "0x10", "1 ", "18446744073709551616"}) {
    EXPECT_THROW(parse_seed(text), UsageError) << text;
  }
}

TEST(Assignment, SplitsAtTheFirstEqualsSign) {
  EXPECT_EQ(parse_assignment("mode=a=b"), std::pair(std::string("mode"), std::string("a=b")));
  EXPECT_EQ(parse_assignment("mode="), std::pair(std::string("mode"), std::string()));
}

TEST(Assignment, TakesDashesInTheName) { EXPECT_EQ(parse_assignment("live-bytes=1-2").first, "live_bytes"); }

TEST(Assignment, RejectsWhatIsNone) {
  EXPECT_THROW(parse_assignment("iterations"), UsageError);
  EXPECT_THROW(parse_assignment("=5"), UsageError);
  EXPECT_THROW(parse_assignment(""), UsageError);
}

}  // namespace
}  // namespace gpucheck::application
