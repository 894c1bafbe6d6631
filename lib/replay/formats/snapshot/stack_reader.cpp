#include "replay/formats/snapshot/stack_reader.hpp"

namespace gpucheck::replay {

namespace {

/// Frames of one content have one key, and no two contents have the same.
std::string key_of(const StackFrame& frame) {
  return std::to_string(frame.name.size()) + ' ' + std::to_string(frame.line) + ' ' + frame.name + frame.filename;
}

void append(std::string& key, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) key += static_cast<char>(number >> shift & 0xffU);
}

}  // namespace

bool names_empty_cache(std::string_view function) {
  return function.find("empty_cache") != std::string_view::npos ||
         function.find("emptyCache") != std::string_view::npos;
}

std::uint32_t StackReader::number_of(StackFrame frame) {
  const auto [entry, is_new] =
      frame_numbers_.try_emplace(key_of(frame), static_cast<std::uint32_t>(table_.frames.size()));
  if (is_new) table_.frames.push_back(std::move(frame));
  return entry->second;
}

StackId StackReader::number_of(std::vector<std::uint32_t> frames) {
  std::string key;
  for (const std::uint32_t frame : frames) append(key, frame);
  const auto [entry, is_new] =
      stack_numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(table_.stacks.size()));
  if (is_new) table_.stacks.push_back(std::move(frames));
  return entry->second;
}

}  // namespace gpucheck::replay
