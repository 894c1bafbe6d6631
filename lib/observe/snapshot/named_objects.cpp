#include "observe/snapshot/named_objects.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace gpucheck::observe {
namespace {

std::vector<NamedStream> streams_of(const MemorySnapshot& snapshot, const runtime::StreamPool& pool) {
  std::set<std::uint64_t> handles;
  for (const SnapshotSegment& segment : snapshot.segments) handles.insert(segment.info.stream.value);
  for (const TraceEntry& entry : snapshot.trace) {
    if (entry.action != runtime::MemoryAction::snapshot) handles.insert(entry.stream.value);
  }
  std::vector<NamedStream> streams;
  for (const std::uint64_t handle : handles) {
    const device::Stream stream{handle};
    streams.push_back({stream, pool.stream_id(stream), pool.name(stream)});
  }
  std::ranges::sort(streams, {}, &NamedStream::id);
  return streams;
}

std::vector<PoolUses> pools_of(const MemorySnapshot& snapshot, runtime::Runtime& runtime) {
  std::map<runtime::PoolId, std::vector<std::uint64_t>> pools;
  for (const SnapshotSegment& segment : snapshot.segments) pools.try_emplace(segment.info.pool);
  for (const TraceEntry& entry : snapshot.trace) pools.try_emplace(entry.pool);
  for (const auto& [pool, graph] : runtime.pool_owners().all()) pools[pool].push_back(graph);
  std::vector<PoolUses> uses;
  for (auto& [pool, graphs] : pools) {
    if (pool.is_default()) continue;
    uses.push_back({pool, runtime.caching_allocator().pool_use_count(pool), std::move(graphs)});
  }
  return uses;
}

}  // namespace

void name_objects(MemorySnapshot& snapshot, runtime::Runtime& runtime) {
  snapshot.streams = streams_of(snapshot, runtime.streams());
  snapshot.pools = pools_of(snapshot, runtime);
}

}  // namespace gpucheck::observe
