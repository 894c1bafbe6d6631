#include "commands/cli/groups.hpp"

#include <fmt/format.h>
#include <memory>

#include "base/error.hpp"
#include "commands/cli/command_options.hpp"
#include "commands/commands.hpp"
#include "help/exit_code_texts.hpp"

namespace gpucheck::application {

namespace {

using harness::Case;
using harness::Parameter;

std::string option_text(const Parameter& parameter) {
  return parameter.summary + " (" + parameter.allowed() + "; default " + harness::to_text(parameter.default_value) +
         ")";
}

/// Values stay text here: `run` reads them, so that they are rejected in one place and
/// in one manner however they were given.
void add_parameter(CLI::App& command, const Parameter& parameter, runner::Options& options) {
  const auto take = [&options, name = parameter.name](const std::string& text) {
    options.settings.parameters.insert_or_assign(name, text);
  };
  const std::string name = option_name(parameter);
  const std::string text = option_text(parameter);
  if (std::holds_alternative<bool>(parameter.default_value)) {
    const auto take_flag = [take](std::int64_t count) { take(count > 0 ? "true" : "false"); };
    command.add_flag_function(name + ",!--no" + name.substr(1), take_flag, text)
        ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
        ->group(case_parameters);
    return;
  }
  const std::string type = parameter.unit.empty() ? "VALUE" : parameter.unit;
  command.add_option_function<std::string>(name, take, text)->type_name(type)->group(case_parameters);
}

/// Options are declared only when the group is named on the command line: the others'
/// would cost time at every start.
void add_case(CLI::App& group, const Environment& environment, const Case& test_case, Action& action) {
  CLI::App* const command =
      group.add_subcommand(test_case.name.substr(test_case.group().size() + 1), test_case.summary);
  const auto options = std::make_shared<RunOptions>();
  options->selection.globs = {test_case.name};
  command->preparse_callback([command, &environment, &test_case, options](std::size_t /*remaining*/) {
    for (const Parameter& parameter : test_case.parameters) add_parameter(*command, parameter, options->runner);
    add_execution(*command, options->runner);
    add_run_control(*command, *options, environment.start);
    command->footer(fmt::format(
        "An option of \"gpucheck run\" that a parameter has taken the name of is called --run-... here.\n{}",
        exit_codes::of_run));
  });
  command->final_callback(
      [&environment, options, &action] { action = [&environment, options] { return run(environment, *options); }; });
}

void add_group(CLI::App& application, const Environment& environment, const std::string& name, Action& action) {
  CLI::App* const group = application.add_subcommand(name, "Run one of the " + name + " cases");
  group->group(case_groups);
  group->require_subcommand(1);
  group->preparse_callback([group, &environment, name, &action](std::size_t /*remaining*/) {
    for (const Case& test_case : environment.registry.cases()) {
      if (test_case.group() == name) add_case(*group, environment, test_case, action);
    }
  });
}

bool has_subcommand(CLI::App& application, const std::string& name) {
  return !application.get_subcommands([&name](CLI::App* command) { return command->get_name() == name; }).empty();
}

}  // namespace

void add_groups(CLI::App& application, const Environment& environment, Action& action) {
  std::string previous;
  for (const Case& test_case : environment.registry.cases()) {
    if (test_case.group() == previous) continue;
    previous = test_case.group();
    if (is_command(previous) || has_subcommand(application, previous)) {
      throw Error(
          fmt::format("the group of cases \"{}\" has the name of a command, so that neither could be reached without "
                      "hiding the other: rename the group",
                      previous));
    }
    add_group(application, environment, previous, action);
  }
}

}  // namespace gpucheck::application
