#include "base/text/units.hpp"
#include "cases/alloc/pluggable/pluggable_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::pluggable_alignment {
namespace {

using namespace literals;

constexpr std::size_t sizes[] = {1, 7, 16, 100, 255, 511, 513, 4097, 65'537, 1_MiB - 1, 1_MiB + 1, 20_MiB + 3};

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  LibraryBlocks live(runtime);
  std::size_t failed = 0;
  for (const std::size_t bytes : sizes) failed += live.allocate(bytes, runtime.current_stream()).data == nullptr;
  const auto misaligned = [&](std::uintptr_t alignment) {
    return std::int64_t{std::ranges::count_if(live.blocks(), [alignment](const LibraryBlock& block) {
      return reinterpret_cast<std::uintptr_t>(block.data) % alignment != 0;
    })};
  };
  context.observe("requests_failed", failed);
  context.observe("blocks", live.blocks().size());
  context.observe("not_aligned_to_256", misaligned(256));
  context.observe("not_aligned_to_512", misaligned(512));
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.pluggable_alignment",
      .summary = "Every block of the library begins where kernels may expect it to, whatever its size",
      .source = "PyTorch's pluggable allocator interface",
      .needs = pluggable_needs(),
      .faults = {no_memory(1),
                 {.name = "misaligned_memory",
                  .summary = "the library's memory does not begin where the device's should",
                  .plan = fault::memory_misaligned(fault::nth_call(3))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::pluggable_alignment
