#pragma once

#include <vector>

#include "runtime/caching/frees/deferred_frees.hpp"
#include "runtime/caching/frees/pending_frees.hpp"
#include "runtime/caching/shared/recording.hpp"
#include "runtime/caching/statistics/statistics_table.hpp"
#include "runtime/caching/tables/slow_path_reasons.hpp"

namespace gpucheck::runtime::detail {

/// Frees that wait for other streams to be done with their block, from the request to the end.
/// Such a block is neither in use nor in the free set; its heap counts it as pending.
///
/// Guarded by the allocator's mutex, which is all that `add` needs: it calls the device while
/// other threads go on. Whatever finishes frees needs all arenas closed.
class WaitingFrees {
 public:
  WaitingFrees(device::Device& device, StatisticsTable& statistics, const Recording& recording,
               SlowPathReasons& slow_path)
      : pending_(device), deferred_(device), statistics_(statistics), recording_(recording), slow_path_(slow_path) {}

  /// How the end of the uses can be known.
  enum class Means : std::uint8_t {
    events,          ///< no capture is open
    end_of_capture,  ///< no event can be recorded
    capture_order,   ///< the same, but the graphs tell what is ordered before what
  };
  /// A block whose heap has begun its pending free. @throws DeviceError.
  void add(BlockRef ref, std::vector<StreamUse> uses, Means means);
  /// Frees put off during captures get their events, and those whose events are complete
  /// finish. To be called while no capture can be open. @throws DeviceError.
  void poll();
  /// The first half of `poll`.
  void process_deferred();
  /// Blocks of `stream` finish whose uses the capture orders before its next work.
  /// @throws DeviceError.
  void finish_ordered(device::Stream stream);
  /// Waits for all (of `pool`'s blocks, unless null), and finishes them. @throws DeviceError.
  void synchronize(const Pool* pool);

 private:
  void finish(BlockRef ref);
  void update_slow_path() { slow_path_.set(SlowPathReason::pending_frees, !(pending_.empty() && deferred_.empty())); }

  PendingFrees pending_;
  DeferredFrees deferred_;  ///< freed while routing
  StatisticsTable& statistics_;
  const Recording& recording_;
  SlowPathReasons& slow_path_;
};

}  // namespace gpucheck::runtime::detail
