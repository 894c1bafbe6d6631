#include "base/text/units.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_alloc::caching_disabled_raw_alloc {
namespace {

using namespace literals;

/// Switches caching for a scope; on afterwards.
class CachingScope {
 public:
  CachingScope(runtime::Runtime& runtime, bool enabled) : runtime_(runtime) {
    runtime.caching_allocator().set_caching(enabled);
  }
  ~CachingScope() { runtime_.caching_allocator().set_caching(true); }
  CachingScope(const CachingScope&) = delete;
  CachingScope& operator=(const CachingScope&) = delete;

 private:
  runtime::Runtime& runtime_;
};

void observe_request(harness::Context& context, const std::string& prefix, std::uint8_t value) {
  runtime::Runtime& runtime = context.runtime();
  auto& allocator = runtime.allocator();
  const device::Stream stream = runtime.current_stream();
  const auto before = allocator.stats();
  std::uint8_t* memory = nullptr;
  int last_byte = -1;
  const std::string error = error_text<Error>([&] {
    memory = static_cast<std::uint8_t*>(allocator.allocate(1_MiB, stream));
    tensor::ops::fill(runtime, memory, 1_MiB, value, stream);
    last_byte = read_one(runtime, memory + 1_MiB - 1, stream);
  });
  const auto after = allocator.stats();
  context.observe(prefix + "_requested_bytes",
                  after.requested_bytes.all.allocated - before.requested_bytes.all.allocated);
  context.observe(prefix + "_reserved_bytes", after.reserved_bytes.all.allocated - before.reserved_bytes.all.allocated);
  context.observe(prefix + "_error", error);
  context.observe(prefix + "_last_byte", last_byte);
  allocator.free(memory);
}

void run(harness::Context& context) {
  {
    const CachingScope off(context.runtime(), false);
    observe_request(context, "uncached", 0x11);
  }
  const CachingScope on(context.runtime(), true);
  observe_request(context, "cached", 0x22);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.caching_disabled_raw_alloc",
      .summary = "With caching off a request goes straight to the device, and no statistic knows of it",
      .source = "test_cuda.py::TestCudaMallocAsync::test_cachingAllocator_raw_alloc",
      .faults = {{.name = "nothing_allocated",
                  .summary = "the device says that it allocated memory, but did not",
                  .plan = fault::allocation_lost(fault::nth_call(1))},
                 {.name = "lost_write",
                  .summary = "what is written to the memory never arrives",
                  .plan = fault::kernel_lost(fault::nth_call(2))},
                 {.name = "flipped_bit",
                  .summary = "one bit changes in the last byte that was written",
                  .plan = fault::kernel_flips_bit(fault::nth_call(2), {.from = fault::Place::From::end})},
                 {.name = "lost_read",
                  .summary = "what is read back never arrives at the host",
                  .plan = fault::copy_lost(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::caching_disabled_raw_alloc
