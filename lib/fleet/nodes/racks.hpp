#pragma once

#include <map>
#include <memory>
#include <string>

namespace re2 {
class RE2;
}

namespace gpucheck::fleet {

/// Which rack a node is in.
class Racks {
 public:
  /// Nobody says.
  Racks() = default;
  /// @param text a regular expression (RE2 syntax) with one group, which is the rack in a node's name: "(r[0-9]+)-.*";
  /// or "@FILE", whose lines are a rack's name, a space and a list of its nodes as `expand_host_list` takes it.
  /// @throws UsageError for what is neither; EnvironmentError when the file cannot be read.
  explicit Racks(const std::string& text);

  /// Empty where nobody says.
  [[nodiscard]] std::string of(const std::string& node) const;

 private:
  std::shared_ptr<const re2::RE2> pattern_;
  std::map<std::string, std::string> by_node_;
};

}  // namespace gpucheck::fleet
