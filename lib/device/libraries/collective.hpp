#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// A process's ranks in a communicator of several processes: they follow each other, and each has a device of its own.
struct Seats {
  std::string meeting = {};        ///< where the communicator's processes meet: one of them opened it for it alone
  int size = 0;                    ///< ranks of all processes together
  int first_rank = 0;              ///< of this process
  std::vector<int> ordinals = {};  ///< of the devices of this process's ranks
  std::chrono::milliseconds patience{0};  ///< how long other processes are waited for
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
/// @param operands of this process's ranks
/// @param ranks of all processes
Status check_collective(const Collective& collective, std::span<const RankOperands> operands, int ranks) noexcept;

/// What every device refuses: invalid_value where `own`, the device that is asked, is not among the ordinals, for an
/// ordinal that is there twice, ranks beyond the size, and no patience.
Status check_seats(const Seats& seats, int own) noexcept;

}  // namespace gpucheck::device
