#include <fmt/format.h>

#include "cases/pinned/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pinned::to_non_blocking {
namespace {

using runtime::Buffer;
using runtime::HostBuffer;
using runtime::PinnedBuffer;
using runtime::Transfer;

constexpr std::size_t element_count = 1'000'000;

/// No two transfers move the same values: memory that held those of one is not a result of another.
std::vector<float> values_from(float first) {
  std::vector<float> values(element_count);
  for (std::size_t i = 0; i < element_count; ++i) values[i] = first + static_cast<float>(i);
  return values;
}

std::string name_of(std::string_view direction, Transfer transfer) {
  return fmt::format("{}_{}", direction, transfer == Transfer::blocking ? "blocking" : "non_blocking");
}

/// Transfers behind work that takes a while. What is looked at is whether the call waits.
template <typename Move>
auto observe_transfer(harness::Context& context, const std::string& name, Move move) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  device::check(context.device(), context.device().synchronize(), "synchronize");
  keep_busy(runtime, stream);
  auto result = move(stream);
  context.observe(name + "_idle_after_call", is_idle(runtime, stream));
  device::check(context.device(), context.device().synchronize(stream), "synchronize");
  return result;
}

void observe_to_device(harness::Context& context, const std::vector<float>& values, Transfer transfer) {
  runtime::Runtime& runtime = context.runtime();
  const std::string name = name_of("to_device", transfer);
  const PinnedBuffer<float> source(runtime, element_count);
  std::ranges::copy(values, source.host_write().begin());
  const Buffer<float> result = observe_transfer(context, name, [&](device::Stream stream) {
    return runtime::to_device<float>(runtime, {source.data(), source.context()}, element_count, transfer, stream);
  });
  context.observe(name + "_wrong_elements",
                  count_different(read(runtime, result.data(), element_count, runtime.current_stream()), values));
  context.observe(name + "_result_pinned", runtime::is_pinned(context.device(), result.data()));
}

void observe_to_host(harness::Context& context, const std::vector<float>& values, Transfer transfer) {
  runtime::Runtime& runtime = context.runtime();
  const std::string name = name_of("to_host", transfer);
  Buffer<float> source(runtime, element_count, runtime.current_stream());
  write(runtime, source.data(), values, runtime.current_stream());
  HostBuffer<float> result = observe_transfer(context, name, [&](device::Stream stream) {
    return runtime::to_host(runtime, source.data(), element_count, transfer, stream);
  });
  context.observe(name + "_wrong_elements", count_different(result.host_read(), values));
  context.observe(name + "_result_pinned", runtime::is_pinned(context.device(), result.data()));
}

void run(harness::Context& context) {
  float first = 0.5F;
  for (const Transfer transfer : {Transfer::non_blocking, Transfer::blocking}) {
    observe_to_device(context, values_from(first), transfer);
    observe_to_host(context, values_from(first + 1.0F), transfer);
    first += 2.0F;
  }
}

}  // namespace

harness::Case define() {
  return {
      .name = "pinned.to_non_blocking",
      .summary = "A transfer waits for the device exactly when it is not asked not to, in both directions",
      .source = "test_cuda.py::TestCuda::test_to_non_blocking",
      .faults = {{.name = "stream_seems_idle",
                  .summary = "the stream says that it is done while a transfer is pending",
                  .plan = fault::stream_seems_idle(fault::every_call)},
                 {.name = "stream_seems_busy",
                  .summary = "the stream says that it has work left when all of it is done",
                  .plan = fault::stream_seems_busy(fault::every_call)},
                 {.name = "returns_early",
                  .summary = "waiting for a stream returns before its work is done",
                  .plan = fault::synchronize_returns_early(fault::every_call)},
                 {.name = "lost_transfer_to_device",
                  .summary = "a transfer to the device never happens",
                  .plan = fault::copy_lost(fault::nth_call(1))},
                 {.name = "lost_blocking_transfer_to_device",
                  .summary = "a transfer to the device that is waited for never happens",
                  .plan = fault::copy_lost(fault::nth_call(5))},
                 {.name = "lost_blocking_transfer_to_host",
                  .summary = "a transfer to the host that is waited for never happens",
                  .plan = fault::copy_lost(fault::nth_call(8))},
                 {.name = "flipped_bit_to_host",
                  .summary = "one bit flips in a transfer to the host",
                  .plan = fault::copy_flips_bit(fault::nth_call(4))},
                 {.name = "pinned_memory_unknown",
                  .summary = "the driver does not recognise pinned memory",
                  .plan = fault::pinned_memory_unknown(fault::every_call)}},
      .deadline = std::chrono::seconds(20),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pinned::to_non_blocking
