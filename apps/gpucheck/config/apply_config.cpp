#include "config/apply_config.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"

namespace gpucheck::application {

namespace {

using Type = ConfigKey::Type;

/// An option that is in force excludes this one.
bool is_excluded(const CLI::Option& option) {
  return std::ranges::any_of(option.get_excludes(), [](const CLI::Option* other) { return other->count() > 0; });
}

class Application {
 public:
  Application(const Config& config, CLI::App& command, RunOptions& options)
      : config_(config), command_(command), options_(options) {
    for (const CLI::Option* option : command.get_options()) {
      if (option->count() > 0) typed_.push_back(option);
    }
  }

  /// What the command line or an option that it excludes stands before is not in force.
  void apply() {
    harness::Configuration in_force{.path = config_.path, .profile = config_.profile, .settings = {}};
    for (const ConfigSetting& setting : config_.settings) {
      if (!takes(setting)) continue;
      in_force.settings.push_back({.key = setting.name, .value = setting.value(), .line = setting.line});
    }
    for (const ConfigSetting& setting : config_.settings) check_needs(setting);
    options_.runner.configuration = std::move(in_force);
  }

 private:
  [[noreturn]] void fail(const ConfigSetting& setting, std::string_view what) const {
    throw UsageError(fmt::format("{}:{}: {}: {}", config_.path, setting.line, setting.name, what));
  }

  [[nodiscard]] bool is_typed(const CLI::Option* option) const {
    return std::ranges::find(typed_, option) != typed_.end();
  }

  bool takes(const ConfigSetting& setting) {
    try {
      if (setting.key->type == Type::parameters) return takes_parameter(setting);
      if (setting.key->type == Type::outputs) return takes_output(setting);
      return takes_option(setting);
    } catch (const UsageError& problem) {
      fail(setting, problem.what());
    } catch (const CLI::Error& problem) {
      fail(setting, problem.what());
    }
  }

  bool takes_parameter(const ConfigSetting& setting) {
    return options_.runner.settings.parameters.try_emplace(setting.member(), setting.texts.front()).second;
  }

  bool takes_output(const ConfigSetting& setting) {
    const Output output = parse_output(setting.member() + "=" + setting.texts.front(), true);
    std::vector<Output>& outputs = options_.reports.outputs;
    const bool is_journal = output.format->write == nullptr;
    if (is_journal && options_.reports.no_journal) return false;
    if (std::ranges::find(outputs, output.format, &Output::format) != outputs.end()) return false;
    outputs.push_back(output);
    return true;
  }

  bool takes_option(const ConfigSetting& setting) {
    CLI::Option* const option = option_of(setting);
    if (is_typed(option)) return false;
    // Whoever names cases wants those.
    if (setting.key->option == "--suite" && is_typed(command_.get_option("cases"))) return false;
    const std::set<CLI::Option*> others = option->get_excludes();
    if (std::ranges::any_of(others, [this](const CLI::Option* other) { return is_typed(other); })) return false;
    if (setting.key->type == Type::truth && setting.texts.front() == "false") return true;
    if (is_excluded(*option)) throw UsageError("this file also asks for the opposite; one of the two must go");
    option->add_result(setting.texts);
    if (!setting.texts.empty()) option->run_callback();
    return true;
  }

  void check_needs(const ConfigSetting& setting) const {
    if (setting.key->type == Type::parameters || setting.key->type == Type::outputs) return;
    const CLI::Option* const option = option_of(setting);
    if (option->count() == 0) return;
    for (const CLI::Option* needed : option->get_needs()) {
      if (needed->count() == 0) fail(setting, fmt::format("it means nothing without {}", needed->get_name()));
    }
  }

  [[nodiscard]] CLI::Option* option_of(const ConfigSetting& setting) const {
    return command_.get_option(std::string(setting.key->option));
  }

  const Config& config_;
  CLI::App& command_;
  RunOptions& options_;
  std::vector<const CLI::Option*> typed_;
};

}  // namespace

void add_config_options(CLI::App& command, ConfigChoice& choice) {
  CLI::Option* const none = command.add_flag("--no-config", choice.none, "Read no configuration file");
  command
      .add_option(
          "--config", choice.path,
          "Settings from this file (gpucheck help configuration); by default the one that GPUCHECK_CONFIG names, else "
          "the first gpucheck.toml from the working directory upward")
      ->type_name("FILE")
      ->excludes(none);
  command.add_option("--profile", choice.profile, "The settings of this profile of it before its others")
      ->type_name("NAME")
      ->excludes(none);
}

void apply_config(const Config& config, CLI::App& command, RunOptions& options) {
  Application(config, command, options).apply();
}

}  // namespace gpucheck::application
