#pragma once

#include <optional>
#include <vector>

#include "device/sim/tests/oracle/trace.hpp"

namespace gpucheck::sim::oracle {

struct Run {
  Trace trace;
  std::vector<Conflict> reported;  ///< by the simulator, ascending
};

/// Runs a program on a simulated machine of its own, up to the first sticky error: a racy
/// program may touch memory that is not there. Nothing when it cannot be told whether the
/// operation that met the error was begun. @throws Error for a call that fails otherwise.
std::optional<Run> run(const Program& program);

}  // namespace gpucheck::sim::oracle
