#include <fmt/format.h>
#include <thread>

#include "cases/graph/shared_pools_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/graphs/capture_query.hpp"
#include "runtime/graphs/graph_capture.hpp"

namespace gpucheck::cases::in_graph::capture_error_modes {
namespace {

using runtime::CaptureOptions;
using runtime::CurrentStreamGuard;
using runtime::Graph;
using runtime::GraphCapture;
using runtime::PoolId;
using runtime::Runtime;

/// x + x + x of 2000 zeros.
Floats three_times(Runtime& runtime) {
  Floats x(runtime, 2000, runtime.current_stream());
  tensor::ops::fill(runtime, x.data(), x.size(), 0.0F, runtime.current_stream());
  return plus(runtime, plus(runtime, x, x), x);
}

/// The pool of the segment that memory lies in, where the allocator has segments.
PoolId pool_of(Runtime& runtime, const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  for (const runtime::SegmentInfo& segment : runtime.allocator().snapshot()) {
    if (address >= segment.address && address - segment.address < segment.total_size) return segment.pool;
  }
  return {};
}

/// What another thread meets that asks the allocator for memory on a stream of its own.
struct RawAllocation {
  std::string error;
  bool in_a_graphs_pool = false;
};

RawAllocation allocate_in_another_thread(Runtime& runtime) {
  constexpr std::size_t bytes = 1024;
  RawAllocation seen;
  std::exception_ptr thrown;
  std::thread(guarded(thrown, [&] {
    const CurrentStreamGuard on_own(runtime, runtime.streams().next());
    seen.error = error_text<Error>([&] {
      void* memory = runtime.allocator().allocate(bytes, runtime.current_stream());
      seen.in_a_graphs_pool = !pool_of(runtime, memory).is_default();
      runtime.allocator().free(memory);
    });
  })).join();
  if (thrown) std::rethrow_exception(thrown);
  return seen;
}

/// A capture in a mode, while another thread allocates.
void capture_beside_a_thread(harness::Context& context, const std::string& mode) {
  Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.streams().next();
  {
    const CurrentStreamGuard on_stream(runtime, stream);
    const Floats warm_up = three_times(runtime);
    device::check(runtime.device(), runtime.device().synchronize(stream), "synchronize");
  }
  Graph graph(runtime);
  RawAllocation raw;
  Floats out;
  context.observe(mode + "_capture_error", error_text<Error>([&] {
                    const CaptureOptions options{.stream = stream, .mode = runtime::capture_mode(mode)};
                    GraphCapture scope(runtime, graph, options);
                    out = three_times(runtime);
                    raw = allocate_in_another_thread(runtime);
                    scope.end();
                  }));
  context.observe(mode + "_other_thread_error", harness::Value(raw.error));
  if (mode != "global") context.observe(mode + "_other_thread_in_a_graphs_pool", raw.in_a_graphs_pool);
}

/// What the call that broke a capture left behind is nobody else's.
void observe_what_is_left(harness::Context& context) {
  Runtime& runtime = context.runtime();
  context.observe("error_left_on_the_device", std::string(device::status_name(runtime.device().last_error())));
  const CurrentStreamGuard on_side(runtime, runtime.streams().next());
  const PoolId pool = runtime::graph_pool_handle();
  Graph underway(runtime);
  Graph refused(runtime, {.registers_default_generator = false});  // which would be refused before the device is asked
  underway.capture_begin();
  context.observe("second_capture_of_a_stream_error", error_text<Error>([&] { refused.capture_begin(pool); }));
  static_cast<void>(error_text<Error>([&] { underway.capture_end(); }));  // it may be spoilt
  context.observe("same_pool_after_a_refusal_error", error_text<Error>([&] {
                    refused.capture_begin(pool);
                    refused.capture_end();
                  }));
}

/// What the capturing thread itself meets that asks the device for memory: the allocators never do it like this.
void allocate_in_the_capturing_thread(harness::Context& context, const std::string& mode) {
  Runtime& runtime = context.runtime();
  device::Device& device = runtime.device();
  Graph graph(runtime);
  device::Result<void*> memory = device::Status::unknown;
  static_cast<void>(error_text<Error>([&] {  // the call may spoil the capture
    GraphCapture scope(runtime, graph, {.mode = runtime::capture_mode(mode)});
    memory = device.allocate(1024);
    scope.end();
  }));
  static_cast<void>(memory ? device.free(*memory) : device.last_error());
  context.observe(mode + "_own_allocation",
                  std::string(device::status_name(memory ? device::Status::success : memory.error())));
}

void run(harness::Context& context) {
  for (const std::string mode : {"thread_local", "relaxed", "global"}) capture_beside_a_thread(context, mode);
  observe_what_is_left(context);
  for (const std::string mode : {"thread_local", "relaxed", "global"}) allocate_in_the_capturing_thread(context, mode);
  context.observe("unknown_mode_error", error_text<Error>([] { static_cast<void>(runtime::capture_mode("unknown")); }));
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.capture_error_modes",
      .summary =
          "What another thread may do while a capture is open depends on the capture's mode, and does no more harm",
      .source = "test_cuda.py::TestCuda::test_cuda_graph_error_options",
      .needs = {.own_process = true, .caching_allocator = true},
      .faults =
          {{.name = "thread_local_capture_fails",
            .summary = "the device fails to capture in the thread-local mode",
            .plan = fault::failing(fault::Operation::begin_capture, device::Status::invalid_value, fault::nth_call(1))},
           {.name = "relaxed_capture_fails",
            .summary = "the device fails to capture in the relaxed mode",
            .plan = fault::failing(fault::Operation::begin_capture, device::Status::invalid_value, fault::nth_call(2))},
           {.name = "allocation_fails",
            .summary = "the device has no memory for the other thread",
            .plan = fault::allocation_fails(fault::nth_call(4))},
           {.name = "second_capture_not_refused",
            .summary = "beginning a capture on a stream that is captured already is said to be done",
            .plan = fault::broken(fault::Operation::begin_capture, fault::Effect::report_success, fault::nth_call(5))},
           {.name = "capture_goes_on",
            .summary = "the end of a capture in a broken state is said to be a good one",
            .plan = fault::broken(fault::Operation::end_capture, fault::Effect::report_success, fault::nth_call(3))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::capture_error_modes
