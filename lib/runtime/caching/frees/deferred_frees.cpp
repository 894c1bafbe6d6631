#include "runtime/caching/frees/deferred_frees.hpp"

#include <algorithm>
#include <utility>

namespace gpucheck::runtime::detail {

void DeferredFrees::add_with_last_uses(Block block) {
  add(block);
  const device::Stream own = block.ref.arena->stream();
  Entry entry{std::move(block), capture_of(own)};
  if (entry.capture == 0) return;
  std::vector<device::Stream> streams{own};
  for (const StreamUse& use : entry.block.uses) {
    // PyTorch forgets work from before the capture, which is in no graph, and
    // may reuse the block while that still runs.
    if (!use.during_capture || capture_of(use.stream) != entry.capture) return;
    streams.push_back(use.stream);
  }
  for (const device::Stream stream : streams) {
    const auto nodes = device_.capture_dependencies(stream).value();
    entry.last_uses.insert(nodes.begin(), nodes.end());
  }
  entries_.back() = std::move(entry);
}

std::vector<DeferredFrees::Block> DeferredFrees::take_all() {
  pasts_.clear();
  std::vector<Block> taken;
  for (Entry& entry : entries_) taken.push_back(std::move(entry.block));
  entries_.clear();
  return taken;
}

std::vector<BlockRef> DeferredFrees::take_ordered(device::Stream stream) {
  const auto is_of_stream = [&](const Entry& entry) {
    return !entry.last_uses.empty() && entry.block.ref.arena->stream() == stream;
  };
  if (std::ranges::none_of(entries_, is_of_stream)) return {};
  const std::uint64_t capture = capture_of(stream);
  if (capture == 0) return {};
  const Nodes& past = past_of(stream, capture);
  const auto waits = [&](const Entry& entry) {
    const auto is_past = [&](device::GraphNode node) { return past.contains(node); };
    return !is_of_stream(entry) || entry.capture != capture || !std::ranges::all_of(entry.last_uses, is_past);
  };
  const auto first_ordered = std::stable_partition(entries_.begin(), entries_.end(), waits);
  std::vector<BlockRef> taken;
  for (auto entry = first_ordered; entry != entries_.end(); ++entry) taken.push_back(entry->block.ref);
  entries_.erase(first_ordered, entries_.end());
  if (entries_.empty()) pasts_.clear();
  return taken;
}

/// The default stream cannot be captured, and asking about it may be an error.
std::uint64_t DeferredFrees::capture_of(device::Stream stream) {
  if (stream == device_.default_stream()) return 0;
  const device::CaptureInfo info = device_.capture_info(stream).value();
  return info.status == device::CaptureStatus::active ? info.id : 0;
}

const DeferredFrees::Nodes& DeferredFrees::past_of(device::Stream stream, std::uint64_t capture) {
  Past& past = pasts_[stream];
  if (past.capture != capture) past = {capture};
  std::vector<device::GraphNode> next = device_.capture_dependencies(stream).value();
  while (!next.empty()) {
    const device::GraphNode node = next.back();
    next.pop_back();
    if (!past.nodes.insert(node).second) continue;
    const auto before = device_.node_dependencies(node).value();
    next.insert(next.end(), before.begin(), before.end());
  }
  return past.nodes;
}

}  // namespace gpucheck::runtime::detail
