#include "runner/plan/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

namespace gpucheck::runner {

int default_jobs(bool on_cuda) {
  constexpr int max_jobs = 8;
  // The driver makes contexts one at a time: more cost more of its time than they save.
  // Measured on an H100: 3.8 s with 2, 5.5 s with 8.
  constexpr int max_jobs_on_cuda = 2;
  const int cores = std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
  return std::min(cores, on_cuda ? max_jobs_on_cuda : max_jobs);
}

Schedule::Schedule(std::vector<Load> loads, int jobs, int jobs_in_all)
    : loads_(std::move(loads)),
      waiting_(loads_.size()),
      jobs_(static_cast<std::size_t>(std::max(jobs, 1))),
      jobs_in_all_(static_cast<std::size_t>(std::max(jobs_in_all, 1))) {
  std::iota(waiting_.begin(), waiting_.end(), std::size_t{0});
  std::ranges::stable_sort(waiting_, {}, [this](std::size_t index) { return turn(loads_[index]); });
  std::size_t device_count = 0;
  for (const Load& load : loads_) {
    for (const int device : load.devices) device_count = std::max(device_count, static_cast<std::size_t>(device) + 1);
  }
  devices_.resize(device_count);
}

int Schedule::turn(const Load& load) {
  constexpr int last = 2;
  if (load.exclusive && load.devices.size() > 1) return last;
  const bool begins_with_exclusive = !load.devices.empty() && load.devices.front() % 2 == 1;
  return load.exclusive == begins_with_exclusive ? 0 : 1;
}

bool Schedule::fits(const Load& load) const {
  if (load.host_link && host_link_taken_) return false;
  return std::ranges::all_of(load.devices, [&](int index) {
    const Device& device = at(index);
    if (device.running == 0) return true;
    return !load.exclusive && !device.exclusive_running && device.running < jobs_ &&
           device.memory_used + load.memory_share <= memory_limit;
  });
}

std::size_t Schedule::busyness(const Load& load) const {
  std::size_t max_running = 0;
  for (const int index : load.devices) max_running = std::max(max_running, at(index).running);
  return max_running;
}

std::optional<std::size_t> Schedule::next() {
  if (running_ >= jobs_in_all_) return std::nullopt;
  auto chosen = waiting_.end();
  for (auto candidate = waiting_.begin(); candidate != waiting_.end(); ++candidate) {
    const Load& load = loads_[*candidate];
    const bool better = chosen == waiting_.end() || busyness(load) < busyness(loads_[*chosen]);
    if (better && fits(load)) chosen = candidate;
  }
  if (chosen == waiting_.end()) return std::nullopt;
  const std::size_t index = *chosen;
  waiting_.erase(chosen);
  ++running_;
  host_link_taken_ = host_link_taken_ || loads_[index].host_link;
  for (const int device : loads_[index].devices) {
    ++at(device).running;
    at(device).exclusive_running = loads_[index].exclusive;
    at(device).memory_used += loads_[index].memory_share;
  }
  return index;
}

void Schedule::finished(std::size_t index) {
  --running_;
  if (loads_[index].host_link) host_link_taken_ = false;
  for (const int number : loads_[index].devices) {
    Device& device = at(number);
    --device.running;
    device.exclusive_running = false;
    device.memory_used = device.running == 0 ? 0 : device.memory_used - loads_[index].memory_share;
  }
}

void Schedule::again(std::size_t index) {
  finished(index);
  repeat(index);
}

void Schedule::repeat(std::size_t index) {
  const auto place = std::ranges::lower_bound(waiting_, turn(loads_[index]), {},
                                              [this](std::size_t other) { return turn(loads_[other]); });
  waiting_.insert(place, index);
}

bool Schedule::is_wanted(int device) const {
  return std::ranges::any_of(waiting_, [&](std::size_t index) {
    return std::ranges::find(loads_[index].devices, device) != loads_[index].devices.end();
  });
}

}  // namespace gpucheck::runner
