#include "cases/pinned/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_pinned::copy_non_blocking {
namespace {

using Byte = std::uint8_t;
using runtime::Buffer;
using runtime::PinnedBuffer;
using runtime::Transfer;

constexpr std::size_t byte_count = 10'000'000;

/// Bytes that differ from their neighbours; never 0, which fresh memory often holds.
std::vector<Byte> pattern(std::size_t count, std::size_t first) {
  std::vector<Byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<Byte>(1 + (first + i) % 251);
  return bytes;
}

/// As the seed's test: an event recorded behind the copy says when it is done.
void wait_for_event(runtime::Runtime& runtime, device::Stream stream) {
  device::Device& device = runtime.device();
  const auto event = device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::no_timing));
  device::check(device, device.record(event.get(), stream), "record");
  device::check(device, device.synchronize(event.get()), "synchronize event");
}

void observe_to_device(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  const std::vector<Byte> expected = pattern(byte_count, 0);
  Buffer<Byte> destination(runtime, byte_count, stream);
  tensor::ops::fill(runtime, destination.data(), byte_count, Byte{255}, stream);
  const PinnedBuffer<Byte> source(runtime, byte_count);
  std::ranges::copy(expected, source.host_write().begin());
  keep_busy(runtime, stream);
  runtime::copy_to_device(runtime, destination.data(), {source.data(), source.context()}, byte_count,
                          Transfer::non_blocking, stream);
  wait_for_event(runtime, stream);
  context.observe("to_device_wrong_bytes",
                  count_different(read(runtime, destination.data(), byte_count, stream), expected));
}

/// Copies to pinned memory from its `skipped`-th byte on: what follows must arrive, what
/// is before must stay.
std::size_t wrong_on_host(runtime::Runtime& runtime, const PinnedBuffer<Byte>& base, std::size_t skipped) {
  const device::Stream stream = runtime.current_stream();
  const std::size_t count = base.size() - skipped;
  std::vector<Byte> expected = pattern(count, 7 + skipped);
  Buffer<Byte> source(runtime, count, stream);
  write(runtime, source.data(), expected, stream);
  std::ranges::fill(base.host_write(), Byte{255});
  keep_busy(runtime, stream);
  runtime::copy_to_host(runtime, {base.data() + skipped, base.context()}, source.data(), count, Transfer::non_blocking,
                        stream);
  wait_for_event(runtime, stream);
  expected.insert(expected.begin(), skipped, Byte{255});
  return count_different(base.host_read(), expected);
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  observe_to_device(context);
  context.observe("to_host_wrong_bytes", wrong_on_host(runtime, PinnedBuffer<Byte>(runtime, byte_count), 0));

  const PinnedBuffer<Byte> base(runtime, byte_count);
  const Byte* view = base.data() + 1;
  context.observe("base_is_pinned", runtime::is_pinned(runtime.device(), base.data()));
  context.observe("view_is_pinned", runtime::is_pinned(runtime.device(), view));
  runtime::PinnedAllocator& allocator = runtime.pinned_allocator();
  const device::Stream stream = runtime.current_stream();
  context.observe("view_known_by_its_address", allocator.record_event(view, nullptr, stream));
  context.observe("view_known_by_its_storage", allocator.record_event(view, base.context(), stream));
  context.observe("to_view_wrong_bytes", wrong_on_host(runtime, base, 1));
}

}  // namespace

harness::Case define() {
  return {
      .name = "pinned.copy_non_blocking",
      .summary = "Copies to and from pinned memory, and a view of it, are complete once an event behind them is",
      .source = "test_cuda.py::TestCuda::test_copy_non_blocking",
      .faults = {{.name = "lost_copy_to_device",
                  .summary = "a copy to the device never happens",
                  .plan = fault::copy_lost(fault::nth_call(1))},
                 {.name = "lost_copy_to_host",
                  .summary = "a copy to pinned memory never happens",
                  .plan = fault::copy_lost(fault::nth_call(4))},
                 {.name = "flipped_bit_to_host",
                  .summary = "one bit flips in a copy to pinned memory",
                  .plan = fault::copy_flips_bit(fault::nth_call(4))},
                 {.name = "flipped_bit_in_view",
                  .summary = "one bit flips in a copy to a view of pinned memory",
                  .plan = fault::copy_flips_bit(fault::nth_call(6))},
                 {.name = "wait_returns_early",
                  .summary = "waiting for the event behind a copy returns before the copy is done",
                  .plan = fault::synchronize_returns_early(fault::every_call)},
                 {.name = "event_kept",
                  .summary = "an event that is destroyed stays on the device",
                  .plan = fault::broken(fault::Operation::destroy_event, fault::Effect::drop, fault::nth_call(1))},
                 {.name = "pinned_memory_unknown",
                  .summary = "the driver does not recognise pinned memory",
                  .plan = fault::pinned_memory_unknown(fault::every_call)}},
      .deadline = std::chrono::seconds(20),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pinned::copy_non_blocking
