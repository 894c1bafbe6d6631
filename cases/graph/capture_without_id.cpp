#include <utility>

#include "cases/shared/graph_support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_graph::capture_without_id {
namespace {

/// Does not tell about the next capture that begins.
class SecretiveDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  void conceal_next_capture() { conceals_ = true; }
  device::Status begin_capture(device::Stream stream, device::CaptureMode mode) override {
    began_ = true;
    return ForwardingDevice::begin_capture(stream, mode);
  }
  [[nodiscard]] device::Result<device::CaptureInfo> capture_info(device::Stream stream) override {
    if (began_ && std::exchange(conceals_, false)) return device::Status::unknown;
    return ForwardingDevice::capture_info(stream);
  }

 private:
  bool began_ = false;
  bool conceals_ = false;
};

void run(harness::Context& context) {
  SecretiveDevice device(context.driver().open(context.device().ordinal()).value());
  runtime::Runtime runtime(device);
  const device::Stream side = runtime.streams().next();
  const runtime::CurrentStreamGuard on_side(runtime, side);
  runtime::Buffer<std::int64_t> ones(runtime, element_count, side);
  runtime::Graph graph(runtime);
  device.conceal_next_capture();
  context.observe("capture_error", error_text<device::DeviceError>([&] { graph.capture_begin(); }));
  const device::Result<device::CaptureInfo> left = device.capture_info(side);
  const bool captures = left && left->status != device::CaptureStatus::none;
  context.observe("stream_is_still_captured", captures);
  if (captures) static_cast<void>(device::UniqueGraph(device, device.end_capture(side).value()));

  tensor::ops::fill(runtime, ones.data(), ones.size(), std::int64_t{1}, side);
  context.observe("next_capture_error", error_text<Error>([&] {
                    graph.capture_begin();
                    const runtime::Buffer<std::int64_t> result = add_repeatedly(runtime, ones, 1, 2);
                    graph.capture_end();
                    graph.replay();
                    context.observe("sum_of_the_next_capture", sum(runtime, result));
                  }));
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.capture_without_id",
      .summary = "A capture that the device does not say from others is ended, and the next one works",
      .source = "torch.cuda.CUDAGraph.capture_begin() of PyTorch 2.11",
      .faults = {{.name = "capture_fails",
                  .summary = "the device fails to capture",
                  .plan = fault::failing(fault::Operation::begin_capture, device::Status::stream_capture_unsupported,
                                         fault::nth_call(1))},
                 {.name = "end_lost",
                  .summary = "a capture that is ended goes on",
                  .plan = fault::broken(fault::Operation::end_capture, fault::Effect::drop, fault::nth_call(1))},
                 {.name = "replay_fails",
                  .summary = "the device fails to launch the graph",
                  .plan = fault::failing(fault::Operation::launch_graph, device::Status::unknown, fault::every_call)},
                 {.name = "replay_lost",
                  .summary = "launching the graph does nothing",
                  .plan = fault::replay_lost(fault::every_call)},
                 {.name = "lost_node",
                  .summary = "a kernel is missing from the graph",
                  .plan = fault::kernel_lost(fault::nth_call(3))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::capture_without_id
