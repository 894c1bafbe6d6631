#include "device/sim/memory/free_ranges.hpp"

namespace gpucheck::sim {

void FreeRanges::add(Range range) {
  if (range.bytes == 0) return;
  by_address_.emplace(range.begin, range.bytes);
  by_size_.emplace(range.bytes, range.begin);
}

void FreeRanges::erase(Range range) {
  by_address_.erase(range.begin);
  by_size_.erase({range.bytes, range.begin});
}

Range FreeRanges::insert(Range range) {
  const auto next = by_address_.lower_bound(range.begin);
  if (next != by_address_.end() && next->first == range.end()) {
    const Range after{next->first, next->second};
    erase(after);
    range.bytes += after.bytes;
  }
  const auto previous = by_address_.lower_bound(range.begin);
  if (previous != by_address_.begin()) {
    const Range before{std::prev(previous)->first, std::prev(previous)->second};
    if (before.end() == range.begin) {
      erase(before);
      range = {before.begin, before.bytes + range.bytes};
    }
  }
  add(range);
  return range;
}

std::optional<std::uintptr_t> FreeRanges::allocate(std::uint64_t bytes) {
  const auto fit = by_size_.lower_bound({bytes, 0});
  if (fit == by_size_.end()) return std::nullopt;
  const Range whole{fit->second, fit->first};
  erase(whole);
  add({whole.begin + bytes, whole.bytes - bytes});
  return whole.begin;
}

void FreeRanges::remove(Range range) {
  const auto holder = std::prev(by_address_.upper_bound(range.begin));
  const Range whole{holder->first, holder->second};
  erase(whole);
  add({whole.begin, range.begin - whole.begin});
  add({range.end(), whole.end() - range.end()});
}

}  // namespace gpucheck::sim
