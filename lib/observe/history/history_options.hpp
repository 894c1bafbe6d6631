#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/allocator/memory_recorder.hpp"

namespace gpucheck::observe {

/// How much is remembered.
enum class Recording : std::uint8_t {
  off,
  state,  ///< what is in use now, and the last event
  all,    ///< also past events
};

/// Where stacks are kept.
enum class ContextLevel : std::uint8_t {
  none,
  state,  ///< of the allocation of each live block and segment
  alloc,  ///< also with the events; a free shows where its block was allocated
  all,    ///< also of frees and of the calls that release segments
};

enum class StackKind : std::uint8_t {
  brief,  ///< "python": scopes and the user's own functions
  full,   ///< "all": every native frame too
};

/// What PyTorch's record_memory_history takes.
struct HistoryOptions {
  Recording recording = Recording::all;
  ContextLevel context = ContextLevel::all;
  StackKind stacks = StackKind::full;
  /// Events to keep, at least 1, when everything is recorded.
  std::size_t max_entries = std::numeric_limits<std::size_t>::max();
  bool clear_history = false;
  /// Not kept. Segments mapped and unmapped always are, as are snapshots.
  std::vector<runtime::MemoryAction> skip_actions = {};
};

/// PyTorch's words for them; no text is None. @throws UsageError with PyTorch's text for
/// any other.
Recording parse_recording(std::optional<std::string_view> text);
ContextLevel parse_context(std::optional<std::string_view> text);
StackKind parse_stacks(std::string_view text);
/// @throws UsageError for an action that cannot be skipped.
std::vector<runtime::MemoryAction> parse_skip_actions(const std::vector<std::string_view>& names);

}  // namespace gpucheck::observe
