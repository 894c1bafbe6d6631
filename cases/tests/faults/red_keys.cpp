#include "cases/tests/faults/red_keys.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <ostream>
#include <vector>

#include "cases/registration.hpp"
#include "cases/tests/run_case.hpp"
#include "golden_files.hpp"
#include "harness/case/registry.hpp"

namespace gpucheck::cases {
namespace {

/// The keys that the golden file rejects, or what kept the case from ending.
std::string red_keys(const harness::Case& test_case, const harness::Fault& fault) {
  static const golden::GoldenSet goldens = golden::GoldenSet::from_embedded(embedded_goldens());
  const auto devices = static_cast<std::size_t>(std::max(test_case.needs.devices, 1));
  const Seen seen = run_case(test_case, {.plan = fault.plan_on(devices), .devices = devices});
  if (!seen.is_completed()) return "not completed: " + seen.execution.reason;
  harness::Observations observations;
  for (const auto& [key, value] : seen.values) observations.push_back({key, value});
  std::vector<std::string> keys;
  for (const harness::Mismatch& mismatch :
       goldens.find(test_case.name)->compare(observations, {.device_kind = "sim"})) {
    keys.push_back(mismatch.key);
  }
  return fmt::format("{}", fmt::join(keys, " "));
}

}  // namespace

void PrintTo(const RedKeys& red, std::ostream* out) { *out << red.cases << " under " << red.fault; }

void expect_red(const RedKeys& red) {
  static const std::vector<harness::Case> cases = all();
  std::size_t found = 0;
  for (const harness::Case& one : cases) {
    if (!harness::matches_glob(red.cases, one.name)) continue;
    const harness::Fault* const fault = one.find_fault(red.fault);
    if (fault == nullptr) continue;
    ++found;
    EXPECT_EQ(red_keys(one, *fault), red.keys) << one.name << ": " << fault->summary;
  }
  EXPECT_GT(found, 0U) << "no such case, or no such fault";
}

}  // namespace gpucheck::cases
