#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "replay/formats/snapshot/snapshot.hpp"

namespace gpucheck::replay {

/// How much of a snapshot a page shows one by one. What is beyond is summed, and the page
/// says how much that is.
struct PageLimits {
  std::size_t bands = 1000;        ///< allocations over time
  std::size_t even_steps = 1000;   ///< further points in time
  std::size_t blocks = 20'000;     ///< of whole segments, the largest first
  std::size_t failures = 1000;     ///< marks of out of memory
  std::size_t stack_frames = 100;  ///< of one stack, from the innermost
};

/// One self-contained HTML page: nothing is loaded from anywhere, and whatever the file
/// says is shown as text. It draws memory over time and the segments with their blocks;
/// where scripts are not run, tables say the most important.
///
/// The script sets, on the elements `#timeline` and `#segments`, what it has drawn:
/// `data-bands`, `data-steps`, `data-failures`; `data-segments`, `data-blocks`. Each mark
/// is an element of class `band`, `failure`, `segment` or `block`.
///
/// @param title the file's name. @param devices which to show, at least one.
std::string snapshot_page(const Snapshot& snapshot, const std::string& title, const std::vector<std::size_t>& devices,
                          const PageLimits& limits = {});

}  // namespace gpucheck::replay
