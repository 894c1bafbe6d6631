#pragma once

#include <string>
#include <vector>

namespace gpucheck::application {

/// What a finished process left behind.
struct CommandResult {
  int exit_code = -1;  ///< -1 when a signal ended it
  std::string output;
  std::string error_output;
};

/// Runs a program to its end. `environment` holds "NAME=value" to set on top of what
/// this process has. A failure to start shows as exit code 127.
CommandResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment = {});

/// The gpucheck command with the fixture's cases.
CommandResult fixture(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});

/// The real gpucheck command.
CommandResult gpucheck(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});

/// A script in bash, with the fixture's program as $0.
CommandResult shell(const std::string& script);

/// A new empty folder, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  /// Path of something in it.
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// Empty when there is no such file.
std::string read_file(const std::string& path);
/// Makes the folders on the way.
void write_file(const std::string& path, const std::string& text);

}  // namespace gpucheck::application
