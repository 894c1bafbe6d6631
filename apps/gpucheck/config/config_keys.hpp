#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What a configuration file can hold: the one table from which the reader, `gpucheck config show` and the schema
/// follow.
namespace gpucheck::application {

struct ConfigKey {
  enum class Type {
    text,          ///< as the option takes it; one of `choices` where there are some
    path,          ///< a file or a folder; one that is relative is relative to the configuration's folder
    whole_number,  ///< from `minimum` to `maximum`
    truth,         ///< a flag, which `false` leaves out
    texts,         ///< a list
    paths,         ///< a list of what `path` is
    parameters,    ///< a table: values by the parameters' names
    outputs        ///< a table: paths by the reports' formats
  };
  std::string_view name;
  std::string_view option;  ///< of `gpucheck run`
  Type type = Type::text;
  std::string_view summary;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::vector<std::string_view> choices = {};
};

/// In the order in which they are shown.
std::span<const ConfigKey> config_keys();

/// Null when there is none of that name.
const ConfigKey* find_config_key(std::string_view name);

/// gpucheck.config/1, the JSON Schema of a configuration file, with a newline at its end.
std::string config_schema();

}  // namespace gpucheck::application
