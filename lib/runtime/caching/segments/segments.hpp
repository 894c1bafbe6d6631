#pragma once

#include <cstdint>
#include <vector>

#include "runtime/caching/segments/expandable_segments.hpp"
#include "runtime/caching/segments/request.hpp"
#include "runtime/caching/shared/locks.hpp"

namespace gpucheck::runtime::detail {

/// Where segments come from, and when they go back to the device. Every call needs all arenas
/// closed.
class Segments {
 public:
  explicit Segments(const SegmentParts& parts) noexcept : parts_(parts), expandable_(parts) {}
  /// Gives everything back to the device, also what is in use.
  ~Segments();
  Segments(const Segments&) = delete;
  Segments& operator=(const Segments&) = delete;

  struct Obtained {
    BlockRef block;              ///< free, and the request fits in; none when the device, or the limit, has no more
    bool released_lock = false;  ///< meanwhile, since the settings want that
  };
  /// @throws DeviceError.
  [[nodiscard]] Obtained obtain(const Request& request, Exclusive& lock);

  /// Frees idle segments of above-average age until the reserve is below the threshold.
  void collect_garbage();
  /// With a limit on splitting, big cached blocks of the request's stream go first: one that is
  /// large enough, or else from the largest down until their sum is. Returns whether it is.
  bool release_oversize(const Request& request);
  /// Frees what is free as a whole: segments, and pages of expandable ones.
  void release_unsplit(Pool& pool, PoolKind kind);

 private:
  [[nodiscard]] bool exceeds_limit(std::uint64_t bytes) const noexcept;
  [[nodiscard]] device::Result<void*> allocate_on_device(const Request& request, Exclusive& lock);
  [[nodiscard]] BlockRef add(const Request& request, void* memory);
  void release(BlockRef ref);

  SegmentParts parts_;
  ExpandableSegments expandable_;
  std::uint64_t in_flight_bytes_ = 0;  ///< that threads without the locks are asking the device for
};

}  // namespace gpucheck::runtime::detail
