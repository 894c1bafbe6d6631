#include "runner/trace_path.hpp"

#include <gtest/gtest.h>

namespace gpucheck::runner {
namespace {

const harness::Case fuzz{.name = "alloc.fuzz"};

TEST(TracePath, SaysCaseAndDevice) {
  const PlannedCase planned{.test_case = &fuzz};
  const Assignment assignment{.planned = &planned, .device_name = "cuda:0,1"};
  EXPECT_EQ(trace_path("traces", assignment, 1), "traces/alloc.fuzz.cuda-0-1.json");
}

TEST(TracePath, SaysWhatIsNotTheFirst) {
  const PlannedCase planned{.test_case = &fuzz, .repetition = 1};
  const Assignment assignment{.planned = &planned, .device_name = "sim"};
  EXPECT_EQ(trace_path("traces", assignment, 1), "traces/alloc.fuzz.sim.repetition-2.json");
  EXPECT_EQ(trace_path("traces", assignment, 2), "traces/alloc.fuzz.sim.repetition-2.attempt-2.json");
}

TEST(TracePath, NoFolderNoTrace) {
  const PlannedCase planned{.test_case = &fuzz};
  EXPECT_EQ(trace_path("", {.planned = &planned, .device_name = "sim"}, 1), "");
}

}  // namespace
}  // namespace gpucheck::runner
