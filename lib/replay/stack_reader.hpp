#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "replay/cursor.hpp"
#include "replay/stacks.hpp"

namespace gpucheck::replay {

/// Gathers a file's stacks. Events share stacks and stacks share frames: in a pickle they
/// are the same values, looked at once; in JSON they are equal texts.
class StackReader {
 public:
  explicit StackReader(StackTable& table) : table_(table) {}

  /// @throws FileError where `list` is not a list of frames.
  StackId read(const Cursor& list);

 private:
  using Numbers = std::unordered_map<std::string, std::uint32_t>;
  std::uint32_t read_frame(const Cursor& frame);

  StackTable& table_;
  std::unordered_map<std::uint64_t, std::uint32_t> stacks_seen_;  ///< by the value's identity
  std::unordered_map<std::uint64_t, std::uint32_t> frames_seen_;
  Numbers stack_numbers_{{std::string(), no_stack}};  ///< by content
  Numbers frame_numbers_;
};

/// Whether a function of the stack, or of a frame, is PyTorch's empty_cache. As above,
/// each value is looked at once.
class StackSearch {
 public:
  bool through_empty_cache(const Cursor& stack);

 private:
  bool frame_names_empty_cache(const Cursor& frame);
  bool remember(const Cursor& container, const std::function<bool()>& search);

  std::unordered_map<std::uint64_t, bool> answers_;
};

}  // namespace gpucheck::replay
