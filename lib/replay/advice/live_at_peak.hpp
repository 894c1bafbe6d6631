#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "replay/formats/snapshot/stacks.hpp"
#include "replay/formats/trace/trace.hpp"

namespace gpucheck::replay {

/// Allocations that have something in common. Bytes, as asked for.
struct LiveGroup {
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  StackId stack = no_stack;      ///< of a group by stack
  std::uint64_t size_bytes = 0;  ///< of a group by size
  std::string name = {};         ///< of a group by class of size: "1 MiB to 10 MiB"
};

/// What a program has allocated when that is most, whatever the settings: it is this that
/// no settings can take away. Groups are in order of their bytes, the largest first.
struct LiveAtPeak {
  std::size_t step = 0;  ///< the first after which so much is allocated
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  std::vector<LiveGroup> by_stack;
  std::vector<LiveGroup> by_size;
  std::vector<LiveGroup> by_class;  ///< up to 1 MiB the small pool, from 10 MiB segments of their own
};

/// @param stacks by step, as Conversion has them; of a shorter one the rest is `no_stack`
LiveAtPeak live_at_peak(const Trace& trace, const std::vector<StackId>& stacks);

}  // namespace gpucheck::replay
