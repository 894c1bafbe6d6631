#include "base/text/units.hpp"
#include "cases/alloc/pluggable/pluggable_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::pluggable_out_of_memory {
namespace {

using namespace literals;

constexpr std::size_t parts = 16;
/// On the simulated device, whose kernels run on the host, one byte in so many is written.
constexpr std::size_t simulated_stride = 1_MiB;

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
    const std::size_t stride = context.driver().kind() == "sim" ? simulated_stride : 1;
    const LibraryBlock whole = live.blocks().back();
    const LibraryBlock last_byte{whole.data + whole.bytes - 1, 1, stream};
    tensor::ops::fill_strided(runtime, whole.data, whole.bytes, std::uint8_t{0x3C}, stride, stream,
                              tensor::ops::Claim::all);
    tensor::ops::fill(runtime, last_byte.data, 1, std::uint8_t{0x3C}, stream);
    tally.verify(whole, 0x3C, stride);
    tally.verify(last_byte, 0x3C);
  }
  tally.observe(context);
}

}  // namespace

harness::Case define() {
  harness::Needs needs = pluggable_needs();
  needs.memory_fraction = 0.5;
  needs.exclusive = true;
  return {
      .name = "alloc.pluggable_out_of_memory",
      .summary = "With the device full the library answers null, and allocates again once the memory is freed",
      .source = "PyTorch's pluggable allocator interface",
      .needs = needs,
      .faults = {memory_allocated_twice(3),
                 no_memory(2),
                 lost_kernels(),
                 {.name = "flipped_bit",
                  .summary = "one bit flips in the last byte of the last block",
                  .plan = fault::kernel_flips_bit(fault::nth_call(2))},
                 {.name = "never_recovers",
                  .summary = "after the first failure the device has no memory any more",
                  .plan = fault::free_lost(fault::every_call)}},
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::pluggable_out_of_memory
