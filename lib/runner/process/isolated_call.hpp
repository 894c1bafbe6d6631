#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "runner/process/child_process.hpp"

namespace gpucheck::runner {

/// How a call in a process of its own ended.
struct IsolatedCall {
  std::optional<int> returned;  ///< absent when the process ended first, or was killed
  bool timed_out = false;       ///< killed at its limit
  ProcessEnd process;           ///< unless it returned
};

/// Calls `work` in a copy of this process: it may crash, hang, end its process or start
/// others, and this one goes on. What it started is killed with it. It writes to the same
/// standard streams.
/// @pre no other thread runs, and nothing buffered is to be written twice.
/// @throws UsageError or EnvironmentError with the text of what `work` threw, and when the
/// process cannot be started.
IsolatedCall call_isolated(const std::function<int()>& work, std::chrono::milliseconds limit);

}  // namespace gpucheck::runner
