#include <algorithm>
#include <barrier>
#include <thread>
#include <vector>

#include "base/text/units.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::threads {
namespace {

using namespace literals;

constexpr std::size_t thread_count = 4;
constexpr std::size_t rounds = 20;
constexpr std::size_t blocks_each = 1000;
constexpr std::size_t block_bytes = 512;

/// Addresses that stand more than once among all that threads hold at the same time.
std::size_t count_shared(const std::vector<std::vector<void*>>& held) {
  std::vector<void*> all;
  for (const std::vector<void*>& blocks : held) all.insert(all.end(), blocks.begin(), blocks.end());
  std::ranges::sort(all);
  std::size_t shared = 0;
  for (std::size_t i = 1; i < all.size(); ++i) shared += all[i - 1] == all[i] ? 1U : 0U;
  return shared;
}

/// All threads allocate on one stream at once, and meet; then all free at once, and meet again.
std::size_t churn(runtime::CachingAllocator& allocator, device::Stream stream) {
  std::vector<std::vector<void*>> held(thread_count, std::vector<void*>(blocks_each));
  std::size_t shared = 0;
  std::barrier all_hold(thread_count, [&]() noexcept { shared += count_shared(held); });
  std::barrier all_freed(thread_count);
  std::vector<std::jthread> threads;
  for (std::vector<void*>& blocks : held) {
    threads.emplace_back([&] {
      for (std::size_t round = 0; round < rounds; ++round) {
        for (void*& block : blocks) block = allocator.allocate(block_bytes, stream);
        all_hold.arrive_and_wait();
        for (void* const block : blocks) allocator.free_without_throwing(block);
        all_freed.arrive_and_wait();
      }
    });
  }
  threads.clear();  // joins
  return shared;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  const device::Stream stream = runtime.current_stream();
  // One segment has room for all: no thread has to ask the device.
  context.observe(
      "error", error_text<runtime::OutOfMemoryError>([&] { allocator.free(allocator.allocate(block_bytes, stream)); }));
  const auto before = allocator.stats();
  if (before.reserved_bytes.all.current == 0) return;
  context.observe("blocks_in_two_hands", churn(allocator, stream));
  const auto after = allocator.stats();
  context.observe("blocks_allocated", after.allocation.all.allocated - before.allocation.all.allocated);
  context.observe("blocks_freed", after.allocation.all.freed - before.allocation.all.freed);
  context.observe("allocated_bytes_left", after.allocated_bytes.all.current);
  context.observe("rejected_frees", allocator.failed_frees().size());
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.threads",
      .summary = "Threads that allocate and free on one stream at once never get the same block, and all are counted",
      .source = "CUDACachingAllocator of PyTorch 2.11, which any thread may call",
      .needs = {.memory_bytes = 64_MiB, .caching_allocator = true},
      .faults = {{.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::threads
