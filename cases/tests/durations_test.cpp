#include "cases/durations.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "cases/registry.hpp"
#include "harness/run/durations.hpp"

namespace gpucheck::cases {
namespace {

TEST(DurationsOfCases, AreOfCasesThatThereAreAndShorterThanTheirDeadlines) {
  const std::vector<harness::Case> known = all();
  const harness::Durations durations = harness::Durations::parse(embedded_durations().front().text);
  for (const auto& [name, measured] : durations.cases()) {
    const auto found = std::ranges::find(known, name, &harness::Case::name);
    ASSERT_NE(found, known.end()) << name << ": scripts/record/durations leaves out what is not a case any more";
    EXPECT_LT(measured.on_simulator.value_or(std::chrono::milliseconds(0)), found->deadline) << name;
    EXPECT_LT(measured.on_gpu.value_or(std::chrono::milliseconds(0)), found->deadline) << name;
  }
}

}  // namespace
}  // namespace gpucheck::cases
