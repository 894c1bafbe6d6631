#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "commands/cli/cli.hpp"
#include "commands/cli/command_options.hpp"
#include "tests/support/fixture_cases.hpp"

namespace gpucheck::application {
namespace {

using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::SizeIs;

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

/// The texts of the options of the command and of its subcommands.
std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> texts;
  for (const CLI::Option* option : command.get_options()) {
    texts.push_back(option->get_name(false, true) + ": " + option->get_description());
  }
  for (const CLI::App* subcommand : subcommands_of(command)) {
    std::ranges::copy(options_of(*subcommand), std::back_inserter(texts));
  }
  return texts;
}

TEST(CommandOptions, AreTheSameWhenOneCommandIsDeclaredAsWhenAllAre) {
  const harness::Registry registry({});
  const GoldenFactory goldens;
  Environment environment{registry, goldens, {"gpucheck", "--help"}};
  Action action;
  CLI::App all;
  add_commands(all, environment, action);
  EXPECT_THAT(subcommands_of(all), SizeIs(Gt(15)));
  for (const CLI::App* command : subcommands_of(all)) {
    const std::string name = command->get_name();
    EXPECT_TRUE(is_command(name)) << name;
    environment.command_line = {"gpucheck", name};
    CLI::App application;
    add_commands(application, environment, action);
    EXPECT_EQ(options_of(*application.get_subcommand(name)), options_of(*command));
    EXPECT_THAT(subcommands_of(application), SizeIs(Lt(5)));
  }
}

TEST(CommandOptions, OfNoCommandBelongToNone) {
  for (const char* word : {"", "ru", "run ", "help", "alloc", "--version"}) EXPECT_FALSE(is_command(word)) << word;
}

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
                         ::testing::Values("bundle", "config", "describe", "golden", "help", "info", "inspect", "list",
                                           "prove", "replay", "report", "run"));

}  // namespace
}  // namespace gpucheck::application
