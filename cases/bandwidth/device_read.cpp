#include <bit>

#include "base/splitmix.hpp"
#include "base/text/units.hpp"
#include "cases/shared/bandwidth_support.hpp"
#include "cases/shared/kernels/bandwidth.hpp"
#include "cases/support.hpp"
#include "device/turns.hpp"

namespace gpucheck::cases::in_bandwidth::device_read {
namespace {

using namespace literals;

using device::kernels::SpreadCounter;

constexpr std::uint64_t on_gpu = 4_GiB;

void run(harness::Context& context) {
  Measurement measurement(context, 1);
  device::Device& device = measurement.device();
  const DeviceBuffer buffer(device, buffer_bytes(context, on_gpu));
  const DeviceBuffer total(device, sizeof(SpreadCounter));
  // In 64 words next to each other each of the word's ones stands at each place: their sum is so many times 2^64 - 1.
  const device::kernels::TurningWord pattern{splitmix(context.seed()), 0};
  const std::uint64_t sum = std::uint64_t{0} - static_cast<std::uint64_t>(std::popcount(pattern.word)) *
                                                   (buffer.bytes() / (64 * sizeof(std::uint64_t)));
  measurement.passes().write(buffer.stretch(), pattern);
  measurement.clear(total);
  const TestedMemory memory = buffer.stretch().front();
  const device::kernels::SumWords kernel{memory.data, memory.vectors, static_cast<SpreadCounter*>(total.data())};
  std::uint64_t launches = 0;
  measurement.observe_speed("read", measurement.measure_held(buffer.bytes(), [&] {
    ++launches;
    device::check(device,
                  device::launch(device, kernel,
                                 device::invocations_that_read(memory.vectors, device::kernels::bandwidth_loads,
                                                               device.properties()),
                                 measurement.stream()),
                  kernel.name);
  }));
  const auto seen = read_one(context.runtime(), static_cast<const SpreadCounter*>(total.data()), measurement.stream());
  context.observe("sum_is_right", seen.total() == launches * sum);
  measurement.expect_verified(buffer.bytes());
  measurement.passes().verify(buffer.stretch(), pattern, in_memtest::as_it_is);
  measurement.summary().observe(context);
}

}  // namespace

harness::Case define() {
  std::vector<harness::Fault> faults = kernel_faults(3);
  faults.insert(faults.end(), {no_time(), nothing_runs()});
  return {
      .name = "bandwidth.device_read",
      .summary = "How fast kernels read the device's memory; the sum of what they read is known",
      .source = "nvbandwidth has no like; bare loops of STREAM's kind",
      .needs = {.exclusive = true, .idle = true},
      .parameters = {bytes_parameter(on_gpu)},
      .faults = std::move(faults),
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_bandwidth::device_read
