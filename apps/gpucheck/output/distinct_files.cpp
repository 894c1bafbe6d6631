#include "output/distinct_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/files/file_identity.hpp"

namespace gpucheck::application {

namespace {

namespace fs = std::filesystem;

/// Where a file is or will be, whatever links lead to it.
fs::path place_of(const std::string& path) {
  std::error_code problem;
  fs::path place = fs::weakly_canonical(fs::absolute(end_of_links(path), problem), problem);
  if (!place.has_filename()) place = place.parent_path();
  return place;
}

bool is_one(const NamedFile& a, const NamedFile& b) {
  return !a.path.empty() && !b.path.empty() && is_same_file(a.path, b.path);
}

}  // namespace

void check_distinct(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& output = outputs[i];
    for (const NamedFile& other : outputs.first(i)) {
      if (!is_one(other, output)) continue;
      // --json and --output json=FILE have one name.
      const std::string who = other.name == output.name ? fmt::format("{} twice names", output.name)
                                                        : fmt::format("{} and {} both name", other.name, output.name);
      throw UsageError(fmt::format("{} one file (\"{}\" and \"{}\"): give each its own", who, other.path, output.path));
    }
    for (const NamedFile& input : inputs) {
      if (!is_one(input, output)) continue;
      throw UsageError(
          fmt::format("{} \"{}\" would replace {}: give it another name", output.name, output.path, input.name));
    }
  }
}

void check_outside(std::span<const NamedFile> outputs, const NamedFile& folder) {
  if (folder.path.empty()) return;
  for (const NamedFile& output : outputs) {
    const fs::path file = place_of(output.path);
    std::error_code problem;
    if (output.path.empty() || file.extension() != ".json" || !fs::exists(file, problem)) continue;
    const fs::path inside = file.lexically_relative(place_of(folder.path));
    if (inside.empty() || *inside.begin() == "..") continue;
    throw UsageError(fmt::format("{} \"{}\" would replace one of {} in {}: give it another name", output.name,
                                 output.path, folder.name, folder.path));
  }
}

void check_no_trace(std::span<const NamedFile> files, const std::string& trace_folder,
                    std::span<const std::string_view> cases) {
  if (trace_folder.empty()) return;
  const fs::path folder = place_of(trace_folder);
  for (const NamedFile& file : files) {
    const fs::path place = place_of(file.path);
    if (file.path.empty() || place.parent_path() != folder || place.extension() != ".json") continue;
    const std::string name = place.filename().string();
    const auto is_of = [&name](std::string_view test_case) { return name.starts_with(std::string(test_case) + "."); };
    if (std::ranges::none_of(cases, is_of)) continue;
    throw UsageError(fmt::format("a trace in {} would replace {} (\"{}\"): choose another folder for the traces",
                                 trace_folder, file.name, file.path));
  }
}

}  // namespace gpucheck::application
