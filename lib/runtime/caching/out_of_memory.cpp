#include "runtime/caching/out_of_memory.hpp"

#include <fmt/format.h>

#include "base/text/units.hpp"

namespace gpucheck::runtime::detail {

std::string out_of_memory_text(const OutOfMemoryState& state, std::optional<std::uint64_t> process_bytes) {
  const std::uint64_t allocated = state.allocated + state.private_free;
  std::string text =
      fmt::format("CUDA out of memory. Tried to allocate {}. GPU {} has a total capacity of {} of which {} is free. ",
                  format_bytes(state.segment_bytes), state.device_ordinal, format_bytes(state.memory.total_bytes),
                  format_bytes(state.memory.free_bytes));
  if (process_bytes) {
    text +=
        fmt::format("Including non-PyTorch memory, this process has {} memory in use. ", format_bytes(*process_bytes));
  }
  if (state.limit) text += fmt::format("{} allowed; ", format_bytes(*state.limit));
  text += fmt::format("Of the allocated memory {} is allocated by PyTorch, ", format_bytes(allocated));
  if (state.private_free > 0) {
    text += fmt::format("with {} allocated in private pools (e.g., CUDA Graphs), ", format_bytes(state.private_free));
  }
  text += fmt::format("and {} is reserved by PyTorch but unallocated. ", format_bytes(state.reserved - allocated));
  text +=
      "If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to "
      "avoid fragmentation.  See documentation for Memory Management  "
      "(https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)";
  return text;
}

}  // namespace gpucheck::runtime::detail
