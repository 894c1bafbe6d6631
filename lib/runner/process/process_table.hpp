#pragma once

#include <chrono>
#include <sys/types.h>
#include <vector>

/// What /proc reports of processes. What ends meanwhile is left out.
namespace gpucheck::runner {

struct ProcessEntry {
  pid_t id = 0;
  pid_t parent = 0;
  pid_t group = 0;
};

/// All that are visible; some 10 us for each.
std::vector<ProcessEntry> processes();

/// How long the process has waited for a processor while it could have run: of its threads
/// the one that waited most. 0 where the kernel does not say (CONFIG_SCHED_INFO).
std::chrono::milliseconds waited_for_processor(pid_t process);

/// The same of all the processes of a group, added up: one mostly waits for the other.
std::chrono::milliseconds group_waited_for_processor(pid_t group);

}  // namespace gpucheck::runner
