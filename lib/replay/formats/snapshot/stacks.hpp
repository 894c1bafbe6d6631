#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace gpucheck::replay {

/// One line of a recorded stack, texts as they are in the file; of a longer one than `FrameTexts` keeps its beginning.
struct StackFrame {
  std::string_view name;
  std::string_view filename;
  std::int64_t line = 0;
  bool operator==(const StackFrame&) const = default;
};

/// The texts of frames, each different one once: a file names its own again and again. Copies share them.
class FrameTexts {
 public:
  /// So much is kept of a text; names of C++ functions with many templates have some thousand bytes.
  static constexpr std::size_t longest = 4096;

  /// The text as it is kept: good as long as this or a copy lives.
  std::string_view add(std::string_view text);

 private:
  struct Store {
    std::deque<std::string> texts;
    std::unordered_set<std::string_view> known;
  };
  std::shared_ptr<Store> store_ = std::make_shared<Store>();
};

using StackId = std::uint32_t;
inline constexpr StackId no_stack = 0;

/// All stacks of a snapshot, each different one and each different frame once.
struct StackTable {
  std::vector<StackFrame> frames;
  /// By StackId: places in `frames`, innermost call first. The first is the empty stack.
  std::vector<std::vector<std::uint32_t>> stacks{{}};
  FrameTexts texts{};  ///< what `frames` refer to
};

}  // namespace gpucheck::replay
