#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "telemetry/network/network_files.hpp"

namespace gpucheck::telemetry {

inline const std::string adapters_folder = "/sys/class/infiniband";
inline const std::string interfaces_folder = "/sys/class/net";
inline const std::string bus_folder = "/sys/bus/pci/devices";

/// All of the text as a number; none of any other text.
template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

/// Looks up files by their paths.
class FileView {
 public:
  explicit FileView(const NetworkFiles& network) : network_(network) {}

  /// Null where there is no such file.
  [[nodiscard]] const FileState* find(const std::string& path) const {
    const auto found = network_.files.find(path);
    return found == network_.files.end() ? nullptr : &found->second;
  }
  /// Empty where there is none, or it cannot be read.
  [[nodiscard]] std::string text(const std::string& path) const {
    const FileState* const found = find(path);
    return found == nullptr || !found->problem.empty() ? "" : found->text;
  }
  /// The names of what lies directly in a folder, in the order of their texts.
  [[nodiscard]] std::vector<std::string> names_in(std::string folder) const {
    folder += '/';
    std::vector<std::string> names;
    for (auto file = network_.files.lower_bound(folder); file != network_.files.end(); ++file) {
      const std::string_view path = file->first;
      if (!path.starts_with(folder)) break;
      const std::string_view rest = path.substr(folder.size());
      const std::string_view name = rest.substr(0, rest.find('/'));
      if (!name.empty()) names.emplace_back(name);
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

 private:
  const NetworkFiles& network_;
};

}  // namespace gpucheck::telemetry
