#include <utility>

#include "cases/pinned/support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pinned::refusals {
namespace {

constexpr std::size_t block_bytes = 4096;

/// Fails to answer for one event.
class SilentDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  using ForwardingDevice::query;
  void fail_next_query() { fails_ = true; }
  device::Status query(device::Event event) override {
    return std::exchange(fails_, false) ? device::Status::unknown : ForwardingDevice::query(event);
  }

 private:
  bool fails_ = false;
};

/// Frees a block that a stream still uses; then the driver fails to say whether that is done.
void observe_failed_query(harness::Context& context, SilentDevice& device) {
  runtime::Runtime runtime(device);
  runtime::PinnedAllocator& allocator = runtime.pinned_allocator();
  const device::Stream stream = runtime.streams().next();
  const auto allocate = [&] { return allocator.allocate(block_bytes, stream); };
  const auto block = allocate();
  keep_busy(runtime, stream);
  static_cast<void>(allocator.record_event(block.pointer, block.context, stream));
  allocator.free(block.context);
  device.fail_next_query();
  context.observe("failed_query_error", error_text<device::DeviceError>([&] { static_cast<void>(allocate()); }));
  device::check(device, device.synchronize(stream), "synchronize");
  const auto next = allocate();
  context.observe("reused_after_the_failure", next.pointer == block.pointer);

  allocator.free(next.context);
  context.observe("double_free_error", error_text<Error>([&] { allocator.free(next.context); }));
  const auto first = allocate();
  const auto second = allocate();
  context.observe("block_in_two_hands", first.pointer == second.pointer);
  for (const auto& held : {first, second}) allocator.free(held.context);
}

void run(harness::Context& context) {
  SilentDevice device(context.driver().open(context.device().ordinal()).value());
  observe_failed_query(context, device);
}

}  // namespace

harness::Case define() {
  return {
      .name = "pinned.refusals",
      .summary = "A failing driver costs no pinned memory for good, and freeing a block twice is refused",
      .source = "CachingHostAllocator of PyTorch 2.11",
      .faults = {{.name = "events_never_complete",
                  .summary = "events stay unfinished although all work is done",
                  .plan = fault::failing(fault::Operation::query_event, device::Status::not_ready, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pinned::refusals
