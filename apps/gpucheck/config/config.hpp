#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config_file.hpp"
#include "config/config_keys.hpp"

namespace gpucheck::application {

struct ConfigSetting {
  const ConfigKey* key = nullptr;
  std::string name;                ///< "max_skips"; of a table's member, "parameters.seconds"
  std::vector<std::string> texts;  ///< for the option; more than one of a list alone; paths are absolute
  int line = 0;
  bool from_profile = false;

  /// What a member of a table is called there: "seconds"; empty for what stands in no such table.
  [[nodiscard]] std::string member() const;
  /// All texts in one, for people.
  [[nodiscard]] std::string value() const;
};

/// What a configuration file says, one profile of it chosen.
struct Config {
  std::string path;
  std::string profile;                  ///< empty for none
  std::vector<std::string> profiles;    ///< all that there are
  std::vector<ConfigSetting> settings;  ///< each once: what the profile says, else what stands above the profiles
};

/// Reads all of it, profiles that are not chosen included. @throws UsageError that names the place of what is wrong,
/// or the profiles there are.
Config read_config(const ConfigFile& file, const std::string& profile);

/// The configuration that a command line chooses. @throws UsageError, also for a profile without a file.
std::optional<Config> load_config(const ConfigChoice& choice);

}  // namespace gpucheck::application
