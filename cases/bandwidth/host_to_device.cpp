#include <memory>

#include "base/text/units.hpp"
#include "cases/shared/bandwidth_support.hpp"

namespace gpucheck::cases::in_bandwidth::host_to_device {
namespace {

using namespace literals;
using device::CopyKind;

constexpr std::uint64_t on_gpu = 512_MiB;

/// Copies from `host` to `device`, where the words arrive that went the other way before.
Samples measure_copies(Measurement& measurement, const DeviceBuffer& device, void* host, bool held, std::uint64_t n) {
  const std::uint64_t bytes = device.bytes();
  measurement.randomize(device, n);
  measurement.copy(host, device.data(), bytes, CopyKind::device_to_host);
  measurement.clear(device);
  const auto copy = [&] { measurement.copy(device.data(), host, bytes, CopyKind::host_to_device); };
  Samples samples = held ? measurement.measure_held(bytes, copy) : measurement.measure(bytes, copy);
  measurement.verify(device.stretch(), n);
  return samples;
}

void run(harness::Context& context) {
  Measurement measurement(context, 2);
  const DeviceBuffer device(measurement.device(), buffer_bytes(context, on_gpu));
  const auto pinned = device::own<device::UniquePinnedMemory>(measurement.device(),
                                                              measurement.device().allocate_pinned(device.bytes()));
  const auto pageable = std::make_unique<std::byte[]>(device.bytes());
  measurement.observe_speed("pinned", measure_copies(measurement, device, pinned.get(), true, 0));
  measurement.observe_speed("pageable", measure_copies(measurement, device, pageable.get(), false, 1));
  measurement.summary().observe(context);
}

}  // namespace

harness::Case define() {
  std::vector<harness::Fault> faults = copy_faults(2);
  faults.insert(faults.end(), {no_time(), nothing_runs()});
  return {
      .name = "bandwidth.host_to_device",
      .summary =
          "How fast the host copies to the device, from pinned and from pageable memory; what arrives is compared",
      .source = "nvbandwidth host_to_device_memcpy_ce",
      .needs = {.exclusive = true, .idle = true, .host_link = true},
      .parameters = {bytes_parameter(on_gpu)},
      .faults = std::move(faults),
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_bandwidth::host_to_device
