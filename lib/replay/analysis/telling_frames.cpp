#include "replay/analysis/telling_frames.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <utility>

namespace gpucheck::replay {

namespace {

using Names = std::vector<std::string>;

/// The path's last part: the rest is the same for all files of a package.
std::string_view file_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

/// Else Python: its files may have any name, such as "train", "<stdin>" or "cell_3". Native code has no file that is
/// known ("??"), the library that it is in, or a file of its language.
bool is_native(const StackFrame& frame) {
  const std::string_view file = file_name(frame.filename);
  if (file.empty() || file == "??" || file.find(".so") != std::string_view::npos) return true;
  const std::size_t dot = file.find_last_of('.');
  const std::string_view extension = dot == std::string_view::npos ? "" : file.substr(dot);
  constexpr std::array<std::string_view, 10> native{".c", ".cc", ".cpp", ".cxx", ".cu",
                                                    ".h", ".hh", ".hpp", ".cuh", ".S"};
  return std::ranges::find(native, extension) != native.end();
}

bool is_unwinder(const StackFrame& frame) {
  return frame.name.starts_with("torch::unwind::") || frame.name.starts_with("torch::CapturedTraceback::");
}

/// PyTorch as it was installed: "forward (linear.py:134)" alone says little of a program.
bool is_of_torch(const StackFrame& frame) { return frame.filename.find("-packages/torch/") != std::string_view::npos; }

std::string name_of(const StackFrame& frame) {
  return fmt::format("{} ({}:{})", frame.name, file_name(frame.filename), frame.line);
}

/// Calls of one stack that are looked at: Python allows a thousand by default.
constexpr std::size_t most_calls = 2000;

/// The lines of Python, else all but the unwinder's own; innermost first.
std::vector<const StackFrame*> frames_to_tell(const StackTable& table, StackId stack) {
  std::vector<const StackFrame*> frames;
  const std::vector<std::uint32_t>& places = table.stacks[stack];
  for (std::size_t i = 0; i < std::min(places.size(), most_calls); ++i) frames.push_back(&table.frames[places[i]]);
  const auto native = [](const StackFrame* frame) { return is_native(*frame); };
  if (std::ranges::all_of(frames, native)) {
    std::erase_if(frames, [](const StackFrame* frame) { return is_unwinder(*frame); });
  } else {
    std::erase_if(frames, native);
  }
  return frames;
}

/// First the frame that says most of a stack, with what called it where it is PyTorch's own; then all other frames.
Names frames_of(const StackTable& table, StackId stack) {
  std::vector<const StackFrame*> frames = frames_to_tell(table, stack);
  if (frames.empty()) return {};
  Names names{name_of(*frames.front())};
  const auto caller = std::ranges::find_if_not(frames, [](const StackFrame* frame) { return is_of_torch(*frame); });
  if (caller != frames.begin() && caller != frames.end()) {
    names.front() += ", in " + name_of(**caller);
    frames.erase(caller);
  }
  frames.erase(frames.begin());
  for (const StackFrame* const frame : frames) names.push_back(name_of(*frame));
  return names;
}

/// Adds to the names of stacks the frames at which they part.
class Naming {
 public:
  Naming(const StackTable& table, const std::vector<StackId>& stacks) : names_(stacks.size()) {
    std::vector<std::size_t> all;
    for (const StackId stack : stacks) {
      all.push_back(frames_.size());
      frames_.push_back(frames_of(table, stack));
    }
    part_at(all, 0);
  }
  Names take() { return std::move(names_); }

 private:
  using Parts = std::map<std::string, std::vector<std::size_t>>;

  /// @param group stacks that are the same up to `depth`
  void tell_apart(const std::vector<std::size_t>& group, std::size_t depth) {
    const auto goes_on = [&](std::size_t i) { return depth < frames_[i].size(); };
    while (std::ranges::any_of(group, goes_on)) {
      if (parts_of(group, depth).size() > 1) return part_at(group, depth);
      ++depth;
    }
  }
  void part_at(const std::vector<std::size_t>& group, std::size_t depth) {
    for (const auto& [frame, part] : parts_of(group, depth)) {
      for (const std::size_t i : part) {
        if (!frame.empty()) names_[i] += (names_[i].empty() ? "" : ", in ") + frame;
      }
      tell_apart(part, depth + 1);
    }
  }
  [[nodiscard]] Parts parts_of(const std::vector<std::size_t>& group, std::size_t depth) const {
    Parts parts;
    for (const std::size_t i : group) parts[depth < frames_[i].size() ? frames_[i][depth] : ""].push_back(i);
    return parts;
  }

  std::vector<Names> frames_;
  Names names_;
};

}  // namespace

std::string telling_frame(const StackTable& table, StackId stack) {
  const Names frames = frames_of(table, stack);
  return frames.empty() ? "" : frames.front();
}

std::vector<std::string> telling_frames(const StackTable& table, const std::vector<StackId>& stacks) {
  return Naming(table, stacks).take();
}

}  // namespace gpucheck::replay
