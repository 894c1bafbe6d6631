#include "base/text/units.hpp"
#include "cases/support.hpp"
#include "cases/thrown.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::raises_oom {
namespace {

using namespace literals;

constexpr std::size_t impossible_bytes = 4096_GiB;  // 2^40 floats

void request(harness::Context& context, const std::string& prefix) {
  runtime::Runtime& runtime = context.runtime();
  auto& allocator = runtime.allocator();
  const device::Stream stream = runtime.current_stream();
  const std::int64_t ooms_before = allocator.stats().num_ooms;
  const Thrown thrown = thrown_by([&] { allocator.free(allocator.allocate(impossible_bytes, stream)); });
  context.observe(prefix + "_error_type", harness::Value(thrown.type));
  context.observe(prefix + "_error", harness::Value(thrown.text));
  context.observe(prefix + "_num_ooms", allocator.stats().num_ooms - ooms_before);
  // The error is over with it: what the device has is still given.
  context.observe(prefix + "_error_afterwards",
                  error_text<Error>([&] { const runtime::Buffer<float> possible(runtime, 1_MiB, stream); }));
}

void run(harness::Context& context) {
  request(context, "default");
  const SettingsScope settings(context.runtime(), "max_split_size_mb:1024");
  context.runtime().allocator().empty_cache();
  request(context, "max_split_size");
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.raises_oom",
      .summary = "A request beyond any device raises the error of its own type, with and without a limit on splitting",
      .source = "test_cuda.py::TestCudaMallocAsync::test_raises_oom",
      .faults = {{.name = "wrong_code",
                  .summary = "the device fails with another code than out of memory",
                  .plan = fault::failing(fault::Operation::allocate, device::Status::invalid_value, fault::every_call)},
                 {.name = "failure_lost",
                  .summary = "the device says that it allocated what it has not",
                  .plan = fault::allocation_lost(fault::nth_call(1))},
                 {.name = "stays_full",
                  .summary = "the device fails every allocation after the error",
                  .plan = fault::allocation_fails(fault::from_call(3))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::raises_oom
