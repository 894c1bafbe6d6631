#include "config/cmd_config.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text/sanitize.hpp"
#include "config/apply_config.hpp"
#include "help/exit_code_texts.hpp"
#include "output/terminal.hpp"
#include "output/text_table.hpp"

namespace gpucheck::application {

namespace {

using Json = nlohmann::ordered_json;
using Type = ConfigKey::Type;

struct ShowOptions {
  ConfigChoice choice;
  bool json = false;
};

/// One line of what is shown.
struct Row {
  std::string key;
  std::string option;
  std::string value;  ///< empty: there is none
  const ConfigSetting* setting = nullptr;
};

std::string default_of(const ConfigKey& key, CLI::App& command) {
  if (key.type == Type::truth) return "false";
  return command.get_option(std::string(key.option))->get_default_str();
}

std::vector<Row> rows_of(const Config& config, CLI::App& command) {
  std::vector<Row> rows;
  for (const ConfigKey& key : config_keys()) {
    const std::size_t count = rows.size();
    for (const ConfigSetting& setting : config.settings) {
      if (setting.key != &key) continue;
      rows.push_back({setting.name, std::string(key.option), setting.value(), &setting});
    }
    if (rows.size() == count)
      rows.push_back({std::string(key.name), std::string(key.option), default_of(key, command)});
  }
  return rows;
}

std::string source_of(const Row& row, const Config& config) {
  if (row.setting == nullptr) return "default";
  return fmt::format("{}:{}{}", config.path, row.setting->line,
                     row.setting->from_profile ? fmt::format(" (profile {})", config.profile) : "");
}

std::string show_text(const std::vector<Row>& rows, const Config& config) {
  std::string text = config.path.empty() ? "no configuration file is in force\n" : fmt::format("{}\n", config.path);
  if (!config.profile.empty()) text += fmt::format("profile {}\n", config.profile);
  std::vector<TextRow> table{{"setting", "value", "from"}};
  for (const Row& row : rows) {
    table.push_back({one_line(row.key), row.value.empty() ? "-" : one_line(row.value), source_of(row, config)});
  }
  return text + "\n" + text_table(table, 3);
}

/// "gpucheck.config_show/1"
std::string show_document(const std::vector<Row>& rows, const Config& config) {
  Json document{{"schema", "gpucheck.config_show/1"},
                {"path", config.path.empty() ? Json() : Json(config.path)},
                {"profile", config.profile.empty() ? Json() : Json(config.profile)},
                {"profiles", config.profiles},
                {"settings", Json::array()}};
  for (const Row& row : rows) {
    const bool is_default = row.setting == nullptr;
    document["settings"].push_back({{"key", row.key},
                                    {"option", row.option},
                                    {"value", row.value.empty() ? Json() : Json(row.value)},
                                    {"from", is_default                  ? "default"
                                             : row.setting->from_profile ? "profile"
                                                                         : "file"},
                                    {"line", is_default ? Json() : Json(row.setting->line)}});
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// As a run without other words would have it, which also finds what no run would take.
int show(const ShowOptions& options, const DeclareRun& declare_run) {
  const Config config = load_config(options.choice).value_or(Config());
  CLI::App command;
  RunOptions run_options;
  declare_run(command, run_options);
  apply_config(config, command, run_options);
  const std::vector<Row> rows = rows_of(config, command);
  if (options.json) {
    print_document(show_document(rows, config));
  } else {
    print(show_text(rows, config));
  }
  return 0;
}

}  // namespace

void add_config_commands(CLI::App& application, const DeclareRun& declare_run, Action& action) {
  CLI::App* const config = application.add_subcommand("config", "Show what a configuration file decides");
  config->require_subcommand(1);
  CLI::App* const show_command =
      config->add_subcommand("show", "Show each setting of gpucheck run and where its value comes from");
  show_command->footer(exit_codes::of_showing);
  const auto options = std::make_shared<ShowOptions>();
  add_config_options(*show_command, options->choice);
  show_command->add_flag("--json", options->json, "As JSON");
  show_command->final_callback(
      [options, declare_run, &action] { action = [=] { return show(*options, declare_run); }; });
  CLI::App* const schema =
      config->add_subcommand("schema", "Print the JSON Schema of a configuration file (gpucheck.config/1)");
  schema->footer(exit_codes::of_showing);
  schema->final_callback([&action] {
    action = [] {
      print_document(config_schema());
      return 0;
    };
  });
}

}  // namespace gpucheck::application
