#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpucheck::replay {

enum class Action : std::uint8_t {
  allocate,
  free,
  record_stream,
  synchronize,
  empty_cache,
  /// An allocation that failed when it was recorded, by a program whose further use of
  /// it is unknown: allocated, and given back at once if that succeeds.
  try_allocate,
};

/// One call of the allocator. 16 bytes, so that millions stream through the cache.
struct Event {
  std::uint64_t size = 0;    ///< bytes asked for; allocate and try_allocate
  std::uint32_t id = 0;      ///< which allocation: below Trace::allocation_count
  std::uint16_t stream = 0;  ///< below Trace::stream_count, 0 is the default stream
  Action action = Action::synchronize;
  bool expect_out_of_memory = false;
  bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) == 16);

/// The figures that are compared after every step: names as in torch.cuda.memory_stats().
inline constexpr std::array<std::string_view, 11> figure_names{
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
/// One value for each of `figure_names`, in that order.
using Figures = std::array<std::int64_t, figure_names.size()>;
inline constexpr std::size_t allocated_bytes_figure = 0;
inline constexpr std::size_t reserved_bytes_figure = 1;

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
using NamedFigure = std::pair<std::string, std::int64_t>;

/// A sequence of allocator calls and, where the file has them, what each must lead to.
/// Sound by construction of the readers: ids and streams are in range, an id is
/// allocated once, and freed or recorded only while it is allocated.
struct Trace {
  static constexpr std::uint32_t no_expectation = UINT32_MAX;

  std::string name;
  std::string settings;                             ///< empty: the default settings
  std::optional<std::uint64_t> memory_limit_bytes;  ///< absent: the whole device
  std::uint32_t stream_count = 1;
  std::uint32_t allocation_count = 0;
  std::vector<Event> events;

  // Expectations; empty where the file has none.
  /// Which of `figure_names` the columns of `expected_figures` are.
  std::vector<std::uint8_t> figure_columns;
  /// `events.size()` rows of `figure_columns.size()` values, row after row.
  std::vector<std::int64_t> expected_figures;
  /// By id: the earliest allocation that had the same address (itself when new), or
  /// `no_expectation`. `allocation_count` entries, or none.
  std::vector<std::uint32_t> expected_same_address;
  std::vector<NamedFigure> final_statistics;                 ///< torch.cuda.memory_stats()
  std::optional<std::vector<SegmentLayout>> final_segments;  ///< in address order
};

/// Reads one trace or a list of them, bare or under "traces". Fields:
///   name, settings (text or null), memory_limit (bytes or null), streams (count),
///   ops: [{op: alloc, id, size, stream, same_address_as?, oom?} | {op: free, id} |
///         {op: record_stream, id, stream} | {op: synchronize} | {op: empty_cache}],
///   stat_keys: names out of `figure_names`, stats_after_op: one row for each of ops,
///   baseline: the figures before the first step, all 0,
///   final_memory_stats: {name: value},
///   final_segments: [{size, stream0, type: small|large, blocks: [[size, requested, state]]}].
/// All but ops may be absent; other fields are ignored. A trace without a name is called
/// by its number, one without streams has as many as its ops use; an op without a
/// stream is on the default one.
/// @throws FileError where the root is no such trace.
template <typename AnyCursor>
std::vector<Trace> read_traces(const AnyCursor& root);

}  // namespace gpucheck::replay
