#include <utility>

#include "base/text/units.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::oom_retry {
namespace {

using namespace literals;

/// How the counters moved since it was made.
class CounterChange {
 public:
  explicit CounterChange(runtime::CachingAllocator& allocator) : allocator_(allocator), before_(allocator.stats()) {}
  [[nodiscard]] std::int64_t retries() const {
    return allocator_.stats().num_alloc_retries - before_.num_alloc_retries;
  }
  [[nodiscard]] std::int64_t ooms() const { return allocator_.stats().num_ooms - before_.num_ooms; }

 private:
  runtime::CachingAllocator& allocator_;
  runtime::MemoryStatistics before_;
};

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  const device::Stream stream = runtime.current_stream();
  const std::uint64_t half = context.device().properties().total_memory_bytes / 2;
  allocator.empty_cache();

  void* block = nullptr;
  const auto allocate = [&](std::uint64_t bytes) {
    return error_text<runtime::OutOfMemoryError>([&] { block = allocator.allocate(bytes, stream); });
  };
  const auto free_block = [&] { allocator.free(std::exchange(block, nullptr)); };
  context.observe("first_half_error", allocate(half));
  const CounterChange failed(allocator);
  context.observe("second_half_error",
                  error_text<runtime::OutOfMemoryError>([&] { allocator.free(allocator.allocate(half, stream)); }));
  context.observe("retries_before_failure", failed.retries());
  context.observe("ooms_before_failure", failed.ooms());

  // Freed, it stays in the cache: the same request is served from there.
  free_block();
  const CounterChange cached(allocator);
  context.observe("second_half_error_after_free", allocate(half));
  context.observe("retries_when_cached", cached.retries());

  // A larger one is not: the cache has to go back to the device first.
  free_block();
  const CounterChange too_small(allocator);
  context.observe("larger_error", allocate(half + 64_MiB));
  context.observe("retries_when_cache_is_too_small", too_small.retries());
  context.observe("ooms_when_cache_is_too_small", too_small.ooms());

  free_block();
  allocator.empty_cache();
  allocator.reset_peak_stats();
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.oom_retry",
      .summary = "An allocation that finds the device full frees cached memory and tries again",
      .source = "test_cuda.py::TestCuda::test_out_of_memory_retry",
      .needs = {.memory_fraction = 0.6, .exclusive = true},
      .faults = {{.name = "first_allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails({.first = 1, .times = 2})},
                 {.name = "retry_fails",
                  .summary = "the device stays full although memory was freed",
                  .plan = fault::allocation_fails(fault::from_call(4))},
                 {.name = "free_ignored",
                  .summary = "memory freed never comes back to the device",
                  .plan = fault::free_lost(fault::every_call)},
                 {.name = "memory_allocated_twice",
                  .summary = "the device allocates memory that is in use instead of failing",
                  .plan = fault::memory_allocated_twice(fault::from_call(2))}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::oom_retry
