#pragma once

#include <string>
#include <vector>

#include "replay/formats/snapshot/stacks.hpp"

namespace gpucheck::replay {

/// The frame of a stack that says most to a person: the innermost line of Python, else the
/// innermost that is not the unwinder's own; and where that is PyTorch's, the innermost that
/// is not. "loss (model.py:12)", "linear (functional.py:2134), in forward (model.py:8)";
/// empty for no stack.
std::string telling_frame(const StackTable& table, StackId stack);

/// The frames of several stacks, in their order. Those whose frames would be the same are told apart by
/// the callers at which they part: "linear (functional.py:2134), in forward (model.py:12)".
std::vector<std::string> telling_frames(const StackTable& table, const std::vector<StackId>& stacks);

}  // namespace gpucheck::replay
