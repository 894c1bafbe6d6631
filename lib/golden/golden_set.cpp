#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include "base/input_file.hpp"
#include "golden/golden.hpp"
#include "golden/syntax.hpp"
#include "harness/case/case_name.hpp"

namespace gpucheck::golden {
namespace {

namespace fs = std::filesystem;

/// A file under another case's name would judge the wrong case, or none.
Golden parse_at(std::string_view text, std::string origin, std::string_view path) {
  Golden golden = Golden::parse(text, std::move(origin));
  const std::string expected = golden_path(golden.case_name());
  if (path != expected) {
    malformed(golden.origin(), "/case",
              fmt::format("the golden file of {} must be called {}", golden.case_name(), expected));
  }
  return golden;
}

std::vector<fs::path> json_files_below(const std::string& directory) {
  std::vector<fs::path> paths;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
      if (entry.path().extension() == ".json" && entry.is_regular_file()) paths.push_back(entry.path());
    }
  } catch (const fs::filesystem_error& problem) {
    throw EnvironmentError(
        fmt::format("cannot read the golden directory {}: {}; give one with files <group>/<case>.json", directory,
                    problem.code().message()));
  }
  std::sort(paths.begin(), paths.end());  // so that of two broken files always the same one is named
  return paths;
}

}  // namespace

std::string golden_path(std::string_view case_name) { return harness::case_path(case_name) + ".json"; }

void GoldenSet::add(std::string_view text, std::string origin, std::string_view path) {
  if (path == "limits.json") {
    limits_ = Limits::parse(text, std::move(origin));
    return;
  }
  const Golden golden = parse_at(text, std::move(origin), path);
  goldens_.emplace(golden.case_name(), golden);
}

GoldenSet GoldenSet::from_embedded(std::span<const File> files) {
  GoldenSet set;
  for (const File& file : files) set.add(file.text, fmt::format("embedded golden/{}", file.path), file.path);
  return set;
}

GoldenSet GoldenSet::from_directory(const std::string& directory) {
  GoldenSet set;
  for (const fs::path& path : json_files_below(directory)) {
    set.add(read_input_file(path.string(), "golden file"), path.string(),
            path.lexically_relative(directory).generic_string());
  }
  return set;
}

const Golden* GoldenSet::find(std::string_view case_name) const noexcept {
  const auto found = goldens_.find(case_name);
  return found == goldens_.end() ? nullptr : &found->second;
}

std::vector<std::string> GoldenSet::limited_values() const {
  std::vector<std::string> names;
  for (const auto& [_, golden] : goldens_) {
    const std::vector<std::string> more = golden.limited_values();
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

std::vector<std::string> GoldenSet::case_names() const {
  std::vector<std::string> names;
  for (const auto& [name, golden] : goldens_) names.push_back(name);
  return names;
}

}  // namespace gpucheck::golden
