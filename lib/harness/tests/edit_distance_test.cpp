#include "harness/values/edit_distance.hpp"

#include <gtest/gtest.h>

namespace gpucheck::harness {
namespace {

TEST(EditDistance, CountsEachKindOfEditOnce) {
  EXPECT_EQ(edit_distance("fuzz", "fuzz"), 0U);
  EXPECT_EQ(edit_distance("fuzz", "fuz"), 1U);
  EXPECT_EQ(edit_distance("fuzz", "fuzzy"), 1U);
  EXPECT_EQ(edit_distance("fuzz", "buzz"), 1U);
  EXPECT_EQ(edit_distance("alloc", "aloc"), 1U);
  EXPECT_EQ(edit_distance("graph", "garph"), 1U);  // neighbours swapped
}

TEST(EditDistance, IsTheLengthOfTheOtherForAnEmptyText) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
}

TEST(EditDistance, FindsTheLeastNumberOfEdits) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);  // the textbook example
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);          // no character is edited twice
  EXPECT_EQ(edit_distance("sitting", "kitten"), 3U);
}

}  // namespace
}  // namespace gpucheck::harness
