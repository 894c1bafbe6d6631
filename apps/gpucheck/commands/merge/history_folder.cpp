#include "commands/merge/history_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"
#include "fleet/nodes/fleet_history.hpp"

namespace gpucheck::application {
namespace {

/// With more, what is long past would decide about today, and reading it would take longer than the merge.
constexpr std::size_t most_records = 200;

/// By name, which begins with the time.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".history") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  if (files.size() > most_records) files.erase(files.begin(), files.end() - most_records);
  return files;
}

}  // namespace

HistoryFolder read_history(const std::string& folder) {
  HistoryFolder history;
  std::error_code problem;
  if (!std::filesystem::exists(folder, problem) && !problem) return history;
  std::vector<std::string> files;
  try {
    files = files_in(folder);
  } catch (const std::filesystem::filesystem_error& error) {
    history.problems.push_back({folder, fmt::format("the history cannot be read: {}", error.code().message())});
    return history;
  }
  for (const std::string& file : files) {
    try {
      history.records.push_back(fleet::parse_history_record(read_input_file(file, "history"), file));
    } catch (const Error& error) {
      history.problems.push_back({file, fmt::format("{}; remove the file to go on without it", error.what())});
    }
  }
  return history;
}

void write_history(const std::string& folder, const fleet::Fleet& fleet) {
  const fleet::HistoryRecord record = fleet::record_of(fleet);
  if (record.gpus.empty()) return;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) throw EnvironmentError(fmt::format("the history {} cannot be made: {}", folder, problem.message()));
  const std::string path = (std::filesystem::path(folder) / fleet::file_name_of(record)).string();
  OutputFile(path, "history").commit(fleet::to_text(record));
}

}  // namespace gpucheck::application
