#pragma once

#include "replay/analysis/compare.hpp"

namespace gpucheck::replay {

/// Compares the target's statistics and segments with what the trace says they are at
/// its end, and adds what differs to `result`.
void compare_final_state(const Trace& trace, ComparableTarget& target, Comparison& result);

}  // namespace gpucheck::replay
