#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "commands/cli/cli.hpp"
#include "tests/support/fixture_cases.hpp"

namespace gpucheck::application {
namespace {

using ::testing::HasSubstr;

class CommandName : public ::testing::TestWithParam<const char*> {};

// Neither the group nor the command could be reached without hiding the other.
TEST_P(CommandName, NoGroupOfCasesMayHaveIt) {
  const auto nothing = [](harness::Context&) {};
  harness::Case clashing;
  clashing.name = std::string(GetParam()) + ".case";
  clashing.run = nothing;
  const harness::Registry registry({clashing});
  const GoldenFactory goldens = [] { return golden::GoldenSet::from_embedded(fixture_cases::goldens()); };
  const Environment environment{registry, goldens, {"gpucheck", "list"}};
  try {
    static_cast<void>(run_command_line(environment));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"" + std::string(GetParam()) + "\""));
  }
}

INSTANTIATE_TEST_SUITE_P(Commands, CommandName,
                         ::testing::Values("config", "describe", "golden", "help", "info", "inspect", "list", "prove",
                                           "replay", "report", "run"));

}  // namespace
}  // namespace gpucheck::application
