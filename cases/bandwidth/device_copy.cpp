#include "base/text/units.hpp"
#include "cases/gpu_faults.hpp"
#include "cases/shared/bandwidth_support.hpp"

namespace gpucheck::cases::in_bandwidth::device_copy {
namespace {

using namespace literals;

constexpr std::uint64_t on_gpu = 4_GiB;

void run(harness::Context& context) {
  Measurement measurement(context, 2);
  device::Device& device = measurement.device();
  const DeviceBuffer in(device, buffer_bytes(context, on_gpu));
  const DeviceBuffer out(device, in.bytes());
  measurement.randomize(in, 0);
  measurement.clear(out);
  measurement.observe_speed("copy", measurement.measure_held(2 * in.bytes(), [&] {
    measurement.copy(out.data(), in.data(), in.bytes(), device::CopyKind::device_to_device);
  }));
  measurement.verify(out.stretch(), 0);

  measurement.clear(out);
  measurement.observe_speed("kernel",
                            measurement.measure_held(2 * in.bytes(), [&] { measurement.copy_by_kernel(out, in); }));
  measurement.verify(out.stretch(), 0);
  measurement.summary().observe(context);
}

}  // namespace

harness::Case define() {
  std::vector<harness::Fault> faults = copy_faults(1);
  const std::vector<harness::Fault> of_kernels = kernel_faults(5);
  faults.insert(faults.end(), of_kernels.begin(), of_kernels.end());
  faults.insert(faults.end(), {no_time(), nothing_runs()});
  return {
      .name = "bandwidth.device_copy",
      .summary =
          "How fast the device copies within its memory, by a copy and by a kernel: bytes read and bytes written; "
          "compared",
      .source = "nvbandwidth device_local_copy",
      .needs = {.exclusive = true, .idle = true},
      .parameters = {bytes_parameter(on_gpu)},
      .faults = with_gpu_faults(std::move(faults)),
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_bandwidth::device_copy
