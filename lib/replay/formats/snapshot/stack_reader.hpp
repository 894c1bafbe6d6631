#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "observe/snapshot/snapshot_keys.hpp"
#include "replay/formats/snapshot/stacks.hpp"

namespace gpucheck::replay {

/// A number that is shown and decides nothing, without its fraction: a time, a line. One that is null, not finite
/// (tables that were turned into JSON have these for what is not known) or beyond 64 bits is 0.
template <typename AnyCursor>
std::int64_t shown_number(const AnyCursor& value) {
  if (value.is_whole()) return value.as_wrapped();
  if (value.is_null()) return 0;
  const double number = value.as_double();
  return std::abs(number) < 0x1p63 ? static_cast<std::int64_t>(number) : 0;
}

/// Gathers a file's stacks. Events share stacks and stacks share frames: in a pickle they
/// are the same values, in JSON the same texts. Each is looked at once, as far as that is
/// noticed, and each content is kept once.
class StackReader {
 public:
  explicit StackReader(StackTable& table) : table_(table) {}

  /// @throws FileError where `list` is not a list of frames.
  template <typename AnyCursor>
  StackId read(const AnyCursor& list) {
    if (!list.is_list()) list.fail("expected a stack as a list of frames");
    const auto [known, is_new] = stacks_seen_.try_emplace(list.identity());
    if (is_new) {
      std::vector<std::uint32_t> frames;
      list.for_each_item([&](const AnyCursor& frame) { frames.push_back(read_frame(frame)); });
      known->second = number_of(std::move(frames));
    }
    return known->second;
  }

 private:
  template <typename AnyCursor>
  std::uint32_t read_frame(const AnyCursor& frame) {
    if (!frame.is_dictionary()) frame.fail("expected a frame as a dictionary");
    const auto [known, is_new] = frames_seen_.try_emplace(frame.identity());
    if (is_new) {
      StackFrame content{table_.texts.add(""), table_.texts.add(""), 0};
      frame.for_each_field([&](std::string_view key, const AnyCursor& value) {
        if (key == observe::snapshot_keys::name) content.name = table_.texts.add(value.as_string());
        if (key == observe::snapshot_keys::filename) content.filename = table_.texts.add(value.as_string());
        if (key == observe::snapshot_keys::line) content.line = shown_number(value);
      });
      known->second = number_of(content);
    }
    return known->second;
  }
  std::uint32_t number_of(const StackFrame& frame);
  StackId number_of(std::vector<std::uint32_t> frames);

  using Numbers = std::unordered_map<std::string, std::uint32_t>;
  StackTable& table_;
  std::unordered_map<std::uint64_t, std::uint32_t> stacks_seen_;  ///< by the value's identity
  std::unordered_map<std::uint64_t, std::uint32_t> frames_seen_;
  Numbers stack_numbers_{{std::string(), no_stack}};  ///< by content
  using FrameKey = std::tuple<const char*, const char*, std::int64_t>;
  std::map<FrameKey, std::uint32_t> frame_numbers_;
};

bool names_empty_cache(std::string_view function);

/// Whether a function of the stack, or of a frame, is PyTorch's empty_cache. As above,
/// each value is looked at once.
class StackSearch {
 public:
  template <typename AnyCursor>
  bool through_empty_cache(const AnyCursor& stack) {
    const auto [known, is_new] = answers_.try_emplace(stack.identity());
    if (is_new) {
      bool found = false;
      stack.for_each_item([&](const AnyCursor& frame) { found = frame_names_empty_cache(frame) || found; });
      answers_[stack.identity()] = found;
      return found;
    }
    return known->second;
  }

 private:
  template <typename AnyCursor>
  bool frame_names_empty_cache(const AnyCursor& frame) {
    const auto known = answers_.find(frame.identity());
    if (known != answers_.end()) return known->second;
    bool found = false;
    frame.for_each_field([&](std::string_view key, const AnyCursor& value) {
      found = found || (key == observe::snapshot_keys::name && names_empty_cache(value.as_string()));
    });
    return answers_[frame.identity()] = found;
  }

  std::unordered_map<std::uint64_t, bool> answers_;
};

}  // namespace gpucheck::replay
