#include "base/splitmix.hpp"
#include "base/text/units.hpp"
#include "cases/shared/bandwidth_support.hpp"

namespace gpucheck::cases::in_bandwidth::device_write {
namespace {

using namespace literals;

constexpr std::uint64_t on_gpu = 4_GiB;

void run(harness::Context& context) {
  Measurement measurement(context, 1);
  const DeviceBuffer buffer(measurement.device(), buffer_bytes(context, on_gpu));
  const device::kernels::TurningWord pattern{splitmix(context.seed()), 0};
  measurement.clear(buffer);
  measurement.observe_speed("write", measurement.measure_held(buffer.bytes(), [&] {
    measurement.passes().write(buffer.stretch(), pattern);
  }));
  measurement.expect_verified(buffer.bytes());
  measurement.passes().verify(buffer.stretch(), pattern, in_memtest::as_it_is);
  measurement.summary().observe(context);
}

}  // namespace

harness::Case define() {
  std::vector<harness::Fault> faults = kernel_faults(2);
  faults.insert(faults.end(), {no_time(), nothing_runs()});
  return {
      .name = "bandwidth.device_write",
      .summary = "How fast kernels write the device's memory; what they wrote is compared",
      .source = "nvbandwidth has no like; bare loops of STREAM's kind",
      .needs = {.exclusive = true, .idle = true},
      .parameters = {bytes_parameter(on_gpu)},
      .faults = std::move(faults),
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_bandwidth::device_write
