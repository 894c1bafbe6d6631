#include "replay/document.hpp"

#include <algorithm>

namespace gpucheck::replay {

namespace {

std::unique_ptr<char[]> copy_of(std::string_view bytes) {
  auto copy = std::make_unique_for_overwrite<char[]>(bytes.size());
  std::ranges::copy(bytes, copy.get());
  return copy;
}

}  // namespace

Document::Document(std::string name, std::unique_ptr<char[]> bytes, std::size_t size)
    : name_(std::move(name)), bytes_(std::move(bytes)), size_(size) {}

Document::Document(std::string name, std::string_view bytes)
    : Document(std::move(name), copy_of(bytes), bytes.size()) {}

Value Document::text_at(std::size_t start, std::size_t length, std::size_t offset) noexcept {
  return {std::uint64_t{start} << 32 | length, static_cast<std::uint32_t>(offset), Kind::text};
}

Value Document::decoded_text(std::string_view text, std::size_t offset) {
  // Places past the file's end mean the decoded texts.
  const Value value = text_at(size_ + decoded_.size(), text.size(), offset);
  decoded_ += text;
  return value;
}

std::string_view Document::text(const Value& value) const noexcept {
  const std::size_t start = value.bits >> 32;
  const std::size_t length = value.bits & UINT32_MAX;
  if (start + length <= size_) return bytes().substr(start, length);
  return std::string_view(decoded_).substr(start - size_, length);
}

Value Document::new_container(Kind kind, std::size_t offset) {
  containers_.emplace_back();
  return {containers_.size() - 1, static_cast<std::uint32_t>(offset), kind};
}

void Document::append(const Value& container, std::span<const Value> values) {
  if (values.empty()) return;
  const auto added = static_cast<std::uint32_t>(runs_.size());
  runs_.push_back({static_cast<std::uint32_t>(values_.size()), static_cast<std::uint32_t>(values.size()), end_});
  values_.insert(values_.end(), values.begin(), values.end());
  Container& entry = containers_[container.bits];
  (entry.first == end_ ? entry.first : runs_[entry.last].next) = added;
  entry.last = added;
}

}  // namespace gpucheck::replay
