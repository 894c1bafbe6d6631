#include <fmt/format.h>

#include "base/units.hpp"
#include "runtime/caching/detail/state.hpp"

namespace gpucheck::runtime {

void CachingAllocator::State::fail(const Request& request, Exclusive& lock) {
  const device::MemoryInfo memory = device_.memory_info().value();
  record(*request.arena, MemoryAction::oom, memory.free_bytes, request.rounded);
  ++totals_.num_ooms;
  const auto query = process_memory_query_;
  const std::string text = out_of_memory_text(request, memory, query ? query() : std::optional<std::uint64_t>{});
  const OutOfMemoryReport report{device_.ordinal(), request.segment_bytes, limit_.value_or(memory.total_bytes),
                                 memory.free_bytes};
  const auto observers = observers_;
  lock.unlock();
  for (const auto& observer : observers) observer(report);
  throw OutOfMemoryError(text);
}

/// PyTorch 2.11's words. Free blocks of private pools count as allocated, since no other
/// request can have them.
std::string CachingAllocator::State::out_of_memory_text(const Request& request, const device::MemoryInfo& memory,
                                                        std::optional<std::uint64_t> process_bytes) {
  std::uint64_t private_free = 0;
  for (const auto& [id, pool] : pools_) {
    for (const Arena* arena : pool->arenas) private_free += arena->free_bytes();
  }
  const auto reserved = static_cast<std::uint64_t>(totals_.reserved_bytes.all.current);
  const std::uint64_t allocated =
      static_cast<std::uint64_t>(ledger_.current(counters_, detail::allocated_bytes)) + private_free;
  std::string text =
      fmt::format("CUDA out of memory. Tried to allocate {}. GPU {} has a total capacity of {} of which {} is free. ",
                  format_bytes(request.segment_bytes), device_.ordinal(), format_bytes(memory.total_bytes),
                  format_bytes(memory.free_bytes));
  if (process_bytes) {
    text +=
        fmt::format("Including non-PyTorch memory, this process has {} memory in use. ", format_bytes(*process_bytes));
  }
  if (limit_) text += fmt::format("{} allowed; ", format_bytes(*limit_));
  text += fmt::format("Of the allocated memory {} is allocated by PyTorch, ", format_bytes(allocated));
  if (private_free > 0) {
    text += fmt::format("with {} allocated in private pools (e.g., CUDA Graphs), ", format_bytes(private_free));
  }
  text += fmt::format("and {} is reserved by PyTorch but unallocated. ", format_bytes(reserved - allocated));
  text +=
      "If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to "
      "avoid fragmentation.  See documentation for Memory Management  "
      "(https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)";
  return text;
}

}  // namespace gpucheck::runtime
