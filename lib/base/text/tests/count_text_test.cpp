#include "base/text/count_text.hpp"

#include <gtest/gtest.h>

namespace gpucheck {
namespace {

TEST(CountText, OfOneIsSingular) {
  EXPECT_EQ(count_text(0, "event"), "0 events");
  EXPECT_EQ(count_text(1, "event"), "1 event");
  EXPECT_EQ(count_text(2U, "event"), "2 events");
  EXPECT_EQ(count_text(1, "retry", "retries"), "1 retry");
  EXPECT_EQ(count_text(21, "retry", "retries"), "21 retries");
}

}  // namespace
}  // namespace gpucheck
