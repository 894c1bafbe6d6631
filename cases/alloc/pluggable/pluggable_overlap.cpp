#include <random>

#include "base/text/units.hpp"
#include "cases/alloc/pluggable/pluggable_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::pluggable_overlap {
namespace {

using namespace literals;

constexpr std::size_t actions = 400;
constexpr std::size_t max_live = 48;

std::uint8_t value_of(const LibraryBlock& block) {
  return static_cast<std::uint8_t>(1 + (reinterpret_cast<std::uintptr_t>(block.data) / 512 + block.bytes) % 255);
}

/// From a byte to 4 MiB, small ones as often as large ones.
std::size_t draw_size(std::mt19937_64& random) {
  const std::size_t limit = std::size_t{1} << (random() % 23);
  return 1 + random() % limit;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  ByteTally tally(runtime);
  LibraryBlocks live(runtime);
  std::mt19937_64 random(context.seed());
  std::size_t failed = 0;
  std::size_t overlaps = 0;
  const auto retire = [&](std::size_t index) {
    tally.verify(live.blocks()[index], value_of(live.blocks()[index]));
    live.free(index);
  };
  for (std::size_t i = 0; i < actions; ++i) {
    if (live.blocks().size() == max_live || (!live.blocks().empty() && random() % 3 == 0)) {
      retire(random() % live.blocks().size());
      continue;
    }
    const LibraryBlock block = live.allocate(draw_size(random), stream);
    if (block.data == nullptr) {
      ++failed;
      continue;
    }
    overlaps += count_overlaps(live.blocks());
    tensor::ops::fill(runtime, block.data, block.bytes, value_of(block), stream);
  }
  while (!live.blocks().empty()) retire(live.blocks().size() - 1);
  context.observe("requests_failed", failed);
  context.observe("overlaps", overlaps);
  tally.observe(context);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.pluggable_overlap",
      .summary = "Blocks that the library has allocated share no byte, and keep what was written to them",
      .source = "PyTorch's pluggable allocator interface",
      .needs = pluggable_needs(),
      .faults = {memory_allocated_twice(5), no_memory(10), lost_kernels()},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::pluggable_overlap
