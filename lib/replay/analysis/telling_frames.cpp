#include "replay/analysis/telling_frames.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <utility>

namespace gpucheck::replay {

namespace {

using Names = std::vector<std::string>;

bool is_python(const StackFrame& frame) { return frame.filename.ends_with(".py"); }

bool is_unwinder(const StackFrame& frame) {
  return frame.name.starts_with("torch::unwind::") || frame.name.starts_with("torch::CapturedTraceback::");
}

/// The path's last part: the rest is the same for all files of a package.
std::string_view file_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

/// The lines of Python, else all but the unwinder's own; innermost first.
Names frames_of(const StackTable& table, StackId stack) {
  const std::vector<std::uint32_t>& places = table.stacks[stack];
  const auto frame_at = [&table](std::uint32_t place) -> const StackFrame& { return table.frames[place]; };
  const bool has_python = std::ranges::any_of(places, is_python, frame_at);
  Names names;
  for (const std::uint32_t place : places) {
    const StackFrame& frame = frame_at(place);
    if (has_python ? !is_python(frame) : is_unwinder(frame)) continue;
    names.push_back(fmt::format("{} ({}:{})", frame.name, file_name(frame.filename), frame.line));
  }
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
