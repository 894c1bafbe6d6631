#include "replay/document.hpp"

#include <algorithm>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace gpucheck::replay {

namespace {

std::unique_ptr<char[]> copy_of(std::string_view bytes) {
  auto copy = std::make_unique_for_overwrite<char[]>(bytes.size());
  std::ranges::copy(bytes, copy.get());
  return copy;
}

// Large documents go into huge pages: a third of the reading time is the system's, for
// handing out memory 4 KiB at a time.
constexpr std::size_t small_page = std::size_t{256} << 10;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t small_pages = 8;

Value* new_page(std::size_t bytes, std::size_t alignment) {
  void* const page = std::aligned_alloc(alignment, bytes);
  if (page == nullptr) throw std::bad_alloc();
  // Only a hint: without it all works, more slowly.
  if (alignment == huge_page) (void)madvise(page, bytes, MADV_HUGEPAGE);
  return static_cast<Value*>(page);
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

Value* Document::take_room(std::size_t count) {
  if (count > page_left_) {
    const std::size_t wanted = pages_.size() < small_pages ? small_page : huge_page;
    const std::size_t bytes = (std::max(count * sizeof(Value), wanted) + wanted - 1) / wanted * wanted;
    page_end_ = pages_.emplace_back(new_page(bytes, wanted)).get();
    page_left_ = bytes / sizeof(Value);
  }
  page_left_ -= count;
  return std::exchange(page_end_, page_end_ + count);
}

void Document::append(const Value& container, std::span<const Value> values) {
  if (values.empty()) return;
  const auto added = static_cast<std::uint32_t>(runs_.size());
  Value* const room = take_room(values.size());
  std::ranges::copy(values, room);
  value_count_ += values.size();
  runs_.push_back({room, static_cast<std::uint32_t>(values.size()), end_});
  Container& entry = containers_[container.bits];
  (entry.first == end_ ? entry.first : runs_[entry.last].next) = added;
  entry.last = added;
  entry.count += static_cast<std::uint32_t>(values.size());
}

}  // namespace gpucheck::replay
