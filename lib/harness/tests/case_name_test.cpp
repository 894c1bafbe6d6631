#include "harness/case/case_name.hpp"

#include <gtest/gtest.h>

namespace gpucheck::harness {
namespace {

TEST(CaseName, IsTwoWordsWithADotBetween) {
  EXPECT_TRUE(is_case_name("alloc.fuzz"));
  EXPECT_TRUE(is_case_name("a_1.2_b"));
  for (const char* name : {"", ".", "alloc", "alloc.", ".fuzz", "alloc.fuzz.more", "Alloc.fuzz", "alloc.two words"}) {
    EXPECT_FALSE(is_case_name(name)) << name;
  }
}

TEST(CaseName, TellsTheGroup) {
  EXPECT_EQ(group_of("alloc.fuzz"), "alloc");
  EXPECT_EQ(group_of("alloc"), "alloc");
}

TEST(CaseName, TellsWhereItsFilesLie) { EXPECT_EQ(case_path("alloc.fuzz"), "alloc/fuzz"); }

}  // namespace
}  // namespace gpucheck::harness
