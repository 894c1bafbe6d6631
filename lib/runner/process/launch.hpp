#pragma once

#include <sys/types.h>

#include "runner/process/child_process.hpp"

namespace gpucheck::runner {

/// Starts `command` as a process that writes to the pipes `output` and `error_output`. Thread-safe: whatever lock
/// another thread holds meanwhile (an allocator's, say), the new process needs none before it has become the program.
/// @throws boost::system::system_error with the reason for which the process or the program cannot be started.
pid_t launch(const Command& command, int output, int error_output);

}  // namespace gpucheck::runner
