#include "runner/limits/environment_fault.hpp"

#include <array>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <utility>

#include "base/host_refusal.hpp"
#include "base/text/units.hpp"
#include "harness/result/failure_kinds.hpp"
#include "harness/result/outcome_text.hpp"

namespace gpucheck::runner {
namespace {

std::optional<rlim_t> limit_of(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

std::string bytes_or_none(std::optional<rlim_t> limit) { return limit ? format_bytes(*limit) : "none now"; }

/// Memory that processes share lies there; one that touches a page for which there is no room dies of SIGBUS.
bool is_shared_memory_full() {
  struct statvfs shared {};
  if (::statvfs("/dev/shm", &shared) != 0 || shared.f_blocks == 0) return false;
  constexpr unsigned long long too_little_bytes = std::uint64_t{1} << 20;
  return static_cast<unsigned long long>(shared.f_bavail) * shared.f_frsize < too_little_bytes;
}

std::optional<EnvironmentFault> fault_of_kill(pid_t id, const OomReading& before, const OomWatch& watch) {
  if (const std::optional<OomKill> kill = watch.why_killed(before, id)) {
    return EnvironmentFault{kill->by_limit ? "memory_limit" : "out_of_host_memory",
                            fmt::format("the kernel killed its process because {}", kill->text)};
  }
  return std::nullopt;
}

/// Words of strerror(3) and of the standard library, and what they mean for the machine.
struct Sign {
  std::string_view words;
  std::string_view failure;
};
constexpr std::array signs{
    Sign{"killed its process because the memory limit", "memory_limit"},
    Sign{"killed its process because the machine had no memory", "out_of_host_memory"},
    Sign{"std::bad_alloc", "host_memory_refused"},
    Sign{"Cannot allocate memory", "host_memory_refused"},
    Sign{"ulimit -v", "host_memory_refused"},
    Sign{"left to page-lock", "host_memory_refused"},
    Sign{"Resource temporarily unavailable", "process_limit"},
    Sign{"Too many open files", "open_file_limit"},
    Sign{"No space left on device", "no_space"},
    Sign{"Disk quota exceeded", "no_space"},
    Sign{"File too large", "file_size_limit"},
    Sign{"(SIGXFSZ)", "file_size_limit"},
    Sign{"(SIGXCPU)", "process_ended_by_system"},
    Sign{"(SIGSYS)", "process_ended_by_system"},
};

}  // namespace

std::optional<EnvironmentFault> fault_of_end(const ProcessEnd& end, pid_t id, const OomReading& before,
                                             const OomWatch& watch) {
  switch (end.signal.value_or(0)) {
    case SIGKILL:
      return fault_of_kill(id, before, watch);
    case SIGXFSZ:
      return EnvironmentFault{"file_size_limit",
                              fmt::format("a file reached the size that its process may write ({}; ulimit -f)",
                                          bytes_or_none(limit_of(RLIMIT_FSIZE)))};
    case SIGXCPU:
      return EnvironmentFault{"process_ended_by_system",
                              "its process reached the processor time that it may use (ulimit -t)"};
    case SIGSYS:
      return EnvironmentFault{"process_ended_by_system",
                              "its process made a system call that a filter (seccomp) forbids"};
    case SIGBUS:
      if (!is_shared_memory_full()) return std::nullopt;
      return EnvironmentFault{"no_space", "its process died of SIGBUS, and /dev/shm is full"};
    default:
      return std::nullopt;
  }
}

EnvironmentFault fault_of_standstill(const OomWatch& watch) {
  return {"memory_limit", fmt::format("its process stood still at the memory limit of its cgroup ({}), which is set "
                                      "not to kill",
                                      watch.limit_text())};
}

std::optional<EnvironmentFault> fault_in_words(std::string_view words) {
  for (const Sign& sign : signs) {
    if (words.find(sign.words) == words.npos) continue;
    // A thread that gets no addresses for its stack hears no more than that there is none.
    const bool lacks_addresses = sign.failure == "process_limit" && has_address_limit();
    return EnvironmentFault{lacks_addresses ? "host_memory_refused" : sign.failure, std::string(words)};
  }
  return std::nullopt;
}

void blame_environment(harness::CaseResult& result, const EnvironmentFault& fault) {
  const harness::FailureKind& kind = *harness::find_failure_kind(fault.failure);
  result.outcome = harness::Outcome::error;
  result.mismatches.push_back({.key = "environment",
                               .expected = "no limit of the machine in the way of the case",
                               .seen = fault.text,
                               .basis = "rule",
                               .failure = std::string(kind.code)});
}

}  // namespace gpucheck::runner
