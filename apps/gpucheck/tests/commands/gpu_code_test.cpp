#include "commands/info/gpu_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpucheck::application {
namespace {

TEST(GpuCode, MachineCodeRunsOnItsMajorVersionFromItsMinorOn) {
  EXPECT_EQ(gpu_code("80-real", 8, 0), GpuCode::included);
  EXPECT_EQ(gpu_code("80-real", 8, 9), GpuCode::included);
  EXPECT_EQ(gpu_code("86-real", 8, 0), GpuCode::none);
  EXPECT_EQ(gpu_code("80-real", 9, 0), GpuCode::none);
  EXPECT_EQ(gpu_code("120-real", 12, 1), GpuCode::included);
}

TEST(GpuCode, PtxIsCompiledForWhatIsLater) {
  EXPECT_EQ(gpu_code("75", 7, 5), GpuCode::included);
  EXPECT_EQ(gpu_code("75", 9, 0), GpuCode::compiled_from_ptx);
  EXPECT_EQ(gpu_code("90-virtual", 9, 0), GpuCode::compiled_from_ptx);
  EXPECT_EQ(gpu_code("90-virtual", 8, 9), GpuCode::none);
  EXPECT_EQ(gpu_code("90", 8, 0), GpuCode::none);
}

TEST(GpuCode, TheBestOfTheListCounts) {
  EXPECT_EQ(gpu_code("75-real 80-real 90-real 120", 9, 0), GpuCode::included);
  EXPECT_EQ(gpu_code("75-virtual 90-real", 10, 0), GpuCode::compiled_from_ptx);
  EXPECT_EQ(gpu_code("75-real 120", 9, 0), GpuCode::none);
  EXPECT_EQ(gpu_code("", 9, 0), GpuCode::none);
}

TEST(GpuCode, WhatIsForOneArchitectureIsForNoOther) {
  EXPECT_EQ(gpu_code("90a", 9, 0), GpuCode::included);
  EXPECT_EQ(gpu_code("90a", 10, 0), GpuCode::none);
  EXPECT_EQ(gpu_code("100a-real", 10, 3), GpuCode::none);
  EXPECT_EQ(gpu_code("100f", 10, 3), GpuCode::included);
  EXPECT_EQ(gpu_code("100f", 12, 0), GpuCode::none);
}

TEST(GpuCode, AllMeansEveryMajorVersion) {
  for (const char* name : {"all", "all-major"}) {
    for (const int major : {8, 9, 10, 11, 12}) EXPECT_EQ(gpu_code(name, major, 0), GpuCode::included);
    EXPECT_EQ(gpu_code(name, 13, 0), GpuCode::compiled_from_ptx);
  }
}

TEST(GpuCode, SaysHowToBuildForIt) {
  EXPECT_EQ(advice_on(GpuCode::included, 9, 0), "");
  EXPECT_THAT(advice_on(GpuCode::compiled_from_ptx, 9, 0),
              ::testing::AllOf(::testing::HasSubstr("compiles"), ::testing::HasSubstr("ARCHITECTURES=90,")));
  EXPECT_THAT(advice_on(GpuCode::none, 12, 0), ::testing::HasSubstr("has no code"));
  EXPECT_EQ(to_text(GpuCode::included), "included");
  EXPECT_EQ(to_text(GpuCode::compiled_from_ptx), "compiled_from_ptx");
  EXPECT_EQ(to_text(GpuCode::none), "none");
}

}  // namespace
}  // namespace gpucheck::application
