#include <optional>

#include "base/text/units.hpp"
#include "cases/support.hpp"
#include "cases/thrown.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::oom_observer {
namespace {

using namespace literals;

/// What observers heard, kept beyond the case's function: the allocator keeps them.
struct Told {
  std::vector<runtime::OutOfMemoryReport> reports;
  std::optional<std::int64_t> ooms_seen;
  bool second_was_called = false;
};

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  auto& allocator = runtime.allocator();
  const device::Stream stream = runtime.current_stream();
  const auto told = std::make_shared<Told>();
  allocator.add_out_of_memory_observer([told, &allocator](const runtime::OutOfMemoryReport& report) {
    told->reports.push_back(report);
    told->ooms_seen = allocator.stats().num_ooms;  // for ever, were a lock held
  });
  allocator.add_out_of_memory_observer([told](const runtime::OutOfMemoryReport&) { told->second_was_called = true; });

  const runtime::Buffer<float> possible(runtime, 1_MiB, stream);
  context.observe("calls_without_error", told->reports.size());
  const std::int64_t ooms_before = allocator.stats().num_ooms;
  const Thrown thrown = thrown_by([&] { allocator.free(allocator.allocate(4096_GiB, stream)); });  // 2^40 floats
  context.observe("error_type", harness::Value(thrown.type));
  context.observe("error", harness::Value(thrown.text));
  context.observe("calls", told->reports.size());
  context.observe("second_observer_called", told->second_was_called);
  const runtime::OutOfMemoryReport report = told->reports.empty() ? runtime::OutOfMemoryReport{} : told->reports[0];
  const device::Result<device::MemoryInfo> answer = context.device().memory_info();
  const device::MemoryInfo memory = answer ? *answer : device::MemoryInfo{};
  context.observe("told_this_device", report.device_ordinal == context.device().ordinal());
  context.observe("told_requested_bytes", report.segment_bytes);
  context.observe("told_device_total", report.limit_bytes == memory.total_bytes);
  context.observe("told_some_memory_is_in_use", report.free_bytes < memory.total_bytes);
  context.observe("told_some_memory_is_free", report.free_bytes > 0);
  context.observe("counted_before_the_observer", told->ooms_seen.value_or(ooms_before) - ooms_before);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.oom_observer",
      .summary = "Observers hear of a shortage, with its statistics, before the error is raised",
      .source = "test_cuda.py::TestCudaMallocAsync::test_notifies_oom",
      .faults = {{.name = "wrong_code",
                  .summary = "the device fails with another code than out of memory",
                  .plan = fault::failing(fault::Operation::allocate, device::Status::unknown, fault::from_call(2))},
                 {.name = "failure_lost",
                  .summary = "the device says that it allocated what it has not",
                  .plan = fault::allocation_lost(fault::nth_call(2))},
                 {.name = "memory_info_lost",
                  .summary = "the device cannot say how much memory is free",
                  .plan = fault::memory_info_fails(fault::every_call)},
                 {.name = "memory_info_wrong",
                  .summary = "the device says that all of its memory is free",
                  .plan =
                      fault::broken(fault::Operation::memory_info, fault::Effect::wrong_answer, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::oom_observer
