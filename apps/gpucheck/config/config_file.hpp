#pragma once

#include <optional>
#include <string>

/// Which configuration file a run reads, and its text.
namespace gpucheck::application {

/// What the command line says of it.
struct ConfigChoice {
  std::string path;     ///< empty: what GPUCHECK_CONFIG names, else the first gpucheck.toml upward
  std::string profile;  ///< empty for none
  bool none = false;
};

struct ConfigFile {
  std::string path;  ///< absolute
  std::string text;
};

/// Nothing where none is to be read, or there is none. A file that is found, and not named, must be one that only the
/// user or root can have written. @throws UsageError for one that cannot be taken.
std::optional<ConfigFile> find_config(const ConfigChoice& choice);

}  // namespace gpucheck::application
