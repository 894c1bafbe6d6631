#include "base/units.hpp"
#include "cases/alloc/pluggable_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case.hpp"

namespace gpucheck::cases::in_alloc {
namespace {

using namespace literals;

constexpr std::size_t parts = 16;
constexpr std::size_t verified_bytes = 1_MiB;

/// Allocates until the library has no memory, but no more than half as much again as the
/// device has.
std::size_t allocate_all(LibraryBlocks& live, std::size_t part_bytes, device::Stream stream) {
  while (live.blocks().size() < parts * 3 / 2 && live.allocate(part_bytes, stream).data != nullptr) {
  }
  return live.blocks().size();
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  const std::uint64_t total = context.device().properties().total_memory_bytes;
  const std::size_t part_bytes = total / parts;
  ByteTally tally(runtime);
  LibraryBlocks live(runtime);
  const std::size_t first = allocate_all(live, part_bytes, stream);
  context.observe("allocation_succeeded", first > 0);
  context.observe("allocated_more_than_total", first * part_bytes > total);
  live.free_all();
  const std::size_t second = allocate_all(live, part_bytes, stream);
  context.observe("allocated_as_much_again", second >= first);
  if (second > 0) {
    const LibraryBlock whole = live.blocks().back();
    const LibraryBlock block{whole.data + whole.bytes - verified_bytes, verified_bytes, stream};
    tensor::ops::fill(runtime, block.data, block.bytes, std::uint8_t{0x3C}, stream);
    tally.verify(block, 0x3C);
  }
  tally.observe(context);
}

}  // namespace

harness::Case pluggable_out_of_memory() {
  harness::Needs needs = pluggable_needs();
  needs.memory_fraction = 0.5;
  needs.exclusive = true;
  return {
      .name = "alloc.pluggable_out_of_memory",
      .summary = "With the device full the library answers null, and allocates again once the memory is freed",
      .source = "PyTorch's pluggable allocator interface",
      .needs = needs,
      .faults = {memory_allocated_twice(3),
                 no_memory(1),
                 lost_kernels(),
                 {.name = "never_recovers",
                  .summary = "after the first failure the device has no memory any more",
                  .plan = fault::free_lost(fault::every_call)}},
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc
