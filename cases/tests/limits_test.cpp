#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "cases/stress/support.hpp"
#include "golden/limits/tests/h200.hpp"
#include "golden_files.hpp"
#include "harness/case/registry.hpp"

// Limits and the golden files that leave values to them belong together: a value without a limit could never be judged,
// and a limit without a value never judges.
namespace gpucheck::cases {
namespace {

const golden::GoldenSet& goldens() {
  static const golden::GoldenSet set = golden::GoldenSet::from_embedded(embedded_goldens());
  return set;
}

/// "group.case.key" of every value that is left to its limit on that kind of device; with each type that a load can be
/// made of where the limit depends on that.
std::set<std::string> limited_values(const std::string& kind) {
  std::set<std::string> names;
  for (const std::string& name : goldens().case_names()) {
    const golden::Golden& golden = *goldens().find(name);
    for (const golden::Golden::Row& row : golden.rows()) {
      const bool applies = row.condition.empty() || row.condition == "on " + kind;
      if (applies && row.expectation == "a number within its limit") names.insert(name + "." + row.key);
      if (!applies || row.expectation != "a number within the limit for its type") continue;
      for (const in_stress::NamedType& type : in_stress::load_types) {
        names.insert(name + "." + row.key + "." + std::string(type.name));
      }
    }
  }
  return names;
}

harness::DeviceIdentity h200_of(const std::string& kind) {
  harness::DeviceIdentity device = golden::h200();
  device.kind = kind;
  return device;
}

// What a site demands is for the site to say.
TEST(BuiltInGoldens, RestOnNoSite) {
  for (const std::string& name : goldens().case_names()) {
    for (const golden::Golden::Row& row : goldens().find(name)->rows()) {
      EXPECT_NE(row.basis, "site") << name << "." << row.key;
    }
  }
}

class LimitsOfGoldens : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, LimitsOfGoldens, testing::Values("cuda", "sim"));

TEST_P(LimitsOfGoldens, AreKnownForEveryValueThatIsLeftToOne) {
  const harness::DeviceIdentity device = h200_of(GetParam());
  for (const std::string& name : limited_values(GetParam())) {
    EXPECT_NE(goldens().limits().judge(name, "key", 1, &device).verdict, "unknown") << name;
  }
}

/// By PCI Express alone, of a link that is not reported.
TEST_P(LimitsOfGoldens, AreKnownWhereNothingIsToldOfLinksBetweenDevices) {
  harness::DeviceIdentity device = h200_of(GetParam());
  device.peer_links = 0;
  for (const std::string& name : limited_values(GetParam())) {
    EXPECT_NE(goldens().limits().judge(name, "key", 1, &device).verdict, "unknown") << name;
  }
}

TEST(BuiltInLimits, JudgeAValueEach) {
  std::set<std::string> names = limited_values("cuda");
  names.merge(limited_values("sim"));
  EXPECT_FALSE(names.empty());
  for (const golden::LimitClass& limits : goldens().limits().classes()) {
    for (const auto& [glob, limit] : limits.limits) {
      const auto matches = [&glob = glob](const std::string& name) { return harness::matches_glob(glob, name); };
      EXPECT_TRUE(std::ranges::any_of(names, matches)) << glob << " of " << limits.name;
    }
  }
}

}  // namespace
}  // namespace gpucheck::cases
