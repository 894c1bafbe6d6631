#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpucheck::replay {

/// One line of a recorded stack, texts as they are in the file.
struct StackFrame {
  std::string name;
  std::string filename;
  std::int64_t line = 0;
  bool operator==(const StackFrame&) const = default;
};

using StackId = std::uint32_t;
inline constexpr StackId no_stack = 0;

/// All stacks of a snapshot, each different one and each different frame once.
struct StackTable {
  std::vector<StackFrame> frames;
  /// By StackId: places in `frames`, innermost call first. The first is the empty stack.
  std::vector<std::vector<std::uint32_t>> stacks{{}};
};

}  // namespace gpucheck::replay
