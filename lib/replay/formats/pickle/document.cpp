#include "replay/formats/pickle/document.hpp"

#include <algorithm>
#include <utility>

namespace gpucheck::replay {

namespace {

// Small documents need not wait for a whole huge page to be cleared.
constexpr std::size_t small_page_bytes = std::size_t{256} << 10;
constexpr std::size_t small_pages = 8;

}  // namespace

Value* Document::allocate(std::size_t count) {
  if (count > page_left_) {
    const std::size_t page = (pages_.size() < small_pages ? small_page_bytes : huge_page_bytes) / sizeof(Value);
    page_left_ = (count + page - 1) / page * page;
    page_end_ = pages_.emplace_back(huge_pages<Value>(page_left_)).get();
  }
  page_left_ -= count;
  return std::exchange(page_end_, page_end_ + count);
}

void Document::append(const Value& container, std::span<const Value> values) {
  if (values.empty()) return;
  const auto added = static_cast<std::uint32_t>(runs_.size());
  Value* const room = allocate(values.size());
  std::ranges::copy(values, room);
  value_count_ += values.size();
  runs_.push_back({room, static_cast<std::uint32_t>(values.size()), end_});
  Container& entry = containers_[container.bits];
  (entry.first == end_ ? entry.first : runs_[entry.last].next) = added;
  entry.last = added;
  entry.count += static_cast<std::uint32_t>(values.size());
}

}  // namespace gpucheck::replay
