#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <string>

#include "device/fault/fault_driver.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/tests/programs/random_program.hpp"
#include "tensor/benchmarks/gpu.hpp"

// Random programs of streams, events, captures, replays, frees and random numbers give what their
// steps give one after the other, on every device, and on each to the same numbers; on the
// simulated one nothing in them races. GPUCHECK_RANDOM_PROGRAMS sets how many there are.
namespace gpucheck::runtime::test {
namespace {

constexpr int steps = 60;

std::uint64_t program_count() {
  const char* set = std::getenv("GPUCHECK_RANDOM_PROGRAMS");
  return set == nullptr ? 200 : std::stoull(set);
}

/// The result of a program.
struct Outcome {
  std::vector<std::int64_t> sums;
  std::vector<DrawnArray> arrays;
  int replays = 0;
};

Outcome run_program(device::Device& device, std::uint64_t seed) {
  Runtime runtime(device);
  Outcome outcome;
  {
    RandomProgram program(runtime, seed);
    program.run(steps);
    outcome = {.sums = program.results(), .arrays = program.drawn(), .replays = program.replays()};
    EXPECT_EQ(outcome.sums, program.expected());
  }
  for (std::size_t i = 0; i < outcome.arrays.size(); ++i) {
    EXPECT_EQ(outcome.arrays[i].drawn, outcome.arrays[i].expected) << "array " << i;
  }
  EXPECT_EQ(runtime.allocator().live_allocations().count, 0U);
  EXPECT_TRUE(runtime.allocator().failed_frees().empty());
  EXPECT_TRUE(runtime.warnings().empty()) << runtime.warnings().front();
  EXPECT_EQ(device.last_error(), device::Status::success);
  return outcome;
}

Outcome run_simulated(const std::string& profile, std::uint64_t seed) {
  auto made = sim::make_driver({.profile = sim::profile(profile), .seed = seed});
  const sim::Driver& simulator = *made;
  const auto driver = fault::inject(std::move(made), {});  // nothing goes wrong; it knows the handles that are left
  Outcome outcome;
  {
    const auto device = driver->open(0).value();
    outcome = run_program(*device, seed);
    for (const device::Race& race : simulator.races()) ADD_FAILURE() << race.description;
    EXPECT_EQ(driver->live_handles().value().graphs, 0U);
    EXPECT_EQ(driver->live_handles().value().executables, 0U);
    EXPECT_EQ(driver->live_handles().value().events, 0U);
  }
  EXPECT_EQ(simulator.live_bytes(), 0U);
  return outcome;
}

/// How far two numbers are apart, in units of the last place of the greater one, or of 1 where both are less.
double units_apart(float a, float b) {
  const double unit = std::max({1.0, std::abs(double{a}), std::abs(double{b})}) * 0x1p-23;
  return std::abs(double{a} - double{b}) / unit;
}

/// The greatest distance between normal numbers of both; the others have to be equal.
double compare(const std::vector<DrawnArray>& seen, const std::vector<DrawnArray>& simulated) {
  double greatest = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].kind != DrawKind::normals) {
      EXPECT_EQ(seen[i].drawn, simulated[i].drawn) << "array " << i;
      continue;
    }
    for (std::size_t word = 0; word < seen[i].drawn.size(); ++word) {
      const auto a = std::bit_cast<std::array<float, 2>>(seen[i].drawn[word]);
      const auto b = std::bit_cast<std::array<float, 2>>(simulated[i].drawn[word]);
      greatest = std::max({greatest, units_apart(a[0], b[0]), units_apart(a[1], b[1])});
    }
  }
  return greatest;
}

/// A digest of all sums, and of all random numbers but the normal ones, which depend on a device's logarithm.
class Digest {
 public:
  void add(const Outcome& outcome) {
    for (const std::int64_t sum : outcome.sums) add(sum);
    for (const DrawnArray& array : outcome.arrays) {
      if (array.kind == DrawKind::normals) continue;
      for (const std::int64_t bits : array.drawn) add(bits);
    }
  }
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  void add(std::int64_t number) {  // FNV-1a, a word at a time
    value_ = (value_ ^ static_cast<std::uint64_t>(number)) * 0x100000001b3;
  }
  std::uint64_t value_ = 0xcbf29ce484222325;
};

TEST(RandomPrograms, RunOnTheSimulator) {
  int replays = 0;
  Digest digest;
  for (std::uint64_t seed = 0; seed < program_count(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Outcome outcome = run_simulated("small", seed);
    replays += outcome.replays;
    digest.add(outcome);
    if (HasFailure()) return;
  }
  EXPECT_GT(replays, static_cast<int>(program_count())) << "else little was tried";
  std::cout << program_count() << " programs on the small profile: digest " << digest.text() << "\n";
}

TEST(RandomPrograms, RunOnAGpuAsOnTheSimulator) {
  /// What the simulator's logarithms may change: see lib/tensor/random/README.md.
  constexpr double most_units = 24;
  const auto driver = benchmarks::make_gpu_driver();
  if (driver == nullptr || !driver->device_count() || *driver->device_count() == 0) GTEST_SKIP() << "no GPU";
  const auto device = driver->open(0).value();
  Digest digest;
  double greatest = 0;
  for (std::uint64_t seed = 0; seed < program_count(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Outcome seen = run_program(*device, seed);
    const Outcome simulated = run_simulated("h200", seed);  // with the multiprocessors of an H100 or an H200
    EXPECT_EQ(seen.sums, simulated.sums);
    greatest = std::max(greatest, compare(seen.arrays, simulated.arrays));
    EXPECT_LE(greatest, most_units);
    digest.add(seen);
    if (HasFailure()) return;
  }
  std::cout << program_count() << " programs on " << device->properties().name << ": digest " << digest.text()
            << ", normal numbers at most " << greatest << " units from the simulator's\n";
}

}  // namespace
}  // namespace gpucheck::runtime::test
