#include <algorithm>

#include "base/text/units.hpp"
#include "cases/support.hpp"
#include "cases/thrown.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_alloc::memory_fraction {
namespace {

using namespace literals;

std::int64_t ones_in(runtime::Runtime& runtime, const runtime::Buffer<float>& tensor, device::Stream stream) {
  const std::vector<float> values = read(runtime, tensor.data(), tensor.size(), stream);
  return std::ranges::count(values, 1.0F);
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  auto& allocator = runtime.allocator();
  const device::Stream stream = runtime.current_stream();
  const auto total = static_cast<double>(context.device().properties().total_memory_bytes);
  const auto rejection = [&](double fraction) {
    return error_text<UsageError>([&] { allocator.set_memory_fraction(fraction); });
  };
  const auto allocate = [&](double bytes) {
    return error_text<Error>([&] { allocator.free(allocator.allocate(static_cast<std::size_t>(bytes), stream)); });
  };
  context.observe("negative_fraction_error", rejection(-0.1));
  context.observe("fraction_above_one_error", rejection(2.0));
  context.observe("fraction_after_errors", harness::Value(allocator.memory_fraction()));

  allocator.empty_cache();
  runtime::Buffer<float> tensor(runtime, 1024, stream);
  tensor::ops::fill(runtime, tensor.data(), tensor.size(), 0.0F, stream);
  {
    const MemoryFractionScope half(runtime, 0.5);
    context.observe("fraction_set", harness::Value(allocator.memory_fraction()));
    const auto max_reserved = static_cast<double>(allocator.stats().reserved_bytes.all.peak);
    context.observe("error_below_the_limit", allocate(0.499 * total - max_reserved));
    allocator.empty_cache();
    const auto before = allocator.stats();
    const Thrown refusal =
        thrown_by([&] { allocator.free(allocator.allocate(static_cast<std::size_t>(0.5 * total), stream)); });
    context.observe("type_of_error_above_the_limit", harness::Value(refusal.type));
    context.observe("error_above_the_limit", harness::Value(refusal.text));
    context.observe("num_ooms", allocator.stats().num_ooms - before.num_ooms);
    context.observe("num_alloc_retries", allocator.stats().num_alloc_retries - before.num_alloc_retries);
    // The limit refused that request, and nothing else: neither memory nor work that fits.
    context.observe("error_after_refusal", allocate(static_cast<double>(64_MiB)));
    tensor::ops::fill(runtime, tensor.data(), tensor.size(), 1.0F, stream);
    context.observe("ones_after_refusal", ones_in(runtime, tensor, stream));
  }
  context.observe("fraction_at_end", harness::Value(allocator.memory_fraction()));
  context.observe("error_without_limit", allocate(0.5 * total));
  allocator.empty_cache();
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.memory_fraction",
      .summary = "A process limited to half of the memory fails to allocate more, and nothing else",
      .source = "test_cuda.py::TestCuda::test_set_per_process_memory_fraction",
      .needs = {.memory_fraction = 0.6, .exclusive = true},
      .faults = {{.name = "full_before_the_limit",
                  .summary = "the device fails to allocate memory below the limit",
                  .plan = fault::allocation_fails({.first = 2, .times = 2})},
                 {.name = "full_after_the_refusal",
                  .summary = "the device fails to allocate what fits under the limit, once that has rejected more",
                  .plan = fault::allocation_fails({.first = 3, .times = 2})},
                 {.name = "full_without_limit",
                  .summary = "the device fails to allocate half of its memory once the limit is gone",
                  .plan = fault::allocation_fails(fault::from_call(4))},
                 {.name = "memory_info_lost",
                  .summary = "the device cannot say how much memory is free, as the error has to",
                  .plan = fault::memory_info_fails(fault::from_call(2))},
                 {.name = "fill_lost_after_error",
                  .summary = "kernels no longer run after the error",
                  .plan = fault::kernel_lost(fault::from_call(2))},
                 {.name = "free_ignored",
                  .summary = "memory freed never comes back to the device",
                  .plan = fault::free_lost(fault::every_call)}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::memory_fraction
