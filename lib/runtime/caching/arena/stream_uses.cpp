#include "runtime/caching/arena/stream_uses.hpp"

#include <algorithm>
#include <utility>

namespace gpucheck::runtime::detail {

std::uint32_t StreamUses::add(std::uint32_t entry, StreamUse use) {
  if (entry == 0) {
    if (unused_.empty()) {
      sets_.emplace_back();
      unused_.push_back(static_cast<std::uint32_t>(sets_.size()));
    }
    entry = unused_.back();
    unused_.pop_back();
  }
  std::vector<StreamUse>& set = sets_[entry - 1];
  const auto known = std::ranges::find(set, use.stream, &StreamUse::stream);
  if (known == set.end()) {
    set.push_back(use);
  } else {
    known->during_capture = known->during_capture || use.during_capture;
  }
  return entry;
}

std::vector<StreamUse> StreamUses::take(std::uint32_t entry) {
  unused_.push_back(entry);
  return std::exchange(sets_[entry - 1], {});
}

}  // namespace gpucheck::runtime::detail
