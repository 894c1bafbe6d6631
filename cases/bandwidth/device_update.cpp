#include "base/splitmix.hpp"
#include "base/text/units.hpp"
#include "cases/shared/bandwidth_support.hpp"

namespace gpucheck::cases::in_bandwidth::device_update {
namespace {

using namespace literals;

constexpr std::uint64_t on_gpu = 4_GiB;

/// As many comparing passes as measuring takes at most, and the last.
constexpr std::size_t most_passes = 1 + most_attempts * (sample_count + 1);

void run(harness::Context& context) {
  Measurement measurement(context, most_passes);
  const DeviceBuffer buffer(measurement.device(), buffer_bytes(context, on_gpu));
  const device::kernels::TurningWord pattern{splitmix(context.seed()), 0};
  measurement.passes().write(buffer.stretch(), pattern);
  std::uint64_t now = in_memtest::as_it_is;
  measurement.observe_speed("update", measurement.measure_held(2 * buffer.bytes(), [&] {
    measurement.expect_verified(buffer.bytes());
    measurement.passes().replace(buffer.stretch(), pattern, now);
    now = ~now;
  }));
  measurement.expect_verified(buffer.bytes());
  measurement.passes().verify(buffer.stretch(), pattern, now);
  measurement.summary().observe(context);
}

}  // namespace

harness::Case define() {
  std::vector<harness::Fault> faults = kernel_faults(3);
  faults.insert(faults.end(), {no_time(), nothing_runs()});
  return {
      .name = "bandwidth.device_update",
      .summary = "How fast kernels read, compare and write memory in place: bytes read and bytes written",
      .source = "cuda_memtest test 10",
      .needs = {.exclusive = true, .idle = true},
      .parameters = {bytes_parameter(on_gpu)},
      .faults = std::move(faults),
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_bandwidth::device_update
