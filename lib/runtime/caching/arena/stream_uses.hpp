#pragma once

#include <cstdint>
#include <vector>

#include "device/values/handles.hpp"

namespace gpucheck::runtime::detail {

/// One other stream that uses a block.
struct StreamUse {
  device::Stream stream;
  std::int64_t id = 0;          ///< of the stream: see StreamPool
  bool during_capture = false;  ///< recorded (also) while allocations were routed to a pool
};

/// The sets of other streams that use an arena's blocks, by entry number (from 1). Few
/// blocks have one, so they are not part of the block. Not thread-safe.
class StreamUses {
 public:
  /// Adds to entry `entry`, or to a new one when it is 0. Returns the entry.
  std::uint32_t add(std::uint32_t entry, StreamUse use);
  /// Empties the entry and returns what was in it.
  std::vector<StreamUse> take(std::uint32_t entry);

 private:
  std::vector<std::vector<StreamUse>> sets_;
  std::vector<std::uint32_t> unused_;
};

}  // namespace gpucheck::runtime::detail
