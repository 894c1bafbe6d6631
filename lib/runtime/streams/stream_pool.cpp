#include "runtime/streams/stream_pool.hpp"

#include <algorithm>

namespace gpucheck::runtime {

int StreamPool::greatest_priority() const noexcept {
  return std::max(device_.properties().greatest_priority, 1 - max_levels);
}

device::Stream StreamPool::next(int priority) {
  const std::scoped_lock lock(mutex_);
  if (levels_.empty()) create_streams();
  Level& level = levels_[static_cast<std::size_t>(-std::clamp(priority, greatest_priority(), 0))];
  return level.streams[level.requests++ % streams_per_level].get();
}

void StreamPool::create_streams() {
  std::vector<Level> levels(static_cast<std::size_t>(1 - greatest_priority()));
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (int i = 0; i < streams_per_level; ++i) {
      levels[level].streams.push_back(device::own<device::UniqueStream>(
          device_, device_.create_stream(device::StreamKind::non_blocking, -static_cast<int>(level))));
    }
  }
  levels_ = std::move(levels);
}

StreamPool::Place StreamPool::find(device::Stream stream) const {
  const std::scoped_lock lock(mutex_);
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const auto& streams = levels_[level].streams;
    const auto at = std::ranges::find(streams, stream, &device::UniqueStream::get);
    if (at != streams.end()) return {level, static_cast<std::size_t>(at - streams.begin()), true};
  }
  return {};
}

int StreamPool::priority(device::Stream stream) const { return -static_cast<int>(find(stream).level); }

std::int64_t StreamPool::stream_id(device::Stream stream) const {
  if (stream == device_.default_stream()) return 0;
  const Place place = find(stream);
  if (!place.found) return id_outside_pools(stream);
  return static_cast<std::int64_t>((place.index << 5U) | ((place.level + 1) << 1U) | 1U);
}

}  // namespace gpucheck::runtime
