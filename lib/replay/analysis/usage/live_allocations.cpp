#include "replay/analysis/usage/live_allocations.hpp"

#include "base/error.hpp"

namespace gpucheck::replay {

std::uint16_t StreamNumbers::index(std::uint64_t handle) {
  if (const auto known = indices_.find(handle); known != indices_.end()) return known->second;
  if (handles_.size() == UINT16_MAX) throw EnvironmentError("the snapshot uses more than 65,535 streams");
  const auto number = static_cast<std::uint16_t>(handles_.size());
  indices_.emplace(handle, number);
  handles_.push_back(handle);
  return number;
}

}  // namespace gpucheck::replay
