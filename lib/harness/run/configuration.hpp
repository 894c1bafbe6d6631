#pragma once

#include <string>
#include <vector>

#include "harness/values/fields.hpp"

namespace gpucheck::harness {

/// A setting of a run that stands in its configuration file and nowhere before it.
struct ConfiguredSetting {
  std::string key;    ///< as the file has it, without its profile: "max_skips", "parameters.seconds"
  std::string value;  ///< as an option of the command line would say it
  int line = 0;       ///< where the file says so

  bool operator==(const ConfiguredSetting&) const = default;
};

template <>
inline constexpr auto fields_of<ConfiguredSetting> =
    std::tuple{Field{"key", &ConfiguredSetting::key}, Field{"value", &ConfiguredSetting::value},
               Field{"line", &ConfiguredSetting::line}};
static_assert(has_every_member<ConfiguredSetting>);

/// The configuration file of a run, and what it decided: a verdict must not depend on a file that nobody noticed.
struct Configuration {
  std::string path;                         ///< absolute
  std::string profile;                      ///< empty for none
  std::vector<ConfiguredSetting> settings;  ///< those in force, in the file's order of keys

  bool operator==(const Configuration&) const = default;
};

template <>
inline constexpr auto fields_of<Configuration> =
    std::tuple{Field{"path", &Configuration::path}, Field{"profile", &Configuration::profile},
               Field{"settings", &Configuration::settings}};
static_assert(has_every_member<Configuration>);

}  // namespace gpucheck::harness
