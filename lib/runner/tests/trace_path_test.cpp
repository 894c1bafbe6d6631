#include "runner/trace_path.hpp"

#include <gtest/gtest.h>
#include <utility>

namespace gpucheck::runner {
namespace {

harness::Case named(std::string name) {
  harness::Case test_case;
  test_case.name = std::move(name);
  return test_case;
}

const harness::Case fuzz = named("alloc.fuzz");

Assignment on(const PlannedCase& planned, std::string device_name) {
  Assignment assignment;
  assignment.planned = &planned;
  assignment.device_name = std::move(device_name);
  return assignment;
}

TEST(TracePath, SaysCaseAndDevice) {
  const PlannedCase planned{.test_case = &fuzz};
  EXPECT_EQ(trace_path("traces", on(planned, "cuda:0,1"), 1), "traces/alloc.fuzz.cuda-0-1.json");
}

TEST(TracePath, SaysWhatIsNotTheFirst) {
  const PlannedCase planned{.test_case = &fuzz, .repetition = 1};
  EXPECT_EQ(trace_path("traces", on(planned, "sim"), 1), "traces/alloc.fuzz.sim.repetition-2.json");
  EXPECT_EQ(trace_path("traces", on(planned, "sim"), 2), "traces/alloc.fuzz.sim.repetition-2.attempt-2.json");
}

TEST(TracePath, NoFolderNoTrace) {
  const PlannedCase planned{.test_case = &fuzz};
  EXPECT_EQ(trace_path("", on(planned, "sim"), 1), "");
}

}  // namespace
}  // namespace gpucheck::runner
