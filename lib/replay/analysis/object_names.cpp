#include "replay/analysis/object_names.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

#include "base/text/count_text.hpp"
#include "replay/analysis/snapshot_summary.hpp"

namespace gpucheck::replay {
namespace {

constexpr std::size_t most_graphs_named = 4;

/// What the number alone says, by PyTorch's rule: (k, 0) a capture made for itself, (0, k) is
/// made to be shared.
std::string maker_of(PoolId pool) {
  if (pool.second == 0) return " of a graph";
  return pool.first == 0 ? ", made to be shared" : "";
}

std::string users_of(const SnapshotPool& uses) {
  if (uses.use_count == 0) return ", released";
  const std::span graphs = std::span(uses.graphs).first(std::min(uses.graphs.size(), most_graphs_named));
  std::string text;
  if (!graphs.empty())
    text = fmt::format(" of graph{} {}", uses.graphs.size() == 1 ? "" : "s", fmt::join(graphs, ", "));
  if (uses.graphs.size() > graphs.size()) text += fmt::format(" and {} more", uses.graphs.size() - graphs.size());
  const std::uint64_t others = uses.use_count - std::min<std::uint64_t>(uses.use_count, uses.graphs.size());
  if (others > 0) text += ", " + count_text(others, "other use");
  return text;
}

}  // namespace

ObjectNames::ObjectNames(const Snapshot& snapshot, std::size_t device) {
  for (const SnapshotStream& stream : snapshot.streams) {
    if (stream.device == device) streams_[stream.handle] = &stream;
  }
  for (const SnapshotPool& pool : snapshot.pools) {
    if (pool.device == device) pools_[pool.pool] = &pool;
  }
}

const SnapshotStream* ObjectNames::find_stream(std::uint64_t handle) const {
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second;
}

const SnapshotPool* ObjectNames::find_pool(PoolId pool) const {
  const auto found = pools_.find(pool);
  return found == pools_.end() ? nullptr : found->second;
}

std::string ObjectNames::stream(std::uint64_t handle) const {
  const SnapshotStream* const known = find_stream(handle);
  return known == nullptr ? fmt::format("0x{:x}", handle) : fmt::format("{} ({})", known->id, known->name);
}

std::string ObjectNames::pool(PoolId pool) const { return pool_name(pool) + users(pool); }

std::string ObjectNames::users(PoolId pool) const {
  if (pool == PoolId{0, 0}) return "";
  const SnapshotPool* const known = find_pool(pool);
  return known == nullptr ? maker_of(pool) : users_of(*known);
}

}  // namespace gpucheck::replay
