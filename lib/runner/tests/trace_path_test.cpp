#include "runner/plan/trace_path.hpp"

#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

namespace gpucheck::runner {
namespace {

harness::Case named(std::string name) {
  harness::Case test_case;
  test_case.name = std::move(name);
  return test_case;
}

const harness::Case& fuzz() {
  static const harness::Case the_case = named("alloc.fuzz");
  return the_case;
}

Assignment on(const PlannedCase& planned, std::string device_name) {
  Assignment assignment;
  assignment.planned = &planned;
  assignment.device_name = std::move(device_name);
  return assignment;
}

TEST(TracePath, SaysCaseAndDevice) {
  const PlannedCase planned{.test_case = &fuzz()};
  EXPECT_EQ(trace_path("traces", on(planned, "cuda:0,1"), 1), "traces/alloc.fuzz.cuda-0-1.json");
}

TEST(TracePath, IsOfPlainCharacters) {
  const PlannedCase planned{.test_case = &fuzz()};
  EXPECT_EQ(trace_path("traces", on(planned, "sim:h100,memory=1.5GiB,devices=2,only=0+1"), 1),
            "traces/alloc.fuzz.sim-h100-memory-1.5GiB-devices-2-only-0-1.json");
  EXPECT_EQ(trace_path("traces", on(planned, "GPU-5d0f_1,0000:3B:00.0"), 1),
            "traces/alloc.fuzz.GPU-5d0f_1-0000-3B-00.0.json");
  EXPECT_EQ(trace_path("traces", on(planned, "sim/\\ \"'*?<>|&;$%#\n\xc3\xa4"), 1),
            "traces/alloc.fuzz.sim" + std::string(18, '-') + ".json");
}

TEST(TracePath, TellsDevicesOfARunApart) {
  const PlannedCase planned{.test_case = &fuzz()};
  const std::vector<std::string> devices = {"cuda:1",   "cuda:11",    "cuda:1,1,1",   "cuda:1,11",   "cuda:11,1",
                                            "cuda:111", "sim:only=1", "sim:only=1+2", "sim:only=12", "sim:only=2+1"};
  std::set<std::string> paths;
  for (const std::string& device : devices) paths.insert(trace_path("traces", on(planned, device), 1));
  EXPECT_EQ(paths.size(), devices.size());
}

TEST(TracePath, SaysWhatIsNotTheFirst) {
  const PlannedCase planned{.test_case = &fuzz(), .repetition = 1};
  EXPECT_EQ(trace_path("traces", on(planned, "sim"), 1), "traces/alloc.fuzz.sim.repetition-2.json");
  EXPECT_EQ(trace_path("traces", on(planned, "sim"), 2), "traces/alloc.fuzz.sim.repetition-2.attempt-2.json");
}

TEST(TracePath, NoFolderNoTrace) {
  const PlannedCase planned{.test_case = &fuzz()};
  EXPECT_EQ(trace_path("", on(planned, "sim"), 1), "");
}

}  // namespace
}  // namespace gpucheck::runner
