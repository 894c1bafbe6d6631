#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "replay/formats/trace/trace.hpp"

/// The words of a trace's operations: what the reader reads and the reports write.
namespace gpucheck::replay {

enum class OperationField : std::uint8_t {
  op,
  id,
  size,
  stream,
  same_address_as,
  oom,
  pool,
  use_on_oom,
  no_split,
  graph,
  shares_pool_of,
  settings,
  memory_limit,
};
inline constexpr std::array<std::string_view, 13> operation_field_names{
    "op",         "id",       "size",  "stream",         "same_address_as", "oom",         "pool",
    "use_on_oom", "no_split", "graph", "shares_pool_of", "settings",        "memory_limit"};

/// An operation's fields in the order of its short form; the first `needed` must be there.
struct OperationShape {
  std::string_view name;
  std::array<OperationField, 5> field_room{};
  std::size_t field_count = 0;
  std::size_t needed = 0;
  [[nodiscard]] constexpr std::span<const OperationField> fields() const noexcept {
    return std::span(field_room).first(field_count);
  }
};

namespace detail {
using enum OperationField;
/// In the order of Action; what is in no trace file has none.
inline constexpr std::array<OperationShape, 18> operation_shapes{{
    {"alloc", {id, size, stream, same_address_as, oom}, 5, 2},
    {"free", {id}, 1, 1},
    {"record_stream", {id, stream}, 2, 2},
    {"synchronize", {}, 0, 0},
    {"empty_cache", {}, 0, 0},
    {"occupy_stream", {stream}, 1, 1},
    {"reset_peak_stats", {}, 0, 0},
    {"reset_accumulated_stats", {}, 0, 0},
    {"set_memory_limit", {memory_limit}, 1, 1},
    {"set_settings", {settings}, 1, 1},
    {"create_pool", {pool, use_on_oom, no_split}, 3, 1},
    {"delete_pool", {pool}, 1, 1},
    {"begin_pool", {pool}, 1, 1},
    {"end_pool", {pool}, 1, 1},
    {"begin_capture", {graph, stream, shares_pool_of}, 3, 2},
    {"end_capture", {graph}, 1, 1},
    {"replay_graph", {graph}, 1, 1},
    {"delete_graph", {graph}, 1, 1},
}};
static_assert(operation_shapes.size() == static_cast<std::size_t>(Action::try_allocate));
}  // namespace detail

[[nodiscard]] constexpr const OperationShape& shape_of(Action action) noexcept {
  const auto is_in_files = action < Action::try_allocate;
  return detail::operation_shapes[is_in_files ? static_cast<std::size_t>(action) : frees(action) ? 1 : 0];
}

}  // namespace gpucheck::replay
