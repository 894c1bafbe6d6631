#include "base/host_refusal.hpp"

#include <gtest/gtest.h>

namespace gpucheck {
namespace {

TEST(HostRefusal, IsNotedUntilItIsTaken) {
  EXPECT_EQ(take_host_refusal(), "");
  const HostRefusedError error("no memory for a stack");
  EXPECT_STREQ(error.what(), "no memory for a stack");
  EXPECT_EQ(take_host_refusal(), "no memory for a stack");
  EXPECT_EQ(take_host_refusal(), "");
}

TEST(HostRefusal, OfSeveralTheFirstIsKept) {
  note_host_refusal("first");
  note_host_refusal("second, which is longer");
  EXPECT_EQ(take_host_refusal(), "first");
  note_host_refusal("third");
  EXPECT_EQ(take_host_refusal(), "third") << "a longer text before it leaves nothing behind";
}

TEST(HostRefusal, IsCutWhereItsStorageEnds) {
  const std::string text(1000, 'x');
  note_host_refusal(text.c_str());
  EXPECT_EQ(take_host_refusal(), std::string(511, 'x'));
}

}  // namespace
}  // namespace gpucheck
