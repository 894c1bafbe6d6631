#include "base/text/units.hpp"
#include "cases/alloc/pluggable/pluggable_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::pluggable_sizes {
namespace {

using namespace literals;

/// PyTorch passes requests for nothing on, and keys its records by the pointer: two
/// answers that are alike, other than null, break its books.
bool nothing_is_null_or_distinct(const runtime::PluggableLibrary& library, device::Stream stream) {
  void* const first = library.allocate(0, stream);
  void* const second = library.allocate(0, stream);
  library.free(second, 0, stream);
  library.free(first, 0, stream);
  return first == nullptr || first != second;
}

bool fails(const runtime::PluggableLibrary& library, std::size_t bytes, device::Stream stream) {
  void* const pointer = library.allocate(bytes, stream);
  if (pointer != nullptr) library.free(pointer, bytes, stream);
  return pointer == nullptr;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  const runtime::PluggableLibrary& library = runtime.pluggable_library();
  ByteTally tally(runtime);
  const std::uint64_t total = context.device().properties().total_memory_bytes;
  context.observe("nothing_is_null_or_distinct", nothing_is_null_or_distinct(library, stream));
  context.observe("twice_the_memory_rejected", fails(library, 2 * total, stream));
  context.observe("four_exabytes_rejected", fails(library, std::size_t{1} << 62U, stream));
  context.observe("max_size_rejected", fails(library, ~std::size_t{0}, stream));
  // Still usable.
  LibraryBlocks live(runtime);
  const LibraryBlock block = live.allocate(1_MiB, stream);
  context.observe("usable_afterwards", block.data != nullptr);
  if (block.data != nullptr) {
    tensor::ops::fill(runtime, block.data, block.bytes, std::uint8_t{0x5A}, stream);
    tally.verify(block, 0x5A);
  }
  tally.observe(context);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.pluggable_sizes",
      .summary = "The library takes requests for nothing and for more than there is, and works on afterwards",
      .source = "PyTorch's pluggable allocator interface",
      .needs = pluggable_needs(),
      .faults = {no_memory(2),
                 lost_kernels(),
                 {.name = "flipped_bit",
                  .summary = "one bit of the block that follows flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::pluggable_sizes
