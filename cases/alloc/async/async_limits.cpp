#include <string>

#include "base/text/units.hpp"
#include "cases/alloc/async/async_support.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::async_limits {
namespace {

using namespace literals;

/// A power of two, so that the share is exact.
constexpr double limited_fraction = 1.0 / 1024;

std::string allocation_error(AsyncRuntime& async, std::uint64_t bytes) {
  return error_text<Error>([&] { async.allocator().free(async.allocator().allocate(bytes, async.stream())); });
}

void synchronize(AsyncRuntime& async) { device::check(async.device(), async.device().synchronize(), "synchronize"); }

/// What the device refuses, or could not even be asked for, leaves nothing behind. There is no limit yet.
void observe_refusals(harness::Context& context, AsyncRuntime& async) {
  async.device().fail_next_capture_mode();
  static_cast<void>(allocation_error(async, 1_MiB));
  context.observe("live_bytes_after_a_failure", async.allocator().live_allocations().bytes);
  context.observe("error_of_1024_gib", allocation_error(async, 1024_GiB));
  context.observe("error_left_on_the_device", std::string(device::status_name(async.device().last_error())));
  context.observe("error_of_an_exabyte", allocation_error(async, std::uint64_t{1} << 60U));
}

/// The fraction is granted to its last byte.
void observe_fraction(harness::Context& context, AsyncRuntime& async) {
  const std::uint64_t limit = async.device().properties().total_memory_bytes / 1024;
  async.allocator().set_memory_fraction(limited_fraction);
  context.observe("error_of_all_of_the_fraction", allocation_error(async, limit));
  context.observe("error_of_one_byte_more", allocation_error(async, limit + 1));
  async.allocator().set_memory_fraction(1.0);
}

void observe_cache(harness::Context& context, AsyncRuntime& async) {
  context.observe("error_of_64_mib", allocation_error(async, 64_MiB));
  synchronize(async);
  const auto cached = async.allocator().stats();
  context.observe("allocated_bytes_when_freed", cached.allocated_bytes.all.current);
  context.observe("keeps_what_is_freed", cached.reserved_bytes.all.current >= std::int64_t{64_MiB});
  async.allocator().empty_cache();
  context.observe("reserved_bytes_after_empty_cache", async.allocator().stats().reserved_bytes.all.current);
}

void run(harness::Context& context) {
  AsyncRuntime async(context);
  observe_refusals(context, async);
  observe_fraction(context, async);
  observe_cache(context, async);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.async_limits",
      .summary = "The cudaMallocAsync backend grants its fraction to the byte, and gives its cache back when asked to",
      .source = "cudaMallocAsync backend of PyTorch 2.11: set_per_process_memory_fraction(), empty_cache()",
      .needs = {.memory_bytes = 1_GiB},
      .faults = {{.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::failing(fault::Operation::allocate_async, device::Status::out_of_memory,
                                         fault::every_call)},
                 {.name = "free_lost",
                  .summary = "memory freed never comes back",
                  .plan = fault::broken(fault::Operation::free_async, fault::Effect::drop, fault::every_call)},
                 {.name = "trim_lost",
                  .summary = "the pool keeps what it is asked to release",
                  .plan = fault::broken(fault::Operation::trim_async_pool, fault::Effect::drop, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::async_limits
