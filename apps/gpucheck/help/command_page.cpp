#include "help/command_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "help/exit_code_texts.hpp"
#include "help/manual_page.hpp"
#include "input/cli_options.hpp"

namespace gpucheck::application {

namespace {

std::string option_term(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true) + (option.get_expected_max() > 1 ? "..." : "");
  const std::string type = option.get_expected_max() > 0 ? option.get_type_name() : "";
  return fmt::format("`{}`{}{}", fmt::join(CLI::detail::split(option.get_name(false, true), ','), "`, `"),
                     type.empty() ? "" : " ", type);
}

std::string option_meaning(const CLI::Option& option) {
  const std::string& given = option.get_default_str();
  return option.get_description() + (given.empty() ? "" : " [default: " + given + "]");
}

bool is_help(const CLI::Option& option) { return option.check_name("--help"); }

void add_command(ManualPage& page, const CLI::App& command, const std::string& name) {
  const auto subcommands = command.get_subcommands([](const CLI::App*) { return true; });
  if (!subcommands.empty()) {
    for (const CLI::App* subcommand : subcommands) add_command(page, *subcommand, name + " " + subcommand->get_name());
    return;
  }
  page.subsection(name);
  page.paragraph(command.get_description() + ".");
  for (const CLI::Option* option : command.get_options()) {
    if (!is_help(*option)) page.entry(option_term(*option), option_meaning(*option));
  }
  if (const std::string footer = command.get_footer(); !footer.empty()) page.paragraph(footer);
}

}  // namespace

std::string command_page(const CLI::App& application, std::string_view version, std::span<const Topic> topics) {
  ManualPage page("gpucheck", 1, version, "check whether GPUs may be trusted with deep-learning work");
  page.section("SYNOPSIS");
  page.paragraph("`gpucheck` COMMAND [OPTIONS]");
  page.section("DESCRIPTION");
  page.paragraph(application.get_description() +
                 ": runs named cases, each in a process that it can afford to lose, and judges what they observe "
                 "against golden files. `gpucheck run` runs all of them.");
  page.section("COMMANDS");
  for (const CLI::App* command : application.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group() != case_groups) add_command(page, *command, command->get_name());
  }
  page.subsection("GROUP CASE");
  page.paragraph("Run one case; its parameters are options. `gpucheck list` shows the cases.");
  page.section("EXIT STATUS");
  page.paragraph(exit_codes::of_run);
  page.section("SEE ALSO");
  for (const Topic& topic : topics) page.entry("`gpucheck-" + topic.name + "`(7)", topic.summary);
  return page.take();
}

}  // namespace gpucheck::application
