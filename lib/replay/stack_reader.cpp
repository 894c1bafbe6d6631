#include "replay/stack_reader.hpp"

#include <string_view>

namespace gpucheck::replay {

namespace {

bool names_empty_cache(std::string_view function) {
  return function.find("empty_cache") != std::string_view::npos ||
         function.find("emptyCache") != std::string_view::npos;
}

/// Frames of one content have one key, and no two contents have the same.
std::string key_of(const StackFrame& frame) {
  return std::to_string(frame.name.size()) + ' ' + std::to_string(frame.line) + ' ' + frame.name + frame.filename;
}

void append(std::string& key, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) key += static_cast<char>(number >> shift & 0xffU);
}

StackFrame frame_from(const Cursor& entry) {
  StackFrame frame;
  entry.for_each_field([&](std::string_view key, const Cursor& value) {
    if (key == "name") frame.name = value.as_text();
    if (key == "filename") frame.filename = value.as_text();
    if (key == "line") frame.line = value.as_signed();
  });
  return frame;
}

}  // namespace

StackId StackReader::read(const Cursor& list) {
  if (!list.is_list()) list.fail("expected a stack as a list of frames");
  const auto known = stacks_seen_.find(list.identity());
  if (known != stacks_seen_.end()) return known->second;
  std::vector<std::uint32_t> frames;
  std::string key;
  list.for_each_item([&](const Cursor& frame) {
    frames.push_back(read_frame(frame));
    append(key, frames.back());
  });
  const auto [entry, is_new] =
      stack_numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(table_.stacks.size()));
  if (is_new) table_.stacks.push_back(std::move(frames));
  stacks_seen_.emplace(list.identity(), entry->second);
  return entry->second;
}

std::uint32_t StackReader::read_frame(const Cursor& frame) {
  if (frame.kind() != Kind::dictionary) frame.fail("expected a frame as a dictionary");
  const auto known = frames_seen_.find(frame.identity());
  if (known != frames_seen_.end()) return known->second;
  StackFrame content = frame_from(frame);
  const auto [entry, is_new] =
      frame_numbers_.try_emplace(key_of(content), static_cast<std::uint32_t>(table_.frames.size()));
  if (is_new) table_.frames.push_back(std::move(content));
  frames_seen_.emplace(frame.identity(), entry->second);
  return entry->second;
}

bool StackSearch::through_empty_cache(const Cursor& stack) {
  return remember(stack, [&] {
    bool found = false;
    stack.for_each_item([&](const Cursor& frame) { found = frame_names_empty_cache(frame) || found; });
    return found;
  });
}

bool StackSearch::frame_names_empty_cache(const Cursor& frame) {
  return remember(frame, [&] {
    bool found = false;
    frame.for_each_field([&](std::string_view key, const Cursor& value) {
      found = found || (key == "name" && names_empty_cache(value.as_text()));
    });
    return found;
  });
}

bool StackSearch::remember(const Cursor& container, const std::function<bool()>& search) {
  const auto known = answers_.find(container.identity());
  if (known != answers_.end()) return known->second;
  const bool answer = search();
  answers_.emplace(container.identity(), answer);
  return answer;
}

}  // namespace gpucheck::replay
