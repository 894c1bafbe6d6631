#include "runtime/streams/pools/stream_pool.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"

namespace gpucheck::runtime {

int StreamPool::greatest_priority() const noexcept {
  return std::max(device_.properties().greatest_priority, 1 - max_levels);
}

template <typename Choose>
device::Stream StreamPool::take(Choose choose) {
  std::vector<device::Stream> created;
  device::Stream chosen;
  {
    const std::scoped_lock lock(mutex_);
    if (levels_.empty()) created = create_streams();
    chosen = choose();
  }
  if (created_) std::ranges::for_each(created, created_);
  return chosen;
}

device::Stream StreamPool::next(int priority) {
  return take([&] {
    Level& level = levels_[static_cast<std::size_t>(-std::clamp(priority, greatest_priority(), 0))];
    return level.streams[level.requests++ % streams_per_level].get();
  });
}

device::Stream StreamPool::stream(std::int64_t id) {
  constexpr std::uint64_t external = 15;  // in place of a level plus 1
  const auto bits = static_cast<std::uint64_t>(id);
  const std::uint64_t kind = (bits >> 1U) & 0xFU;
  if ((bits & 1U) == 0 || kind == external) return {bits};  // the default stream, or a handle
  if (kind == 0) throw Error(fmt::format("invalid StreamId{}", id));
  if (kind > static_cast<std::uint64_t>(1 - greatest_priority())) {
    // PyTorch prints the level as a character.
    throw Error(fmt::format(
        "Unrecognized stream stream {} on device cuda:{} (I didn't recognize the stream type, PRIORITY {} with the "
        "value {})",
        id, device_.ordinal(), kind, static_cast<char>(kind)));
  }
  const std::uint64_t index = (bits >> 5U) % streams_per_level;
  return take([&] { return levels_[kind - 1].streams[index].get(); });
}

std::vector<device::Stream> StreamPool::create_streams() {
  std::vector<Level> levels(static_cast<std::size_t>(1 - greatest_priority()));
  std::vector<device::Stream> created;
  for (int i = 0; i < streams_per_level; ++i) {
    for (std::size_t level = 0; level < levels.size(); ++level) {
      levels[level].streams.push_back(device::own<device::UniqueStream>(
          device_, device_.create_stream(device::StreamKind::non_blocking, -static_cast<int>(level))));
      created.push_back(levels[level].streams.back().get());
    }
  }
  levels_ = std::move(levels);
  return created;
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

std::string StreamPool::name(device::Stream stream) const {
  if (stream == device_.default_stream()) return "default";
  const Place place = find(stream);
  if (!place.found) return "external";
  return fmt::format("priority {}, stream {}", -static_cast<int>(place.level), place.index);
}

}  // namespace gpucheck::runtime
