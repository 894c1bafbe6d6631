#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "device/sim/sim_driver.hpp"
#include "runtime/tests/programs/random_program.hpp"
#include "tensor/benchmarks/gpu.hpp"

// Random programs of streams, events, captures, replays and frees come to what their steps
// come to one after the other, on every device; on the simulated one nothing in them races.
// GPUCHECK_RANDOM_PROGRAMS sets how many there are.
namespace gpucheck::runtime::test {
namespace {

constexpr int steps = 60;

std::uint64_t program_count() {
  const char* set = std::getenv("GPUCHECK_RANDOM_PROGRAMS");
  return set == nullptr ? 200 : std::stoull(set);
}

/// Replays that the program made.
int run_program(device::Device& device, std::uint64_t seed) {
  Runtime runtime(device);
  int replays = 0;
  {
    RandomProgram program(runtime, seed);
    program.run(steps);
    EXPECT_EQ(program.results(), program.expected());
    replays = program.replays();
  }
  EXPECT_EQ(runtime.allocator().live_allocations().count, 0U);
  EXPECT_TRUE(runtime.allocator().failed_frees().empty());
  EXPECT_TRUE(runtime.warnings().empty()) << runtime.warnings().front();
  EXPECT_EQ(device.last_error(), device::Status::success);
  return replays;
}

TEST(RandomPrograms, RunOnTheSimulator) {
  int replays = 0;
  for (std::uint64_t seed = 0; seed < program_count(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto driver = sim::make_driver({.profile = sim::profile("small"), .seed = seed});
    const auto device = driver->open(0).value();
    replays += run_program(*device, seed);
    for (const device::Race& race : driver->races()) ADD_FAILURE() << race.description;
    EXPECT_EQ(driver->live_bytes(), 0U);
    if (HasFailure()) return;
  }
  EXPECT_GT(replays, static_cast<int>(program_count())) << "else little was tried";
}

TEST(RandomPrograms, RunOnAGpu) {
  const auto driver = benchmarks::make_gpu_driver();
  if (driver == nullptr || !driver->device_count() || *driver->device_count() == 0) GTEST_SKIP() << "no GPU";
  const auto device = driver->open(0).value();
  for (std::uint64_t seed = 0; seed < program_count(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    run_program(*device, seed);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace gpucheck::runtime::test
