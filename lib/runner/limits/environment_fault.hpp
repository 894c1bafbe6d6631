#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "harness/result/result.hpp"
#include "runner/limits/oom_watch.hpp"
#include "runner/process/child_process.hpp"

/// What ends or stops a case and is not a fault of a GPU: a limit of the machine, of a container, of a shell.
namespace gpucheck::runner {

struct EnvironmentFault {
  std::string_view failure;  ///< by its name in harness/failure_kinds.hpp
  std::string text;          ///< what happened, and to what limit
};

/// What a limit did to process `id`, of which `end` says; nothing where no limit is known to have ended it.
/// @param before read when it was well.
std::optional<EnvironmentFault> fault_of_end(const ProcessEnd& end, pid_t id, const OomReading& before,
                                             const OomWatch& watch);

/// What holds a process of a cgroup that stands still at its memory limit.
EnvironmentFault fault_of_standstill(const OomWatch& watch);

/// The limit that the words of an error, the last words of a process included, speak of.
std::optional<EnvironmentFault> fault_in_words(std::string_view words);

/// Says so in the result of a case, which is an error from then on.
void blame_environment(harness::CaseResult& result, const EnvironmentFault& fault);

}  // namespace gpucheck::runner
