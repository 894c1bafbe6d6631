#include "replay/advice/usage_curve.hpp"

#include <algorithm>

#include "replay/targets/caching_allocator_target.hpp"
#include "replay/targets/player.hpp"

namespace gpucheck::replay {

UsageCurve usage_curve(const Trace& trace, const std::string& settings, std::uint64_t peak_reserved_bytes,
                       const DeviceSource& devices, std::size_t most_points) {
  UsageCurve curve{.settings = settings, .points = {}};
  const std::size_t steps = trace.events.size();
  const std::size_t count = std::min(most_points, steps);
  for (std::size_t i = 1; i <= count; ++i) curve.points.push_back({.end_step = i * steps / count});
  const PlayedDevice played = devices.open(
      devices.sizes ? std::optional(std::max(peak_reserved_bytes, devices.sizes->default_bytes)) : std::nullopt);
  CachingAllocatorTarget target(*played.device, {settings, std::nullopt, trace.stream_count});
  auto point = curve.points.begin();
  Player(trace, target).play_all([&](std::size_t step, const Player::Step&) {
    if (step == point->end_step) ++point;
    const Usage now = target.usage();
    point->reserved_bytes = std::max(point->reserved_bytes, static_cast<std::uint64_t>(now.reserved_bytes.value_or(0)));
    point->allocated_bytes = std::max(point->allocated_bytes, static_cast<std::uint64_t>(now.allocated_bytes));
  });
  return curve;
}

}  // namespace gpucheck::replay
