#include "observe/history/history_shard.hpp"

#include <new>

namespace gpucheck::observe::detail {
namespace {

using runtime::CallerNumber;
using runtime::MemoryAction;
using runtime::unknown_caller;

CallerNumber extract(HistoryShard::Contexts& contexts, std::uintptr_t address) noexcept {
  const CallerNumber context = context_of(contexts, address);
  contexts.erase(address);
  return context;
}

/// Without memory for it, a block simply has no known context.
void set(HistoryShard::Contexts& contexts, std::uintptr_t address, CallerNumber context) noexcept {
  if (context == unknown_caller) return;
  try {
    contexts.insert_or_assign(address, context);
  } catch (const std::bad_alloc&) {
    contexts.erase(address);
  }
}

}  // namespace

CallerNumber HistoryShard::follow(MemoryAction action, const runtime::MemoryEvent& event,
                                  CallerNumber context) noexcept {
  const auto own_or = [context](CallerNumber other) { return context != unknown_caller ? context : other; };
  switch (action) {
    case MemoryAction::alloc:
      set(blocks, event.address, context);
      return context;
    case MemoryAction::free_requested:
      return own_or(context_of(blocks, event.address));
    case MemoryAction::free_completed:
      return own_or(extract(blocks, event.address));
    case MemoryAction::segment_alloc:
      set(segments, event.address, context);
      return context;
    case MemoryAction::segment_free: {
      const CallerNumber allocation = extract(segments, event.address);
      return own_or(event.was_split ? unknown_caller : allocation);
    }
    case MemoryAction::segment_map:
    case MemoryAction::segment_unmap:
    case MemoryAction::oom:
    case MemoryAction::snapshot:
      break;
  }
  return context;
}

bool HistoryShard::find_origin(const Origin& origin) noexcept {
  if (origins_.size() == max_origins) return false;
  try {
    origins_.reserve(origins_.size() + 1);
    const auto [place, is_new] = numbers_.try_emplace(origin, static_cast<std::uint32_t>(origins_.size()));
    if (is_new) origins_.push_back(origin);
    last_origin_ = origin;
    last_number_ = place->second;
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void HistoryShard::record_other(MemoryAction action, bool is_completed, const runtime::MemoryEvent& event,
                                const Note& note) noexcept {
  if (!find_origin({event.stream, event.pool, note.labels})) return;
  const TraceRecord record = record_of(action, event, note);
  is_completed ? ring.push_free(record) : ring.push(record);
}

void HistoryShard::clear() noexcept {
  ring.clear();
  origins_.clear();
  numbers_.clear();
}

}  // namespace gpucheck::observe::detail
