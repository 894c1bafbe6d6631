#include "config/config_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/files/input_file.hpp"

namespace gpucheck::application {

namespace {

namespace fs = std::filesystem;
using namespace literals;

constexpr std::uint64_t max_config_bytes = 1_MiB;
constexpr const char* config_file_name = "gpucheck.toml";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// From the working directory upward, not beyond the user's home; empty where there is none.
std::string found_upward() {
  std::error_code problem;
  fs::path folder = fs::current_path(problem);
  const fs::path home = variable("HOME");
  while (!problem && !folder.empty()) {
    struct stat status {};
    const fs::path file = folder / config_file_name;
    if (::lstat(file.c_str(), &status) == 0) return file;
    if (folder == home || folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return {};
}

/// Whoever can write the file decides what is checked, and what code is loaded.
void check_owner(const struct stat& status, const std::string& path) {
  const char* const problem = status.st_uid != ::geteuid() && status.st_uid != 0 ? "belongs to another user"
                              : (status.st_mode & S_IWOTH) != 0                  ? "can be written by everybody"
                                                                                 : nullptr;
  if (problem == nullptr) return;
  throw UsageError(
      fmt::format("{} was found upward of the working directory and {}, so it is not read: name it with --config where "
                  "it is meant, or say --no-config",
                  path, problem));
}

std::string read_config(const std::string& path, bool is_named) {
  const InputFile file(path);
  struct stat status {};
  if (!file.is_open() || ::fstat(file.descriptor(), &status) != 0) {
    throw UsageError(fmt::format("cannot read the configuration {}: {}", path, std::strerror(errno)));
  }
  if (!S_ISREG(status.st_mode)) throw UsageError(fmt::format("the configuration {} is not a regular file", path));
  if (!is_named) check_owner(status, path);
  try {
    return read_to_end(file, path, "configuration", max_config_bytes);
  } catch (const EnvironmentError& problem) {
    throw UsageError(problem.what());
  }
}

}  // namespace

std::optional<ConfigFile> find_config(const ConfigChoice& choice) {
  if (choice.none) return std::nullopt;
  std::string path = choice.path.empty() ? variable("GPUCHECK_CONFIG") : choice.path;
  const bool is_named = !path.empty();
  if (!is_named) path = found_upward();
  if (path.empty()) return std::nullopt;
  std::error_code problem;
  if (const fs::path absolute = fs::absolute(path, problem); !problem) path = absolute.lexically_normal();
  return ConfigFile{.path = path, .text = read_config(path, is_named)};
}

}  // namespace gpucheck::application
