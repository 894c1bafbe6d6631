#include <numeric>

#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/pinned/pinned_allocator.hpp"

namespace gpucheck::cases::in_stream::to_cpu_blocks_by_default {
namespace {

constexpr std::size_t element_count = 1'000'000;

std::size_t count_different(std::span<const float> seen, const std::vector<float>& expected) {
  std::size_t different = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) different += seen[i] == expected[i] ? 0U : 1U;
  return different;
}

// What is looked at is whether the call waits for what comes before it, without being asked to.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Stream stream = Stream::current(runtime);
  std::vector<float> values(element_count);
  std::iota(values.begin(), values.end(), 1.0F);
  const Buffer<float> source =
      runtime::to_device<float>(runtime, values.data(), element_count, runtime::Transfer::blocking, stream.raw());
  keep_busy(stream, 2 * delay);
  context.observe("idle_before", stream.query());
  runtime::HostBuffer<float> result = runtime::to_host(runtime, source.data(), element_count, stream.raw());
  context.observe("idle_after_call", stream.query());
  context.observe("wrong_elements", count_different(result.host_read(), values));
  context.observe("result_pinned", runtime::is_pinned(context.device(), result.data()));
}

}  // namespace

harness::Case define() {
  return {
      .name = "stream.to_cpu_blocks_by_default",
      .summary = "A copy to the host that is given nothing waits for the stream, and its memory is not pinned",
      .source = "test_cuda.py::TestCuda::test_to_cpu_blocking_by_default",
      .faults = {{.name = "stream_seems_busy",
                  .summary = "the stream says that it has work left when all of it is done",
                  .plan = fault::stream_seems_busy(fault::nth_call(2))},
                 {.name = "stream_seems_idle",
                  .summary = "the stream says that it is done while it works",
                  .plan = fault::stream_seems_idle(fault::nth_call(1))},
                 {.name = "lost_transfer",
                  .summary = "the transfer to the host never happens",
                  .plan = fault::copy_lost(fault::nth_call(2))},
                 {.name = "flipped_bit",
                  .summary = "one bit flips in the transfer to the host",
                  .plan = fault::copy_flips_bit(fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::to_cpu_blocks_by_default
