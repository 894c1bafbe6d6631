#include "runner/process/process_table.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace gpucheck::runner {
namespace {

namespace fs = std::filesystem;

/// Empty when the process has ended, even between opening and reading: a stream's own
/// buffer would throw then, `getline` does not.
std::string read_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::optional<pid_t> process_number(std::string_view name) {
  pid_t id = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(id) : std::nullopt;
}

/// proc(5): "pid (name) state ppid pgrp …", where the name may hold anything.
std::optional<ProcessEntry> read_entry(pid_t id) {
  const std::string stat = read_line(fmt::format("/proc/{}/stat", id));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  ProcessEntry entry{.id = id};
  std::string state;
  std::istringstream fields(stat.substr(name_end + 1));
  return fields >> state >> entry.parent >> entry.group ? std::optional(entry) : std::nullopt;
}

/// Visits the folder's entries that are a number.
template <typename Action>
void for_each_number(const fs::path& folder, Action action) {
  std::error_code gone;
  for (fs::directory_iterator entry(folder, gone), end; !gone && entry != end; entry.increment(gone)) {
    if (const auto id = process_number(entry->path().filename().native())) action(*id);
  }
}

}  // namespace

std::vector<ProcessEntry> processes() {
  std::vector<ProcessEntry> found;
  for_each_number("/proc", [&found](pid_t id) {
    if (const auto entry = read_entry(id)) found.push_back(*entry);
  });
  return found;
}

std::chrono::milliseconds waited_for_processor(pid_t process) {
  std::chrono::nanoseconds max_waited{0};
  for_each_number(fmt::format("/proc/{}/task", process), [&](pid_t thread) {
    // "time on a processor, time waiting for one, time slices", the times in nanoseconds.
    std::istringstream fields(read_line(fmt::format("/proc/{}/task/{}/schedstat", process, thread)));
    std::chrono::nanoseconds::rep ran = 0, waited = 0;
    if (fields >> ran >> waited) max_waited = std::max(max_waited, std::chrono::nanoseconds(waited));
  });
  return std::chrono::duration_cast<std::chrono::milliseconds>(max_waited);
}

std::chrono::milliseconds group_waited_for_processor(pid_t group) {
  std::chrono::milliseconds waited{0};
  for (const ProcessEntry& process : processes()) {
    if (process.group == group) waited += waited_for_processor(process.id);
  }
  return waited;
}

}  // namespace gpucheck::runner
