#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "replay/formats/snapshot/snapshot.hpp"
#include "runtime/settings/settings.hpp"

namespace gpucheck::replay {

/// Why a hole, memory that is reserved and not in use, did not serve a request. The first
/// that applies.
enum class HoleReason {
  of_another_pool,    ///< of a graph, or a MemPool; or of the default pool for one of those
  of_another_stream,  ///< blocks are reused on the stream that they were first allocated for
  of_another_class,   ///< small blocks, up to 1 MiB, and large ones have segments of their own
  too_small,
  expandable_off,  ///< of an expandable segment, while expandable_segments was set to False again
  split_limit,     ///< max_split_size or max_non_split_rounding forbids it
  /// It became free while the allocator, short of memory, waited for other streams. PyTorch asks the device once more
  /// then, and does not look at its own blocks again.
  free_too_late,
  unexplained,  ///< nothing: the file does not say all
};
std::string_view to_text(HoleReason reason);

/// A failed allocation, and what the recording says of the moment. Bytes.
struct OutOfMemory {
  /// All holes that did not serve for one reason.
  struct Holes {
    HoleReason reason = HoleReason::too_small;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::uint64_t largest_bytes = 0;
  };
  std::uint32_t event = 0;  ///< of the device
  StackId stack = no_stack;
  std::uint64_t asked_bytes = 0;    ///< rounded, as recorded
  std::uint64_t segment_bytes = 0;  ///< what was asked of the device then
  std::uint64_t stream = 0;
  PoolId pool{0, 0};
  std::optional<std::uint64_t> device_free_bytes;  ///< absent where the file does not say
  std::uint64_t reserved_bytes = 0;
  std::uint64_t in_use_bytes = 0;   ///< blocks, with those that wait for another stream
  std::uint64_t waiting_bytes = 0;  ///< freed by the program, but another stream may still use them
  std::vector<Holes> holes;         ///< by reason, without those that there are none of

  [[nodiscard]] std::uint64_t hole_bytes() const noexcept;
  [[nodiscard]] std::uint64_t hole_count() const noexcept;
  /// How much more memory on the device would have let it succeed; 0 where there was enough,
  /// so that a limit of the program's own refused it. Absent where it is not reported how much there was.
  [[nodiscard]] std::optional<std::uint64_t> missing_bytes() const noexcept {
    if (!device_free_bytes) return std::nullopt;
    return segment_bytes > *device_free_bytes ? segment_bytes - *device_free_bytes : 0;
  }
  /// Asked for again it would have been served.
  [[nodiscard]] bool would_be_served_again() const noexcept;
  /// The holes that only their size kept from serving would have served together.
  [[nodiscard]] bool is_fragmentation() const noexcept;
};

/// The first and the last failed allocation recorded on a device, in order. The state then
/// is put together from the recorded events and the segments at the end; nothing is played.
/// @param settings that were in force, but for expandable_segments at other times than the segments say
std::vector<OutOfMemory> explain_out_of_memory(const Snapshot& snapshot, std::size_t device,
                                               const runtime::AllocatorSettings& settings);

}  // namespace gpucheck::replay
