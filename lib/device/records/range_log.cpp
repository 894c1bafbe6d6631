#include "device/records/range_log.hpp"

#include <utility>

namespace gpucheck::device {

void RangeLog::keep(RangeEvent event) {
  const std::scoped_lock lock(mutex_);
  if (listening_) heard_.push_back(std::move(event));
}

std::vector<RangeEvent> RangeLog::during(const std::function<void()>& action) {
  const auto listen = [this](bool listening) {
    const std::scoped_lock lock(mutex_);
    listening_ = listening;
    return std::exchange(heard_, {});
  };
  listen(true);
  try {
    action();
  } catch (...) {
    listen(false);
    throw;
  }
  return listen(false);
}

}  // namespace gpucheck::device
