#include <fmt/format.h>
#include <map>

#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_host::nvtx_ranges {
namespace {

using device::RangeEvent;

/// "push foo, pop": what was heard, with the name of what ends by its number.
std::string to_text(const std::vector<RangeEvent>& heard) {
  std::map<std::uint64_t, std::string> started;
  std::vector<std::string> words;
  for (const RangeEvent& event : heard) {
    switch (event.kind) {
      case RangeEvent::Kind::mark:
        words.push_back("mark " + event.name);
        break;
      case RangeEvent::Kind::push:
        words.push_back("push " + event.name);
        break;
      case RangeEvent::Kind::pop:
        words.emplace_back("pop");
        break;
      case RangeEvent::Kind::start:
        started[event.range] = event.name;
        words.push_back("start " + event.name);
        break;
      case RangeEvent::Kind::end:
        words.push_back("end " + started[event.range]);
        break;
    }
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

/// Names work and moments as the seed does; returns what the work left.
std::int32_t name_things(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  device::Driver& driver = context.driver();
  runtime::Buffer<std::int32_t> value(runtime, 1, runtime.current_stream());
  driver.begin_range("foo");
  driver.mark("bar");
  driver.end_range();
  const std::uint64_t range = driver.start_range("range_start");
  const std::uint64_t other = driver.start_range("other");
  tensor::ops::fill(runtime, value.data(), 1, 7, runtime.current_stream());
  driver.finish_range(range);
  driver.finish_range(other);
  return read_one(runtime, value.data(), runtime.current_stream());
}

void run(harness::Context& context) {
  std::int32_t value = 0;
  const auto heard = context.driver().hear_ranges([&] { value = name_things(context); });
  if (!heard) throw harness::Skip("another tool listens to NVTX, or this build has none");
  context.observe("heard", to_text(*heard));
  context.observe("value", value);
}

}  // namespace

harness::Case define() {
  return {
      .name = "host.nvtx_ranges",
      .summary = "A tool hears the ranges and marks that work is named with, and the work is done",
      .source = "test_cuda.py::TestCuda::test_nvtx",
      .needs = {.any_device = true, .own_process = true},
      .faults = {{.name = "lost_kernel",
                  .summary = "the work in the range never happens",
                  .plan = fault::kernel_lost(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_host::nvtx_ranges
