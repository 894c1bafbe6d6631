#pragma once

#include <cstdint>
#include <vector>

#include "replay/formats/snapshot/snapshot.hpp"

namespace gpucheck::replay {

/// One allocation from its beginning to its end, as far as recorded.
struct Lifetime {
  static constexpr std::uint32_t before_first = UINT32_MAX;
  static constexpr std::uint32_t never = UINT32_MAX;

  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< bytes, as asked for
  std::uint64_t stream = 0;
  PoolId pool{0, 0};
  std::uint32_t allocated_at = before_first;  ///< event, or `before_first`
  std::uint32_t freed_at = never;             ///< event, or `never`
  StackId stack = no_stack;
};

/// All allocations of one device: those from before the first event, in address order,
/// then in order of their events. A free counts when it completed, where that is
/// recorded.
std::vector<Lifetime> lifetimes_of(const Snapshot& snapshot, std::size_t device);

/// Memory over time, cut down to what can be drawn: the largest allocations one by one,
/// all others as a sum.
struct Timeline {
  /// A range of events during which no drawn allocation begins or ends.
  struct Step {
    std::uint32_t first_event = 0;
    std::uint64_t rest_bytes = 0;      ///< highest sum of what is not drawn
    std::uint64_t reserved_bytes = 0;  ///< highest
  };
  struct Band {
    Lifetime lifetime;
    std::uint32_t first_step = 0;
    std::uint32_t end_step = 0;  ///< one past the last; `steps.size()` when never freed
  };
  struct OutOfMemory {
    std::uint32_t event = 0;
    std::uint32_t step = 0;
    std::uint64_t size = 0;         ///< bytes asked for
    std::uint64_t device_free = 0;  ///< bytes
  };
  std::vector<Band> bands;  ///< in the order of `lifetimes_of`
  std::vector<Step> steps;  ///< the first is the state before the first event
  std::vector<OutOfMemory> out_of_memory;
  std::uint64_t rest_count = 0;  ///< allocations that are not drawn
};

/// At most `max_bands` bands, and 2 * `max_bands` + `max_even_steps` + 1 steps: ends of
/// bands, and points spread evenly over the events.
Timeline timeline_of(const Snapshot& snapshot, std::size_t device, std::size_t max_bands = 1000,
                     std::size_t max_even_steps = 1000);

}  // namespace gpucheck::replay
