#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace gpucheck::runner {

/// What the kernel counts of processes that it killed because memory ran out. Absent where it does not say.
struct OomReading {
  std::optional<std::int64_t> kills;                    ///< of processes of this one's cgroup, whatever ran out
  std::vector<std::optional<std::int64_t>> limits_hit;  ///< how often, of each cgroup from the own one upwards
  std::optional<std::int64_t> kills_on_machine;         ///< in whatever cgroup
  bool waits = false;  ///< processes of the cgroup stand still at its limit, as it is set not to kill (version 1)
};

/// Why a process was killed, when it was for want of memory.
struct OomKill {
  bool by_limit = false;  ///< of a cgroup; else the machine itself had no memory left
  std::string text;       ///< "the memory limit of its cgroup was reached (60.00 MiB, /sys/fs/cgroup/job)"
};

/// The counters of the cgroups that this process is in, of version 2 or 1, whichever manages memory. A limit may be
/// that of a cgroup further up; in a container the path of its own cgroup may be just "/". Reads only; any thread may.
class OomWatch {
 public:
  /// @param root stands before /proc, /sys and /dev, for tests.
  explicit OomWatch(std::string root = "");

  [[nodiscard]] OomReading read() const;
  /// What became of process `id`, which SIGKILL ended after `before` was read; nothing where no counter speaks of want
  /// of memory. Asks the kernel's log where there is no counter.
  [[nodiscard]] std::optional<OomKill> why_killed(const OomReading& before, pid_t id) const;
  /// The smallest limit there is, with its cgroup: "60.00 MiB, /sys/fs/cgroup/job"; empty for none.
  [[nodiscard]] std::string limit_text() const;

 private:
  [[nodiscard]] std::string text_of_limit(std::size_t place) const;
  [[nodiscard]] std::optional<std::uint64_t> limit_of(std::size_t place) const;
  [[nodiscard]] std::optional<OomKill> kill_in_log(pid_t id) const;

  std::string root_;
  bool is_version_2_ = false;
  std::vector<std::string> folders_;  ///< of the own cgroup and those above it, without `root_`
};

}  // namespace gpucheck::runner
