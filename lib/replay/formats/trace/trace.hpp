#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpucheck::replay {

/// One entry for each row of the table of operations, in its order; see README.md.
enum class Action : std::uint8_t {
  allocate,
  free,
  record_stream,
  synchronize,
  empty_cache,
  occupy_stream,
  reset_peak_stats,
  reset_accumulated_stats,
  set_memory_limit,
  set_settings,
  create_pool,
  delete_pool,
  begin_pool,
  end_pool,
  begin_capture,
  end_capture,
  replay_graph,
  delete_graph,
  /// In no trace file. An allocation that failed when it was recorded, by a program whose
  /// further use of it is unknown: allocated, and freed at once if that succeeds.
  try_allocate,
  /// Nor these, of a recorded program whose uses of a block by other streams are not known, but when they were over:
  /// freed while such uses last, and their end. `stream` is a number that both have, of no other free meanwhile.
  free_later,
  end_of_uses,
};
/// Whether the program gives an allocation up.
[[nodiscard]] constexpr bool frees(Action action) noexcept {
  return action == Action::free || action == Action::free_later;
}

/// One call of the allocator. 16 bytes, so that millions stream through the cache.
struct Event {
  std::uint64_t size = 0;    ///< bytes: asked for by an allocation, or a memory limit (0 is none)
  std::uint32_t id = 0;      ///< which allocation, pool, graph or settings: a number below that of the trace's
  std::uint16_t stream = 0;  ///< below Trace::stream_count, 0 is the default stream
  Action action = Action::synchronize;
  bool expect_out_of_memory = false;
  bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) == 16);

/// Which memory a trace's calls are about.
enum class MemoryKind : std::uint8_t { device, pinned };

/// What can be compared after every step of a trace of device memory: names as in
/// torch.cuda.memory_stats().
inline constexpr std::array<std::string_view, 11> statistic_names{
    "allocated_bytes.all.current",
    "reserved_bytes.all.current",
    "active_bytes.all.current",
    "inactive_split_bytes.all.current",
    "requested_bytes.all.current",
    "segment.all.current",
    "allocation.all.current",
    "active.all.current",
    "inactive_split.all.current",
    "num_alloc_retries",
    "num_ooms",
};
/// The same of pinned memory, as in torch.cuda.host_memory_stats().
inline constexpr std::array<std::string_view, 10> pinned_statistic_names{
    "allocations.current", "allocated_bytes.current", "active_requests.current", "active_bytes.current",
    "allocations.peak",    "allocated_bytes.peak",    "active_requests.peak",    "active_bytes.peak",
    "num_host_alloc",      "num_host_free",
};
[[nodiscard]] constexpr std::span<const std::string_view> statistic_names_of(MemoryKind memory) noexcept {
  if (memory == MemoryKind::pinned) return pinned_statistic_names;
  return statistic_names;
}
/// One value for each of `statistic_names_of`, in that order; the rest is not used.
using StepStatistics = std::array<std::int64_t, statistic_names.size()>;
inline constexpr std::size_t allocated_bytes_statistic = 0;
inline constexpr std::size_t reserved_bytes_statistic = 1;

/// "inactive", "active_allocated" or "active_pending_free" as in a snapshot.
struct BlockLayout {
  std::uint64_t size = 0;
  std::uint64_t requested_size = 0;  ///< of its present or last use
  std::string state;
  auto operator<=>(const BlockLayout&) const = default;
};
/// A segment without its address, which no two machines share.
struct SegmentLayout {
  std::uint64_t size = 0;
  bool on_default_stream = true;
  bool is_large = false;
  std::vector<BlockLayout> blocks;  ///< in address order
  auto operator<=>(const SegmentLayout&) const = default;
};
using NamedStatistic = std::pair<std::string, std::int64_t>;

/// A torch.cuda.MemPool.
struct TracePool {
  bool use_on_out_of_memory = false;
  bool no_split = false;
  bool operator==(const TracePool&) const = default;
};

/// A torch.cuda.CUDAGraph.
struct TraceGraph {
  std::optional<std::uint32_t> shares_pool_of;  ///< an earlier graph
  bool operator==(const TraceGraph&) const = default;
};

/// A sequence of allocator calls and, where the file has them, what each must lead to.
/// Sound by construction of the readers: numbers and streams are in range, each is used
/// only while what it names exists, and a capture that begins also ends.
struct Trace {
  static constexpr std::uint32_t no_expectation = UINT32_MAX;

  std::string name;
  MemoryKind memory = MemoryKind::device;
  std::string settings;                             ///< empty: the default settings
  std::optional<std::uint64_t> memory_limit_bytes;  ///< absent: the whole device
  std::uint32_t stream_count = 1;
  std::uint32_t allocation_count = 0;
  std::vector<Event> events;
  // What events name by number.
  std::vector<TracePool> pools;
  std::vector<TraceGraph> graphs;
  std::vector<std::string> later_settings;

  // Expectations; empty where the file has none.
  /// Which of `statistic_names_of(memory)` the columns of `expected_statistics` are.
  std::vector<std::uint8_t> statistic_columns;
  /// `events.size()` rows of `statistic_columns.size()` values, row after row.
  std::vector<std::int64_t> expected_statistics;
  /// Steps whose rows mean nothing, since nothing was recorded after them; ascending.
  std::vector<std::size_t> unrecorded_steps;
  /// By id: the earliest allocation that had the same address (itself when new; of pinned
  /// memory when a block was made for it), or `no_expectation`. `allocation_count` entries, or none.
  std::vector<std::uint32_t> expected_same_address;
  std::vector<NamedStatistic> final_statistics;              ///< torch.cuda.memory_stats()
  std::optional<std::vector<SegmentLayout>> final_segments;  ///< in address order
};

/// Reads one trace or a list of them, bare or under "traces": README.md describes the format.
/// @throws FileError where the root is not such a trace.
template <typename AnyCursor>
std::vector<Trace> read_traces(const AnyCursor& root);

}  // namespace gpucheck::replay
