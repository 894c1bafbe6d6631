#include <algorithm>
#include <string_view>

#include "base/text/units.hpp"
#include "cases/snapshot/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_snapshot::callers {

using namespace literals;
using Block = runtime::Buffer<std::uint8_t>;

/// Not in the unnamed namespace, so that stacks name it; its frame must stay on the stack.
[[gnu::noinline]] Block block_of_a_known_caller(runtime::Runtime& runtime, std::size_t bytes) {
  Block block(runtime, bytes, runtime.current_stream());
  asm volatile("" ::: "memory");
  return block;
}

namespace {

constexpr std::string_view caller = "block_of_a_known_caller";
constexpr std::size_t small_bytes = 1000;
constexpr std::size_t large_bytes = 32_MiB;

/// Whether the segment of the large block says who it was obtained for.
bool segment_names_caller(const observe::MemorySnapshot& snapshot) {
  const auto large = std::ranges::find_if(snapshot.segments, [](const auto& segment) { return segment.info.is_large; });
  return large != snapshot.segments.end() && names(snapshot.stacks[large->stack], caller);
}

bool block_names_caller(const observe::MemorySnapshot& snapshot, std::size_t bytes) {
  return names(find_live(snapshot, bytes).stack, caller);
}

void run(harness::Context& context) {
  require_symbols();
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  history.record({.recording = observe::Recording::state, .context = observe::ContextLevel::state});
  Block small;
  Block large;
  observe_error_of(context, "error", [&] {
    small = block_of_a_known_caller(runtime, small_bytes);
    large = block_of_a_known_caller(runtime, large_bytes);
  });
  const observe::MemorySnapshot recorded = history.snapshot();
  context.observe("small_block_names_its_caller", block_names_caller(recorded, small_bytes));
  context.observe("large_block_names_its_caller", block_names_caller(recorded, large_bytes));
  context.observe("segment_names_its_caller", segment_names_caller(recorded));

  // Nobody notes any more who allocates: at the address of the small block stands another one soon.
  history.record({.recording = observe::Recording::off});
  const void* const address = small.data();
  small = {};
  observe_error_of(context, "error_of_a_later_block",
                   [&] { small = Block(runtime, small_bytes, runtime.current_stream()); });
  const observe::MemorySnapshot later = history.snapshot();
  context.observe("later_block_at_its_address", address != nullptr && small.data() == address);
  context.observe("later_block_names_the_caller_before_it", block_names_caller(later, small_bytes));
  context.observe("large_block_still_names_its_caller", block_names_caller(later, large_bytes));
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.callers",
      .summary = "Blocks and segments say who they were allocated for, and forget it when they are freed",
      .source = "torch.cuda.memory._snapshot() of PyTorch 2.11: frames of segments and blocks",
      .needs = {.memory_bytes = 64_MiB, .caching_allocator = true},
      .faults = {{.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::every_call)},
                 {.name = "large_block_fails",
                  .summary = "the device fails to allocate the second segment",
                  .plan = fault::allocation_fails(fault::from_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::callers
