#include "runner/plan/rerun.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace gpucheck::runner {
namespace {

TEST(Rerun, SaysWhatRunsOneCaseAgain) {
  const harness::Case test_case{.name = "alloc.fuzz", .summary = "", .source = ""};
  Options options;
  options.settings.seed = 7;
  const auto planned = std::make_unique<PlannedCase>();
  planned->test_case = &test_case;
  planned->settings.parameters = {{"iterations", std::int64_t{5}}, {"mode", "a b"}};
  EXPECT_EQ(rerun_command(*planned, options, "sim:h100"),
            "gpucheck run alloc.fuzz --device sim:h100 --seed 7 --parameter iterations=5 --parameter 'mode=a b'");
  planned->settings.golden_directory = "my goldens";
  planned->settings.parameters.clear();
  planned->repetition = 2;
  EXPECT_EQ(rerun_command(*planned, options, "cuda:1"),
            "gpucheck run alloc.fuzz --device cuda:1 --seed 9 --golden 'my goldens'");
  planned->settings.allocator = runtime::parse_allocator_choice("./my one.so");
  EXPECT_EQ(rerun_command(*planned, options, "cuda:1"),
            "gpucheck run alloc.fuzz --device cuda:1 --seed 9 --allocator './my one.so' --golden 'my goldens'");
}

TEST(Rerun, SaysWhatElseDecidesHowACaseEnds) {
  const harness::Case test_case{.name = "alloc.fuzz", .summary = "", .source = ""};
  const auto planned = std::make_unique<PlannedCase>();
  planned->test_case = &test_case;
  planned->settings.fault = "lost_event";
  Options options;
  EXPECT_EQ(rerun_command(*planned, options, "cuda:1"),
            "gpucheck run alloc.fuzz --device cuda:1 --seed 0 --fault lost_event");
  planned->settings.fault.clear();
  options.timeout = std::chrono::milliseconds(1500);
  options.isolation = Isolation::process;
  EXPECT_EQ(rerun_command(*planned, options, "sim"),
            "gpucheck run alloc.fuzz --device sim --seed 0 --timeout 1500ms --isolate process");
  planned->settings.allocator = runtime::parse_allocator_choice("./my.so");
  EXPECT_EQ(rerun_command(*planned, options, "sim"),
            "gpucheck run alloc.fuzz --device sim --seed 0 --allocator ./my.so --timeout 1500ms");
}

TEST(Rerun, OfACaseAloneSaysItsSettingsAsTheyAre) {
  harness::RunSettings settings;
  settings.device = "sim";
  settings.seed = 3;
  EXPECT_EQ(rerun_command("a.b", settings), "gpucheck run a.b --device sim --seed 3");
  settings.limits_path = "my limits.json";
  settings.telemetry = "state.json";
  settings.fault = "lost one";
  settings.case_folders = {"own cases", "/more"};
  EXPECT_EQ(
      rerun_command("a.b", settings),
      "gpucheck run a.b --device sim --seed 3 --cases 'own cases' --cases /more --limits 'my limits.json' --telemetry "
      "state.json --fault 'lost one'");
}

/// All that the file decided is among the options already.
TEST(Rerun, OfARunWithAConfigurationFileReadsNone) {
  const harness::Case test_case{.name = "alloc.fuzz", .summary = "", .source = ""};
  const auto planned = std::make_unique<PlannedCase>();
  planned->test_case = &test_case;
  Options options;
  options.configuration.emplace();
  EXPECT_EQ(rerun_command(*planned, options, "sim"), "gpucheck run alloc.fuzz --device sim --seed 0 --no-config");
}

}  // namespace
}  // namespace gpucheck::runner
