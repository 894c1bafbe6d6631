#include "replay/formats/snapshot/stack_reader.hpp"

#include "base/text/utf8.hpp"

namespace gpucheck::replay {

namespace {

void append(std::string& key, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) key += static_cast<char>(number >> shift & 0xffU);
}

}  // namespace

std::string_view FrameTexts::add(std::string_view text) {
  text = text.substr(0, text.size() <= longest ? text.size() : utf8_boundary_before(text, longest));
  const auto known = store_->known.find(text);
  if (known != store_->known.end()) return *known;
  return *store_->known.insert(store_->texts.emplace_back(text)).first;
}

bool names_empty_cache(std::string_view function) {
  function = function.substr(0, FrameTexts::longest);
  return function.find("empty_cache") != std::string_view::npos ||
         function.find("emptyCache") != std::string_view::npos;
}

std::uint32_t StackReader::number_of(const StackFrame& frame) {
  // Each text is kept once, so that its place identifies it.
  const FrameKey key{frame.name.data(), frame.filename.data(), frame.line};
  const auto [entry, is_new] = frame_numbers_.try_emplace(key, static_cast<std::uint32_t>(table_.frames.size()));
  if (is_new) table_.frames.push_back(frame);
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
