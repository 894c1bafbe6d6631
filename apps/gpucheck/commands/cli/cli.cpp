#include "commands/cli/cli.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <memory>
#include <span>

#include "base/error.hpp"
#include "commands/cli/command_options.hpp"
#include "commands/cli/groups.hpp"
#include "help/cmd_help.hpp"
#include "help/exit_code_texts.hpp"
#include "input/cli_options.hpp"
#include "output/version.hpp"

namespace gpucheck::application {

namespace {

/// The second word is a case's name behind a group, a subcommand behind a command that has some.
void check_second_word(CLI::App& command, const std::string& word, const Environment& environment) {
  if (command.get_group() == case_groups) {
    static_cast<void>(environment.registry.require(fmt::format("{}.{}", command.get_name(), word)));
    return;
  }
  std::vector<std::string> names;
  for (const CLI::App* subcommand : command.get_subcommands([](CLI::App*) { return true; })) {
    names.push_back(subcommand->get_name());
  }
  if (names.empty() || std::ranges::find(names, word) != names.end()) return;
  throw UsageError(fmt::format("\"{}\" is not a subcommand of gpucheck {}, which has: {}", word, command.get_name(),
                               fmt::join(names, ", ")));
}

/// A first word that is not a command gets a better answer than "subcommand required".
void check_first_words(CLI::App& application, const Environment& environment) {
  if (environment.command_line.size() < 2 || environment.command_line[1].starts_with('-')) return;
  const std::string& word = environment.command_line[1];
  const auto named = [&word](CLI::App* command) { return command->get_name() == word; };
  if (const std::vector<CLI::App*> commands = application.get_subcommands(named); !commands.empty()) {
    const bool has_second = environment.command_line.size() > 2 && !environment.command_line[2].starts_with('-');
    if (has_second) check_second_word(*commands.front(), environment.command_line[2], environment);
    return;
  }
  if (environment.registry.find(word) != nullptr) {
    throw UsageError("\"" + word + "\" is a case, not a command: gpucheck run " + word);
  }
  throw UsageError("\"" + word + "\" is neither a command nor a group of cases; gpucheck --help shows both");
}

/// The words behind the program's name, the last one first, as CLI11 takes them. It would
/// take the word that follows "--option=" for the value, not the empty one that is meant.
std::vector<std::string> words_to_parse(const std::vector<std::string>& command_line) {
  std::vector<std::string> words;
  for (const std::string& word : std::span(command_line).subspan(std::min<std::size_t>(command_line.size(), 1))) {
    const bool has_empty_value = word.starts_with("--") && word.size() > 3 && word.find('=') == word.size() - 1;
    words.push_back(has_empty_value ? word.substr(0, word.size() - 1) : word);
    if (has_empty_value) words.emplace_back();
  }
  std::ranges::reverse(words);
  return words;
}

/// Said of an option whose value is not there: an empty one is a variable that was not set.
void check_value(const CLI::Option& option, const std::string& value) {
  const std::string name = option.get_name();
  // Defaults are settings too, and a text may well be empty.
  const bool may_be_empty = name == "--settings" || option.get_group() == case_parameters;
  if (value.empty() && !may_be_empty) {
    throw UsageError(fmt::format("{}: its value is empty: give one, or leave the option out", name));
  }
  const bool is_number = value.size() > 1 && std::string_view("0123456789.").find(value[1]) != std::string_view::npos;
  if (option.get_positional() || value.size() < 2 || !value.starts_with('-') || is_number) return;
  throw UsageError(
      fmt::format("{} has no value: \"{}\" is read as an option; if a file is meant that is called so, write "
                  "\"./{}\"",
                  name, value, value));
}

/// CLI11 takes whatever follows an option for its value. Here once for all options, those
/// to come included.
void check_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& value : option->results()) check_value(*option, value);
  }
  for (const CLI::App* subcommand : command.get_subcommands()) check_values(*subcommand);
}

/// The words that nothing on the command line takes, in its order.
std::vector<std::string> unexpected_words(const CLI::App& application, const Environment& environment) {
  std::vector<std::string> words = application.remaining(true);
  const auto place = [&environment](const std::string& word) {
    return std::ranges::find(environment.command_line, word) - environment.command_line.begin();
  };
  std::ranges::stable_sort(words, {}, place);
  return words;
}

/// False when the parser itself has answered (--help, --version).
bool parse(CLI::App& application, const Environment& environment) {
  try {
    application.parse(words_to_parse(environment.command_line));
    check_values(application);
    return true;
  } catch (const CLI::Success& answer) {
    application.exit(answer, std::cout, std::cerr);
    return false;
  } catch (const CLI::ParseError& problem) {
    // What was typed wrongly says more than what is therefore missing.
    const std::vector<std::string> words = unexpected_words(application, environment);
    throw UsageError(
        fmt::format("{} (gpucheck --help, or --help after a command, shows what is allowed)",
                    words.empty() ? problem.what() : fmt::format("not understood here: {}", fmt::join(words, " "))));
  }
}

/// Gives `carry_out` what the command line means, unless the parser itself has answered; returns the exit code.
int read_command_line(Environment environment, const std::function<int(const Action&)>& carry_out) {
  CLI::App application("Checks whether this machine's GPUs may be trusted with deep-learning work", "gpucheck");
  application.set_version_flag("--version", version_text);
  application.fallthrough();  // so that --version works anywhere on the line
  application.require_subcommand(1);
  application.footer([] {
    return fmt::format(
        "{}\n{}\nOther commands have other codes; \"gpucheck help COMMAND\" shows them, and its options.",
        topics_text(), exit_codes::of_run);
  });
  Action action;
  add_commands(application, environment, action);
  add_help(application, environment, action);
  add_groups(application, environment, action);
  environment.command_line = with_help_spelled_out(application, std::move(environment.command_line));
  check_first_words(application, environment);
  return parse(application, environment) ? carry_out(action) : 0;
}

}  // namespace

int run_command_line(const Environment& environment) {
  return read_command_line(environment, [](const Action& action) { return action(); });
}

void check_command_line(const Environment& environment) {
  static_cast<void>(read_command_line(environment, [](const Action& /*action*/) { return 0; }));
}

}  // namespace gpucheck::application
