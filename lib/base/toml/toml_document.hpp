#pragma once

#include <string>
#include <string_view>
#include <vector>

/// TOML as plain values with their places; nothing else knows the parser.
namespace gpucheck {

struct TomlValue {
  enum class Kind { text, whole_number, number, truth, list, table, time };
  std::string key;  ///< of a member of a table
  Kind kind = Kind::table;
  std::string text;                 ///< a scalar as an option of the command line would have it
  std::vector<TomlValue> elements;  ///< of a list, or a table's members in the order of their lines
  int line = 0;
  int column = 0;
};

/// "text", "a whole number", ...
std::string_view kind_text(TomlValue::Kind kind) noexcept;

/// The outermost table. What lies deeper than any setting does is left out.
/// @throws UsageError "PATH:LINE:COLUMN: ..." for a text that is not TOML, or nested so deeply that it is an attack.
TomlValue parse_toml(std::string_view text, const std::string& path);

}  // namespace gpucheck
