#include "input/selection.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "harness/case/needs.hpp"
#include "tests/support/fixture_cases.hpp"

namespace gpucheck::application {
namespace {

class SelectionTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> names(const Selection& selection) const {
    std::vector<std::string> result;
    for (const harness::Case* test_case : select_cases(registry_, goldens_, selection))
      result.push_back(test_case->name);
    return result;
  }

  [[nodiscard]] std::vector<std::string> orphans(const Selection& selection) const {
    return select(registry_, goldens_, selection).orphans;
  }

  harness::Registry registry_{fixture_cases::all()};
  golden::GoldenSet goldens_ = golden::GoldenSet::from_embedded(fixture_cases::goldens());
};

using Names = std::vector<std::string>;

TEST_F(SelectionTest, NothingNamedMeansAll) { EXPECT_EQ(names({}).size(), registry_.cases().size()); }

TEST_F(SelectionTest, UnitesGlobsInNameOrderOnce) {
  EXPECT_EQ(names({.globs = {"skipped.*", "bad", "bad.crashes"}}),
            (Names{"bad.crashes", "bad.hangs", "skipped.crowd", "skipped.moon"}));
}

TEST_F(SelectionTest, ExcludesAfterwards) {
  EXPECT_EQ(names({.globs = {"bad", "skipped"}, .excluded = {"*.moon", "bad.hangs"}}),
            (Names{"bad.crashes", "skipped.crowd"}));
}

TEST_F(SelectionTest, EachGlobMustMatch) {
  EXPECT_THROW(static_cast<void>(names({.globs = {"bad", "nothing.*"}})), EnvironmentError);
}

TEST_F(SelectionTest, NothingLeftIsAnError) {
  EXPECT_THROW(static_cast<void>(names({.globs = {"bad"}, .excluded = {"bad.*"}})), EnvironmentError);
}

TEST_F(SelectionTest, UnknownNameOrSuiteIsUsage) {
  EXPECT_THROW(static_cast<void>(names({.globs = {"bad.crash"}})), UsageError);
  EXPECT_THROW(static_cast<void>(names({.excluded = {"bad.crash"}})), UsageError);
  EXPECT_THROW(static_cast<void>(names({.suite = "everything"})), UsageError);
}

TEST_F(SelectionTest, QuickLeavesOutExclusiveCases) {
  EXPECT_EQ(names({.globs = {"proof"}, .suite = "quick"}), Names{"proof.watchful"});
  EXPECT_EQ(names({.globs = {"proof"}, .suite = "all"}), (Names{"proof.exclusive", "proof.watchful"}));
}

TEST(QuickSuite, LeavesOutWhatNeedsProcessesOfItsOwn) {
  const auto quick = std::ranges::find(suites(), std::string_view("quick"), &Suite::name);
  ASSERT_NE(quick, suites().end());
  harness::Case plain;
  EXPECT_TRUE(quick->contains(plain));
  harness::Case alone = plain;
  alone.needs.own_process = true;
  EXPECT_FALSE(quick->contains(alone));
  harness::Case parent = plain;
  parent.children = {{"child", nullptr}};
  EXPECT_FALSE(quick->contains(parent));
}

TEST(Suites, WatchStartsNothingOnAGpu) {
  const auto watch = std::ranges::find(suites(), "watch", &Suite::name);
  ASSERT_NE(watch, suites().end());
  const auto has = [&watch](std::string name, harness::Needs needs) {
    return watch->contains({.name = std::move(name), .summary = {}, .source = {}, .needs = std::move(needs)});
  };
  const std::vector<std::string> driver{std::string(harness::management_library)};
  EXPECT_TRUE(has("health.ecc", {.libraries = driver}));
  EXPECT_TRUE(has("health.inventory", {.devices = 0}));
  EXPECT_FALSE(has("health.clocks", {})) << "it needs a load";
  EXPECT_FALSE(has("nvml.device_list", {.libraries = driver})) << "it is not about health";
}

TEST(Suites, LeaveOutWhatIsForWhoAsksForIt) {
  harness::Case patient{.name = "memtest.patient", .summary = {}, .source = {}};
  harness::Case other = patient;
  patient.on_request = true;
  for (const std::string_view name : {"acceptance", "burn"}) {
    const auto suite = std::ranges::find(suites(), name, &Suite::name);
    ASSERT_NE(suite, suites().end());
    EXPECT_TRUE(suite->contains(other)) << name;
    EXPECT_FALSE(suite->contains(patient)) << name;
  }
  EXPECT_TRUE(suites().front().contains(patient)) << "every case is every case";
}

TEST_F(SelectionTest, AcceptanceLeavesOutWhatIsForTheSimulator) {
  Names accepted = names({.suite = "acceptance"});
  EXPECT_EQ(accepted.size() + 1, registry_.cases().size());
  EXPECT_EQ(std::ranges::count(accepted, "needs.everything"), 0);
}

TEST_F(SelectionTest, SeedsAreTheCasesThatStandForATestOfPyTorch) {
  EXPECT_EQ(names({.suite = "seeds"}), Names{"proof.watchful"});
}

TEST_F(SelectionTest, BurnIsLoadWithWhatMustBeWellBefore) {
  EXPECT_EQ(names({.suite = "burn"}), Names{"stress.nothing"});
}

TEST_F(SelectionTest, FindsGoldensWithoutACase) {
  EXPECT_EQ(orphans({}), Names{"demo.lost"});
  EXPECT_EQ(orphans({.globs = {"demo"}}), Names{"demo.lost"});
  EXPECT_EQ(orphans({.globs = {"demo.l*"}}), Names{"demo.lost"});
}

TEST_F(SelectionTest, OtherSelectionsDoNotCoverTheOrphan) {
  EXPECT_EQ(orphans({.globs = {"bad", "demo.wrong"}}), Names{});
  EXPECT_EQ(orphans({.excluded = {"demo"}}), Names{});
}

TEST_F(SelectionTest, AnOrphanIsSelectedAndExcludedByItsName) {
  EXPECT_EQ(orphans({.globs = {"demo.lost"}}), Names{"demo.lost"});
  EXPECT_EQ(orphans({.excluded = {"demo.lost"}}), Names{});
  EXPECT_EQ(names({.excluded = {"demo.lost"}}).size(), registry_.cases().size());
  EXPECT_EQ(orphans({.excluded = {"*.lost"}}), Names{});
  EXPECT_THROW(static_cast<void>(orphans({.excluded = {"demo.losst"}})), UsageError);
  EXPECT_THROW(static_cast<void>(names({.globs = {"demo.lost"}})), EnvironmentError) << "no case";
}

}  // namespace
}  // namespace gpucheck::application
