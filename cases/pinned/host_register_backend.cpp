#include <fmt/format.h>

#include "cases/pinned/host_register_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "harness/case/counting_device.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_pinned::host_register_backend {
namespace {

/// Sum of pinned floats, worked out on the device from a copy. @throws DeviceError.
double sum_on_device(runtime::Runtime& runtime, const runtime::PinnedBuffer<float>& values) {
  const device::Stream stream = runtime.current_stream();
  runtime::Buffer<float> copy(runtime, values.size(), stream);
  runtime::Buffer<double> total(runtime, 1, stream);
  runtime::copy_to_device(runtime, copy.data(), {values.data(), values.context()}, values.size_bytes(),
                          runtime::Transfer::non_blocking, stream);
  tensor::ops::sum(runtime, copy.data(), copy.size(), total.data(), stream);
  return read_one(runtime, total.data(), stream);
}

/// Looks at so many ones in such memory. Where they were.
const void* observe_ones(harness::Context& context, std::size_t size) {
  runtime::Runtime& runtime = context.runtime();
  const std::string name = fmt::format("floats_{}", size);
  runtime::PinnedBuffer<float> ones;
  context.observe(name + "_error", error_text<Error>([&] { ones = pinned_ones(runtime, size); }));
  context.observe(name + "_pinned", ones.size() > 0 && is_pinned_throughout(runtime, ones));
  context.observe(name + "_registered_bytes", context.registered_host_memory().bytes);
  context.observe(name + "_sum_on_device", ones.size() > 0 ? sum_on_device(runtime, ones) : 0.0);
  return ones.data();
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const void* last = nullptr;
  {
    const HostRegisterScope scope(runtime);
    use_host_register(runtime);
    const std::vector<float> plain(20, 1.0F);
    context.observe("plain_is_pinned", runtime::is_pinned(runtime.device(), plain.data()));
    for (const std::size_t size : register_sizes) last = observe_ones(context, size);
  }
  device::check(context.device(), context.device().synchronize(), "synchronize");
  context.observe("release_error", error_text<Error>([&] { runtime.pinned_allocator().empty_cache(); }));
  context.observe("released_is_pinned", runtime::is_pinned(runtime.device(), last));
  context.observe("blocks_left", runtime.pinned_allocator().stats().allocations.current);
}

}  // namespace

harness::Case define() {
  return {
      .name = "pinned.host_register_backend",
      .summary = "Memory that the host provides and the driver only page-locks is pinned, and usable by copies",
      .source = "test_cuda.py::TestCuda::test_pinned_memory_with_cudaregister",
      .faults = {{.name = "not_page_locked",
                  .summary = "the driver says that it page-locked memory and did not",
                  .plan = fault::registration_lost(fault::nth_call(2))},
                 {.name = "page_locking_fails",
                  .summary = "the driver cannot page-lock memory",
                  .plan = fault::registration_fails(fault::nth_call(1))},
                 {.name = "unlock_lost",
                  .summary = "memory freed stays page-locked",
                  .plan = fault::unregistration_lost(fault::every_call)},
                 {.name = "pinned_memory_unknown",
                  .summary = "the driver does not recognise page-locked memory",
                  .plan = fault::pinned_memory_unknown(fault::every_call)},
                 {.name = "lost_copy",
                  .summary = "a copy from such memory never happens",
                  .plan = fault::copy_lost(fault::nth_call(1))},
                 {.name = "flipped_bit",
                  .summary = "one bit flips in a copy from such memory",
                  .plan = fault::copy_flips_bit(fault::nth_call(3))}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pinned::host_register_backend
