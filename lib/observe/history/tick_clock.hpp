#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace gpucheck::observe::detail {

/// Time stamps for the price of one instruction: the processor's time-stamp counter where
/// it runs at a constant rate, else the monotonic clock. They are turned into wall-clock
/// time only when they are read. `ticks` is thread-safe, the rest is not.
class TickClock {
 public:
  TickClock();

  [[nodiscard]] std::uint64_t ticks() const noexcept {
#if defined(__x86_64__)
    if (has_constant_counter_) [[likely]]
      return __rdtsc();
#endif
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }

  /// Notes what the clocks show now. Stamps taken before this call keep the time that
  /// they were given by an earlier `to_microseconds`.
  void calibrate();
  /// Since 1970 UTC. The stamp must lie before the last `calibrate`.
  [[nodiscard]] std::int64_t to_microseconds(std::uint64_t ticks) const;

 private:
  struct Point {
    std::uint64_t ticks = 0;
    std::int64_t nanoseconds = 0;  ///< of the monotonic clock
  };
  [[nodiscard]] Point now() const;

  bool has_constant_counter_;
  std::int64_t to_wall_clock_;  ///< nanoseconds to add to the monotonic clock
  std::vector<Point> points_;   ///< in order; time is linear between two of them
};

}  // namespace gpucheck::observe::detail
