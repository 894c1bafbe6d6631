#include "runner/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gpucheck::runner {

Schedule::Schedule(std::vector<Load> loads, int jobs)
    : loads_(std::move(loads)), waiting_(loads_.size()), jobs_(static_cast<std::size_t>(std::max(jobs, 1))) {
  std::iota(waiting_.begin(), waiting_.end(), std::size_t{0});
  std::ranges::stable_partition(waiting_, [this](std::size_t index) { return !loads_[index].exclusive; });
}

bool Schedule::fits(const Load& load) const noexcept {
  if (running_ == 0) return true;
  return !load.exclusive && memory_used_ + load.memory_share <= memory_limit;
}

std::optional<std::size_t> Schedule::next() {
  if (running_ >= jobs_ || exclusive_running_) return std::nullopt;
  const auto chosen = std::ranges::find_if(waiting_, [this](std::size_t index) { return fits(loads_[index]); });
  if (chosen == waiting_.end()) return std::nullopt;
  const std::size_t index = *chosen;
  waiting_.erase(chosen);
  ++running_;
  exclusive_running_ = loads_[index].exclusive;
  memory_used_ += loads_[index].memory_share;
  return index;
}

void Schedule::finished(std::size_t index) {
  --running_;
  exclusive_running_ = false;
  memory_used_ = running_ == 0 ? 0 : memory_used_ - loads_[index].memory_share;
}

void Schedule::again(std::size_t index) {
  finished(index);
  const auto place = loads_[index].exclusive
                         ? std::ranges::find_if(waiting_, [this](std::size_t other) { return loads_[other].exclusive; })
                         : waiting_.begin();
  waiting_.insert(place, index);
}

}  // namespace gpucheck::runner
