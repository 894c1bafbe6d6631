#include "runtime/caching/frees/waiting_frees.hpp"

#include <utility>

namespace gpucheck::runtime::detail {

void WaitingFrees::add(BlockRef ref, std::vector<StreamUse> uses, Means means) {
  switch (means) {
    case Means::events:
      pending_.add(ref, uses);
      break;
    case Means::end_of_capture:
      deferred_.add({ref, std::move(uses)});
      break;
    case Means::capture_order:
      deferred_.add_with_last_uses({ref, std::move(uses)});
      break;
  }
  update_slow_path();
}

void WaitingFrees::finish(BlockRef ref) {
  const Block& block = ref.block();
  recording_.record(*ref.arena, MemoryAction::free_completed, block.address, block.requested);
  statistics_.admit_closed(*ref.arena);
  ref.heap().finish_pending_free(ref.index);
}

void WaitingFrees::poll() {
  process_deferred();
  pending_.poll([this](BlockRef ref) { finish(ref); });
  update_slow_path();
}

/// Streams recorded while a capture was open have been joined by its end, or are
/// part of the graph: only those recorded outside it need an event.
void WaitingFrees::process_deferred() {
  for (DeferredFrees::Block& block : deferred_.take_all()) {
    std::erase_if(block.uses, [](const StreamUse& use) { return use.during_capture; });
    if (!pending_.add(block.ref, block.uses)) finish(block.ref);
  }
}

void WaitingFrees::finish_ordered(device::Stream stream) {
  for (const BlockRef ref : deferred_.take_ordered(stream)) finish(ref);
  update_slow_path();
}

void WaitingFrees::synchronize(const Pool* pool) {
  statistics_.all_streams_synchronized();
  process_deferred();
  pending_.wait(pool, [this](BlockRef ref) { finish(ref); });
  update_slow_path();
}

}  // namespace gpucheck::runtime::detail
