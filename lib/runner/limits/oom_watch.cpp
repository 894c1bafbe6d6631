#include "runner/limits/oom_watch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "base/text/units.hpp"

namespace gpucheck::runner {
namespace {

/// Where memory is managed, and as what this process is known there.
struct Place {
  bool is_version_2 = false;
  std::string path;  ///< of the cgroup: "/docker/1f2e"
};

struct Mount {
  std::string root;  ///< which cgroup the mount shows at its top
  std::string point;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// cgroups(7): a line is "ID:CONTROLLERS:PATH". Version 1 has memory where a line names it; "0::" is version 2.
std::optional<Place> place_in(const std::string& text) {
  std::optional<Place> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers.find(",memory,") != std::string::npos) return Place{false, line.substr(second + 1)};
    if (line.starts_with("0::")) found = Place{true, line.substr(second + 1)};
  }
  return found;
}

/// proc(5): a space in a path of mountinfo is \040, a backslash \134.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    const char* const digits = text.data() + i + 1;
    const bool is_escape =
        text[i] == '\\' && i + 3 < text.size() && std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3;
    plain += is_escape ? static_cast<char>(code) : text[i];
    if (is_escape) i += 3;
  }
  return plain;
}

/// proc(5): "ID PARENT DEVICE ROOT POINT OPTIONS [TAGS...] - TYPE SOURCE SUPER-OPTIONS".
std::optional<Mount> mount_in(const std::string& text, bool is_version_2) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t dash = line.find(" - ");
    const std::vector<std::string> head = words_of(line.substr(0, dash));
    const std::vector<std::string> tail = dash == std::string::npos ? head : words_of(line.substr(dash + 3));
    if (head.size() < 5 || tail.size() < 3) continue;
    const std::string options = "," + tail[2] + ",";
    const bool is_it =
        is_version_2 ? tail[0] == "cgroup2" : tail[0] == "cgroup" && options.find(",memory,") != std::string::npos;
    if (is_it) return Mount{unescaped(head[3]), unescaped(head[4])};
  }
  return std::nullopt;
}

/// The path below the mount's point; empty for its top, also where the mount shows nothing of the cgroup.
std::string below(const Mount& mount, const std::string& path) {
  if (path.find("/..") != std::string::npos) return "";
  if (mount.root == "/") return path == "/" ? "" : path;
  if (path.starts_with(mount.root + "/")) return path.substr(mount.root.size());
  return "";
}

/// The number behind `name` in a file of lines "NAME NUMBER"; without a name, the file's own.
std::optional<std::int64_t> number_in(const std::string& path, std::string_view name = "") {
  const std::vector<std::string> words = words_of(text_of(path));
  auto word = words.begin();
  if (!name.empty()) {
    word = std::ranges::find(words, name);
    if (word != words.end()) ++word;
  }
  if (word == words.end()) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(word->data(), word->data() + word->size(), number);
  return problem == std::errc{} && end == word->data() + word->size() ? std::optional(number) : std::nullopt;
}

bool grew(std::optional<std::int64_t> before, std::optional<std::int64_t> now) {
  return before && now && *now > *before;
}

OomKill kill_by_limit(const std::string& limit) {
  const std::string which = limit.empty() ? "" : fmt::format(" ({})", limit);
  return {.by_limit = true, .text = fmt::format("the memory limit of its cgroup was reached{}", which)};
}

OomKill kill_by_machine() { return {.by_limit = false, .text = "the machine had no memory left"}; }

}  // namespace

OomWatch::OomWatch(std::string root) : root_(std::move(root)) {
  const std::optional<Place> place = place_in(text_of(root_ + "/proc/self/cgroup"));
  if (!place) return;
  is_version_2_ = place->is_version_2;
  const std::optional<Mount> mount = mount_in(text_of(root_ + "/proc/self/mountinfo"), is_version_2_);
  if (!mount) return;
  const char* const counter = is_version_2_ ? "memory.events" : "memory.oom_control";
  std::string folder = below(*mount, place->path);
  while (true) {
    // A cgroup that does not manage memory itself is counted with the one above it.
    const std::string whole = mount->point + folder;
    std::error_code ignored;
    if (std::filesystem::exists(root_ + whole + "/" + counter, ignored)) folders_.push_back(whole);
    if (folder.empty()) return;
    folder.erase(folder.rfind('/'));
  }
}

OomReading OomWatch::read() const {
  OomReading reading;
  reading.kills_on_machine = number_in(root_ + "/proc/vmstat", "oom_kill");
  if (folders_.empty()) return reading;
  const std::string own = root_ + folders_.front();
  if (is_version_2_) {
    // The kernel counts a kill with the killed process's own cgroup, whoever's limit it was.
    reading.kills = number_in(own + "/memory.events", "oom_kill");
    for (const std::string& folder : folders_) {
      // ".local" counts what its own limit did; kernels before 5.2 have only the sum of all below.
      const auto local = number_in(root_ + folder + "/memory.events.local", "oom");
      reading.limits_hit.push_back(local ? local : number_in(root_ + folder + "/memory.events", "oom"));
    }
    return reading;
  }
  reading.kills = number_in(own + "/memory.oom_control", "oom_kill");  // since Linux 4.13
  reading.waits = number_in(own + "/memory.oom_control", "under_oom").value_or(0) != 0;
  for (const std::string& folder : folders_)
    reading.limits_hit.push_back(number_in(root_ + folder + "/memory.failcnt"));
  return reading;
}

std::optional<std::uint64_t> OomWatch::limit_of(std::size_t place) const {
  const std::string file = is_version_2_ ? "/memory.max" : "/memory.limit_in_bytes";
  const std::optional<std::int64_t> limit = number_in(root_ + folders_[place] + file);  // "max" is not a number
  // Version 1 writes "no limit" as the largest multiple of a page.
  constexpr std::int64_t no_limit = std::int64_t{1} << 62;
  return limit && *limit >= 0 && *limit < no_limit ? std::optional(static_cast<std::uint64_t>(*limit)) : std::nullopt;
}

std::string OomWatch::text_of_limit(std::size_t place) const {
  const std::optional<std::uint64_t> limit = limit_of(place);
  return limit ? fmt::format("{}, {}", format_bytes(*limit), folders_[place]) : folders_[place];
}

std::string OomWatch::limit_text() const {
  std::optional<std::size_t> smallest;
  for (std::size_t place = 0; place < folders_.size(); ++place) {
    const std::optional<std::uint64_t> limit = limit_of(place);
    if (limit && (!smallest || *limit < *limit_of(*smallest))) smallest = place;
  }
  return smallest ? text_of_limit(*smallest) : "";
}

std::optional<OomKill> OomWatch::why_killed(const OomReading& before, pid_t id) const {
  const OomReading now = read();
  std::optional<std::size_t> hit;
  for (std::size_t place = 0; place < std::min(now.limits_hit.size(), before.limits_hit.size()) && !hit; ++place) {
    if (grew(before.limits_hit[place], now.limits_hit[place])) hit = place;
  }
  const bool was_counted = before.kills.has_value() && now.kills.has_value();
  // Where kills of the cgroup are counted, that count decides; else what is known of limits and of the machine.
  if (was_counted ? grew(before.kills, now.kills) : hit.has_value()) {
    return hit ? kill_by_limit(text_of_limit(*hit)) : kill_by_machine();
  }
  if (was_counted) return std::nullopt;
  if (grew(before.kills_on_machine, now.kills_on_machine)) return kill_by_machine();
  return kill_in_log(id);
}

/// Each read(2) of /dev/kmsg gives one record. A process is known there by its number outside of containers.
std::optional<OomKill> OomWatch::kill_in_log(pid_t id) const {
  const int log = ::open((root_ + "/dev/kmsg").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (log < 0) return std::nullopt;
  // "Out of memory: Killed process 4711 (name) ..." and "Memory cgroup out of memory: Killed process ..."; before
  // Linux 5.0 "Kill process" (mm/oom_kill.c).
  const std::array<std::string, 2> words{fmt::format("Killed process {} (", id), fmt::format("Kill process {} (", id)};
  std::optional<OomKill> found;
  std::array<char, 8192> record;
  while (!found) {
    const ssize_t count = ::read(log, record.data(), record.size());
    if (count == 0 || (count < 0 && errno != EPIPE && errno != EINTR)) break;  // EPIPE: older ones are overwritten
    const std::string_view text(record.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (std::ranges::none_of(words, [&](const std::string& word) { return text.find(word) != text.npos; })) continue;
    found = text.find("cgroup out of memory") != text.npos ? kill_by_limit(limit_text()) : kill_by_machine();
  }
  ::close(log);
  return found;
}

}  // namespace gpucheck::runner
