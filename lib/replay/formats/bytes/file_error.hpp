#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace gpucheck::replay {

/// A trace or snapshot file cannot be read: it is missing, damaged, cut short, too
/// large or not what it should be. The text reads
/// "<file>: byte <offset> (<path>): <problem>".
class FileError : public EnvironmentError {
 public:
  FileError(std::string file, std::uint64_t offset, std::string path, std::string_view problem);

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  /// Where in the file, bytes from its start: the value at fault.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// The way to the value, for example "$.device_traces[0][12].size"; empty when the
  /// file is not even well-formed.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string file_;
  std::uint64_t offset_;
  std::string path_;
};

/// One step of the way to a value: into a list or into a dictionary.
struct PathStep {
  std::string_view key;
  std::uint64_t index = 0;
  bool is_in_list = false;
};
/// "$.device_traces[0][12].size"; `way` begins with the last step.
std::string path_text(std::span<const PathStep> way);

/// Text from a file, safe to print: in quotes, ASCII only, at most 60 characters.
std::string printable(std::string_view text);

}  // namespace gpucheck::replay
