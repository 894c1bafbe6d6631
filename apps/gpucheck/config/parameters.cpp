#include "config/parameters.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"

namespace gpucheck::application {

namespace {

constexpr std::string_view prefix = "parameters.";

bool has_parameter(const harness::Case& test_case, const std::string& name) {
  return std::ranges::find(test_case.parameters, name, &harness::Parameter::name) != test_case.parameters.end();
}

}  // namespace

RunOptions with_parameters_of(std::span<const harness::Case* const> selected, const harness::Registry& registry,
                              RunOptions options) {
  if (!options.runner.configuration) return options;
  harness::Configuration& configuration = *options.runner.configuration;
  std::erase_if(configuration.settings, [&](const harness::ConfiguredSetting& setting) {
    if (!setting.key.starts_with(prefix)) return false;
    const std::string name = setting.key.substr(prefix.size());
    const auto declares = [&name](const harness::Case& test_case) { return has_parameter(test_case, name); };
    if (!std::ranges::any_of(registry.cases(), declares)) {
      throw UsageError(
          fmt::format("{}:{}: no case has a parameter \"{}\"; gpucheck describe CASE shows those of a case",
                      configuration.path, setting.line, name));
    }
    if (std::ranges::any_of(selected, [&](const harness::Case* test_case) { return declares(*test_case); }))
      return false;
    options.runner.settings.parameters.erase(name);
    return true;
  });
  return options;
}

}  // namespace gpucheck::application
