#include "base/text/duration.hpp"

#include <gtest/gtest.h>
#include <string>

#include "base/error.hpp"

namespace gpucheck {
namespace {

using std::chrono::milliseconds;

TEST(Duration, TakesEachUnit) {
  EXPECT_EQ(parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(parse_duration("5s"), milliseconds(5'000));
  EXPECT_EQ(parse_duration("1.5s"), milliseconds(1'500));
  EXPECT_EQ(parse_duration("2min"), milliseconds(120'000));
  EXPECT_EQ(parse_duration("24h"), milliseconds(86'400'000));
}

TEST(Duration, BeginsToBeNoneExactlyBeyondItsLimits) {
  EXPECT_EQ(parse_duration("1ms"), milliseconds(1));
  EXPECT_EQ(parse_duration("0.001s"), milliseconds(1));
  EXPECT_THROW(parse_duration("0.999ms"), UsageError);
  EXPECT_EQ(parse_duration("86400s"), milliseconds(86'400'000));
  EXPECT_THROW(parse_duration("86400.001s"), UsageError);
}

TEST(Duration, RejectsWhatIsNone) {
  for (const char* text : {"", "5", "s", "5 s", "-5s", "0s", "0.1ms", "25h", "5sec", "nans", "infs", "1e9s", "5s "}) {
    EXPECT_THROW(parse_duration(text), UsageError) << text;
  }
}

TEST(Duration, SaysWhatIsAllowed) {
  try {
    parse_duration("soon");
    FAIL();
  } catch (const UsageError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("\"soon\""), std::string::npos);
    EXPECT_NE(text.find("500ms"), std::string::npos);
  }
}

}  // namespace
}  // namespace gpucheck
