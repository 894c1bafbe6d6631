#include "cases/trace/event_support.hpp"
#include "harness/case/case.hpp"
#include "runtime/memory/transfer.hpp"
#include "tensor/ops.hpp"
#include "tensor/random/distributions.hpp"

namespace gpucheck::cases::in_trace::memcpy_synchronize {
namespace {

constexpr std::size_t element_count = 5;

/// How many of the numbers are not zero: counted on the device and read back by a transfer
/// that waits, as `nonzero` does to know how large its result is.
std::uint64_t count_nonzero(runtime::Runtime& runtime, const Tensor& numbers,
                            runtime::Buffer<tensor::ops::Tally>& tally, device::Stream stream) {
  device::check(runtime.device(), runtime.device().fill(tally.data(), 0, tally.size_bytes(), stream), "fill");
  tensor::ops::verify(runtime, numbers.data(), numbers.size(), 0.0F, 1, tally.data(), stream);
  return runtime::to_host(runtime, tally.data(), 1, stream).host_read().front().wrong;
}

// Tracing is switched on before anything else is done with the device.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  observe::GpuTrace trace(runtime);
  std::vector<device::Stream> calls;
  trace.stream_synchronization().add([&calls](device::Stream stream) { calls.push_back(stream); });
  trace.activate();
  const Stream stream = Stream::current(runtime);
  std::uint64_t count = 0;
  bool idle = false;
  context.observe("error", error_text<Error>([&] {
                    runtime::Generator generator(runtime, 1);
                    const Tensor numbers = tensor::ops::rand(generator, element_count);
                    context.observe("calls_before", calls.size());
                    keep_busy(stream);
                    // Freed after the question: to free is work of the stream for some allocators.
                    runtime::Buffer<tensor::ops::Tally> tally(runtime, 1, stream.raw());
                    count = count_nonzero(runtime, numbers, tally, stream.raw());
                    idle = stream.query();
                  }));
  context.observe("calls", calls.size());
  context.observe("stream", calls.empty() ? "none" : fmt::format("{:#x}", calls.front().value));
  context.observe("nonzero", count);
  context.observe("idle_afterwards", idle);
}

}  // namespace

harness::Case define() {
  return {
      .name = "trace.memcpy_synchronize",
      .summary = "A copy to the host that waits calls the hook for stream synchronizations once, with its stream",
      .source = "test_cuda_trace.py::TestCudaTrace::test_memcpy_synchronization",
      .needs = {.any_device = true, .own_process = true, .default_stream = true},
      .faults = {wrong_default_stream(),
                 {.name = "waiting_fails",
                  .summary = "waiting for the stream fails",
                  .plan = fault::failing(fault::Operation::synchronize, device::Status::unknown, fault::nth_call(1))},
                 {.name = "lost_copy",
                  .summary = "the copy to the host never happens",
                  .plan = fault::copy_lost(fault::nth_call(1))},
                 {.name = "stream_seems_busy",
                  .summary = "the stream says that it has work left when all of it is done",
                  .plan = fault::stream_seems_busy(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_trace::memcpy_synchronize
