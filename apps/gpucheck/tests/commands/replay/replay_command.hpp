#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/subprocess.hpp"
#include "tests/support/test_files.hpp"

namespace gpucheck::application {

/// A file of the recorded traces.
inline std::string recorded(const std::string& name) { return test_file("../../recorded/" + name); }

inline CommandResult replay(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "replay");
  return fixture(arguments);
}

inline nlohmann::json replay_json(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  return nlohmann::json::parse(replay(arguments).output);
}

/// A file with this text, replayed.
inline CommandResult replay_text(const std::string& text, std::vector<std::string> arguments = {}) {
  const TemporaryFolder folder;
  write_file(folder / "file", text);
  arguments.insert(arguments.begin(), folder / "file");
  return replay(arguments);
}

}  // namespace gpucheck::application
