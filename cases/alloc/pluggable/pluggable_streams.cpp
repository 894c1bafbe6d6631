#include <chrono>

#include "base/text/units.hpp"
#include "cases/alloc/pluggable/pluggable_support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::pluggable_streams {
namespace {

using namespace literals;

constexpr std::size_t block_bytes = 1_MiB;
constexpr std::size_t rounds = 4;
constexpr std::chrono::nanoseconds delay = std::chrono::milliseconds(50);

/// Work on `stream` that writes the block once the delay is over.
void write_late(runtime::Runtime& runtime, const LibraryBlock& block) {
  const device::kernels::Spin spin{static_cast<std::uint64_t>(delay.count())};
  device::check(runtime.device(), device::launch(runtime.device(), spin, 1, block.stream), "spin");
  tensor::ops::fill(runtime, block.data, block.bytes, std::uint8_t{7}, block.stream);
}

/// Frees a block whose stream still works on it, and allocates one for another stream.
bool exchange_round(runtime::Runtime& runtime, LibraryBlocks& live, ByteTally& tally) {
  const device::Stream busy = runtime.streams().next();
  const device::Stream quick = runtime.streams().next();
  const LibraryBlock first = live.allocate(block_bytes, busy);
  if (first.data == nullptr) return false;
  write_late(runtime, first);
  live.free(live.blocks().size() - 1);
  const LibraryBlock second = live.allocate(block_bytes, quick);
  if (second.data == nullptr) return false;
  tensor::ops::fill(runtime, second.data, second.bytes, std::uint8_t{9}, quick);
  device::check(runtime.device(), runtime.device().synchronize(), "synchronize");
  tally.verify(second, 9);
  live.free(live.blocks().size() - 1);
  return true;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  ByteTally tally(runtime);
  std::size_t completed = 0;
  {
    LibraryBlocks live(runtime);
    for (std::size_t i = 0; i < rounds; ++i) completed += exchange_round(runtime, live, tally);
  }
  context.observe("rounds", completed);
  tally.observe(context);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.pluggable_streams",
      .summary = "Memory that one stream still writes to is not given to another one",
      .source = "PyTorch's pluggable allocator interface",
      .needs = pluggable_needs(),
      .faults = {no_memory(3),
                 lost_kernels(),
                 {.name = "flipped_bit",
                  .summary = "one bit flips in the block that the second stream wrote",
                  .plan = fault::kernel_flips_bit(fault::nth_call(3))}},
      .deadline = std::chrono::seconds(20),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::pluggable_streams
