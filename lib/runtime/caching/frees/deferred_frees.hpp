#pragma once

#include <cstdint>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/caching/arena/arena.hpp"

namespace gpucheck::runtime::detail {

/// Blocks that other streams used and that were freed while a capture may be
/// open: no event can be recorded for them. They wait for the end of all
/// captures or, where the graph being captured says, for their last uses to be
/// ordered before the stream's next work. Guarded by the allocator's mutex.
class DeferredFrees {
 public:
  explicit DeferredFrees(device::Device& device) : device_(device) {}

  struct Block {
    BlockRef ref;
    std::vector<StreamUse> uses;
  };
  /// The block waits for the end.
  void add(Block block) { entries_.push_back({std::move(block)}); }
  /// What its streams have captured so far are its last uses. It waits for the
  /// end all the same where one of the streams takes no part in the capture of
  /// its own, or was used before the capture. @throws DeviceError; the block
  /// then waits for the end.
  void add_with_last_uses(Block block);
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

  /// Every block, at the end of all captures; forgets them.
  [[nodiscard]] std::vector<Block> take_all();
  /// The blocks of `stream` whose last uses come before whatever it captures
  /// next; forgets them. @throws DeviceError, with nothing forgotten.
  [[nodiscard]] std::vector<BlockRef> take_ordered(device::Stream stream);

 private:
  using Nodes = std::unordered_set<device::GraphNode>;

  struct Entry {
    Block block;
    std::uint64_t capture = 0;  ///< that the last uses are in
    Nodes last_uses{};          ///< none: only the end will do
  };
  /// What comes before the next work of a stream in a capture. It only ever
  /// grows, so that no node is looked at twice.
  struct Past {
    std::uint64_t capture = 0;
    Nodes nodes{};
  };

  /// The open capture that the stream takes part in; 0 when it takes part in
  /// none.
  [[nodiscard]] std::uint64_t capture_of(device::Stream stream);
  [[nodiscard]] const Nodes& past_of(device::Stream stream, std::uint64_t capture);

  device::Device& device_;
  std::vector<Entry> entries_;
  std::map<device::Stream, Past> pasts_;  ///< empty when no block waits
};

}  // namespace gpucheck::runtime::detail
