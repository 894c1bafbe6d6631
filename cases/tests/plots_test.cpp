#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cases/registration.hpp"
#include "device/sim/sim_driver.hpp"
#include "harness/case/execute.hpp"
#include "harness/case/registry.hpp"

// What snapshot.plots does with files that it cannot write: no verdict may depend on them.
namespace gpucheck::cases {
namespace {

using Status = harness::Execution::Status;

struct Seen {
  harness::Execution execution;
  std::map<std::string, harness::Value> values;
};

Seen plots_saved_to(const std::string& folder) {
  const harness::Registry registry(all());
  const std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("h100")});
  Seen seen;
  harness::Context::Setup setup;
  setup.test_case = registry.find("snapshot.plots");
  setup.driver = driver.get();
  setup.settings.parameters = {{"save_to", folder}};
  setup.on_observation = [&seen](const harness::Observation& one) { seen.values.emplace(one.key, one.value); };
  seen.execution = harness::execute(setup);
  return seen;
}

TEST(Plots, ThatCannotBeSavedAreJudgedLikeOthers) {
  const Seen nowhere = plots_saved_to("");
  const Seen unwritable = plots_saved_to("/proc/no/such/folder");
  if (nowhere.execution.status == Status::skipped) {
    EXPECT_EQ(unwritable.execution.status, Status::skipped);
    GTEST_SKIP() << nowhere.execution.reason;
  }
  ASSERT_EQ(nowhere.execution.status, Status::completed) << nowhere.execution.reason;
  ASSERT_EQ(unwritable.execution.status, Status::completed) << unwritable.execution.reason;
  for (const auto& [key, value] : nowhere.values) {
    if (key == "not_saved") continue;
    EXPECT_EQ(unwritable.values.at(key), value) << key;
  }
  EXPECT_EQ(nowhere.values.at("not_saved"), harness::Value(std::vector<std::string>()));
  const auto& problems = std::get<std::vector<std::string>>(unwritable.values.at("not_saved"));
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_NE(problems.front().find("/proc/no/such/folder/full.json"), std::string::npos) << problems.front();
}

TEST(Plots, ReplaceNoFileThatIsThere) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "plots_are_kept";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "full.json") << "somebody's";
  std::filesystem::create_symlink("nowhere", folder / "none.pickle");
  const Seen seen = plots_saved_to(folder);
  if (seen.execution.status == Status::skipped) GTEST_SKIP() << seen.execution.reason;
  std::string kept;
  std::getline(std::ifstream(folder / "full.json"), kept);
  EXPECT_EQ(kept, "somebody's");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "none.pickle"));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder / "brief.pickle"));
  const auto& problems = std::get<std::vector<std::string>>(seen.values.at("not_saved"));
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_NE(problems[0].find("full.json exists already"), std::string::npos) << problems[0];
  EXPECT_NE(problems[1].find("none.pickle exists already"), std::string::npos) << problems[1];
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace gpucheck::cases
