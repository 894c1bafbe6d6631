#include "cases/pinned/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_pinned {
namespace {

using runtime::Buffer;
using runtime::PinnedBuffer;
using runtime::Transfer;

constexpr std::size_t element_count = 1'000'000;
constexpr std::size_t bytes = element_count * sizeof(float);

std::vector<float> source_values() {
  std::vector<float> values(element_count);
  for (std::size_t i = 0; i < element_count; ++i) values[i] = static_cast<float>(i) + 0.5F;
  return values;
}

std::string name_of(std::string_view direction, Transfer transfer) {
  return std::string(direction) + (transfer == Transfer::blocking ? "_blocking" : "_non_blocking");
}

/// Memory is made before the delay: what is looked at is whether the transfer waits.
template <typename Copy>
void observe_transfer(harness::Context& context, const std::string& name, Copy copy) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  device::check(context.device(), context.device().synchronize(), "synchronize");
  keep_busy(runtime, stream);
  copy(stream);
  context.observe(name + "_idle_after_call", is_idle(runtime, stream));
  device::check(context.device(), context.device().synchronize(stream), "synchronize");
}

void observe_to_device(harness::Context& context, const std::vector<float>& values, Transfer transfer) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream current = runtime.current_stream();
  const std::string name = name_of("to_device", transfer);
  const PinnedBuffer<float> source(runtime, element_count);
  std::ranges::copy(values, source.data());
  Buffer<float> result(runtime, element_count, current);
  tensor::ops::fill(runtime, result.data(), element_count, -1.0F, current);
  observe_transfer(context, name, [&](device::Stream stream) {
    runtime::copy_to_device(runtime, result.data(), {source.data(), source.context()}, bytes, transfer, stream);
  });
  context.observe(name + "_wrong_elements",
                  count_different(read(runtime, result.data(), element_count, current), values));
  context.observe(name + "_result_pinned", runtime::is_pinned(context.device(), result.data()));
}

/// What becomes of a host tensor's memory: pinned when nobody waits for the transfer.
void observe_to_host(harness::Context& context, const std::vector<float>& values, Transfer transfer) {
  runtime::Runtime& runtime = context.runtime();
  const std::string name = name_of("to_host", transfer);
  Buffer<float> source(runtime, element_count, runtime.current_stream());
  write(runtime, source.data(), values, runtime.current_stream());
  std::vector<float> pageable(transfer == Transfer::blocking ? element_count : 0);
  const PinnedBuffer<float> pinned(runtime, transfer == Transfer::blocking ? 0 : element_count);
  const std::span<float> result = transfer == Transfer::blocking ? std::span(pageable) : pinned.span();
  std::ranges::fill(result, -1.0F);
  observe_transfer(context, name, [&](device::Stream stream) {
    runtime::copy_to_host(runtime, {result.data(), pinned.context()}, source.data(), bytes, transfer, stream);
  });
  context.observe(name + "_wrong_elements", count_different(result, values));
  context.observe(name + "_result_pinned", runtime::is_pinned(context.device(), result.data()));
}

void run(harness::Context& context) {
  const std::vector<float> values = source_values();
  for (const Transfer transfer : {Transfer::non_blocking, Transfer::blocking}) {
    observe_to_device(context, values, transfer);
    observe_to_host(context, values, transfer);
  }
}

}  // namespace

harness::Case to_non_blocking() {
  return {
      .name = "pinned.to_non_blocking",
      .summary = "A transfer waits for the device exactly when it is not asked not to, in both directions",
      .source = "test_cuda.py::TestCuda::test_to_non_blocking",
      .faults = {{.name = "stream_seems_idle",
                  .summary = "the stream says that it is done while a transfer is pending",
                  .plan = fault::stream_seems_idle(fault::every_call)},
                 {.name = "returns_early",
                  .summary = "waiting for a stream returns before its work is done",
                  .plan = fault::synchronize_returns_early(fault::every_call)},
                 {.name = "lost_transfer_to_device",
                  .summary = "a transfer to the device never happens",
                  .plan = fault::copy_lost(fault::nth_call(1))},
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

}  // namespace gpucheck::cases::in_pinned
