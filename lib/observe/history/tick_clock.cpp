#include "observe/history/tick_clock.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gpucheck::observe::detail {
namespace {

using Nanoseconds = std::chrono::nanoseconds;

template <typename Clock>
std::int64_t nanoseconds_of() {
  return std::chrono::duration_cast<Nanoseconds>(Clock::now().time_since_epoch()).count();
}

/// Whether the counter runs at the same rate in every power state (CPUID 80000007H,
/// EDX bit 8, "invariant TSC": Intel SDM volume 3, 18.17.1).
bool has_constant_counter() {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1U << 8U)) != 0;
#else
  return false;
#endif
}

}  // namespace

TickClock::TickClock()
    : has_constant_counter_(has_constant_counter()),
      to_wall_clock_(nanoseconds_of<std::chrono::system_clock>() - nanoseconds_of<std::chrono::steady_clock>()) {
  calibrate();
}

/// The counter is read on both sides of the clock; of several tries the tightest counts,
/// as an interrupt may fall in between.
TickClock::Point TickClock::now() const {
  constexpr int tries = 5;
  Point best;
  std::uint64_t best_gap = ~std::uint64_t{0};
  for (int i = 0; i < tries; ++i) {
    const std::uint64_t before = ticks();
    const std::int64_t nanoseconds = nanoseconds_of<std::chrono::steady_clock>();
    const std::uint64_t gap = ticks() - before;
    if (gap >= best_gap) continue;
    best_gap = gap;
    best = {before + gap / 2, nanoseconds};
  }
  return best;
}

void TickClock::calibrate() {
  const Point point = now();
  if (points_.empty() || (point.ticks > points_.back().ticks && point.nanoseconds >= points_.back().nanoseconds)) {
    points_.push_back(point);
  }
}

std::int64_t TickClock::to_microseconds(std::uint64_t ticks) const {
  const auto later = std::ranges::upper_bound(points_, ticks, {}, &Point::ticks);
  std::int64_t nanoseconds = 0;
  if (later == points_.begin()) {
    nanoseconds = points_.front().nanoseconds;
  } else if (later == points_.end()) {
    nanoseconds = points_.back().nanoseconds;
  } else {
    const Point& earlier = *(later - 1);
    const double share = static_cast<double>(ticks - earlier.ticks) / static_cast<double>(later->ticks - earlier.ticks);
    nanoseconds = earlier.nanoseconds +
                  static_cast<std::int64_t>(share * static_cast<double>(later->nanoseconds - earlier.nanoseconds));
  }
  return (nanoseconds + to_wall_clock_) / 1000;
}

}  // namespace gpucheck::observe::detail
