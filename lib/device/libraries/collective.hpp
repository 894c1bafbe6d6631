#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "device/values/element_type.hpp"
#include "device/values/handles.hpp"
#include "device/values/status.hpp"

/// What several devices do together, as values. The devices of a communicator are its ranks, counted from 0; each gives
/// memory of its own to send from and to receive in, in blocks of `count` elements.
namespace gpucheck::device {

enum class CollectiveKind : std::uint8_t {
  all_reduce,      ///< each rank sends a block; each gets the reduction of all of them
  all_gather,      ///< each rank sends a block; each gets all of them, in the order of the ranks
  reduce_scatter,  ///< each rank sends a block for each rank; rank r gets the reduction of those for r
  broadcast,       ///< the root sends a block; each rank gets it
  all_to_all,      ///< each rank sends a block for each rank; rank r gets those for r, in the order of the ranks
  send_receive,    ///< each rank sends a block to the rank `distance` after it, in a circle
};
std::string_view to_text(CollectiveKind kind) noexcept;

enum class Reduction : std::uint8_t { sum, minimum, maximum };
std::string_view to_text(Reduction reduction) noexcept;

struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  ElementType type = ElementType::fp32;
  std::uint64_t count = 0;               ///< elements of a block
  Reduction reduction = Reduction::sum;  ///< of all_reduce and reduce_scatter
  int root = 0;                          ///< of broadcast
  int distance = 1;                      ///< of send_receive

  bool operator==(const Collective&) const = default;
};

/// What a rank sends and receives, and the stream that orders it.
struct RankOperands {
  const void* sent = nullptr;  ///< of broadcast: the root's alone is read
  void* received = nullptr;
  Stream stream;
};

/// Blocks that each rank has memory for.
std::uint64_t sent_blocks(CollectiveKind kind, int ranks) noexcept;
std::uint64_t received_blocks(CollectiveKind kind, int ranks) noexcept;
std::uint64_t sent_bytes(const Collective& collective, int ranks) noexcept;
std::uint64_t received_bytes(const Collective& collective, int ranks) noexcept;

/// Bytes that pass the busiest rank's link in one direction at the least: what bus bandwidth is counted in, whatever
/// the number of ranks (nccl-tests, doc/PERFORMANCE.md).
double bus_bytes(const Collective& collective, int ranks) noexcept;

/// What every device refuses: invalid_value for no elements, no ranks, a root or a distance that no rank has, memory
/// that is missing, lies between elements or overlaps that of the same rank; not_supported for reductions of fp8.
Status check_collective(const Collective& collective, std::span<const RankOperands> operands) noexcept;

}  // namespace gpucheck::device
