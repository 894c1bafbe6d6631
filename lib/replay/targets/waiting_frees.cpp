#include "replay/targets/waiting_frees.hpp"

#include <utility>

#include "base/splitmix.hpp"

namespace gpucheck::replay {

WaitingFrees::End WaitingFrees::choose() {
  if (pace_ == 0) return End::as_recorded;
  return static_cast<End>(splitmix((std::uint64_t{pace_} << 32) + begun_) % 3);
}

WaitingFrees::End WaitingFrees::begin(std::uint16_t number) {
  ++begun_;
  ++waiting_;
  if (ends_.size() <= number) ends_.resize(number + std::size_t{1});
  return ends_[number].emplace(choose());
}

const std::vector<std::uint16_t>& WaitingFrees::end(std::uint16_t number) {
  ended_.clear();
  if (number >= ends_.size() || !ends_[number]) return ended_;
  const End end = *std::exchange(ends_[number], std::nullopt);
  if (end == End::as_recorded) ended_.push_back(number);
  if (end == End::late) late_.push_back(number);
  if (--waiting_ == 0) {
    ended_.insert(ended_.end(), late_.begin(), late_.end());
    late_.clear();
  }
  return ended_;
}

}  // namespace gpucheck::replay
