#include <memory>

#include "base/text/units.hpp"
#include "cases/shared/bandwidth_support.hpp"

namespace gpucheck::cases::in_bandwidth::device_to_host {
namespace {

using namespace literals;
using device::CopyKind;

constexpr std::uint64_t on_gpu = 512_MiB;

void run(harness::Context& context) {
  Measurement measurement(context, 2);
  const DeviceBuffer device(measurement.device(), buffer_bytes(context, on_gpu));
  const std::uint64_t bytes = device.bytes();
  const auto pinned =
      device::own<device::UniquePinnedMemory>(measurement.device(), measurement.device().allocate_pinned(bytes));
  measurement.randomize(device, 0);
  measurement.clear_host(pinned.get(), bytes);
  measurement.observe_speed("pinned", measurement.measure_held(bytes, [&] {
    measurement.copy(pinned.get(), device.data(), bytes, CopyKind::device_to_host);
  }));
  measurement.verify(stretch_of(pinned.get(), bytes), 0);  // where it is: another copy might hide what this one did

  const auto pageable = std::make_unique<std::byte[]>(bytes);
  measurement.randomize(device, 1);
  measurement.observe_speed("pageable", measurement.measure(bytes, [&] {
    measurement.copy(pageable.get(), device.data(), bytes, CopyKind::device_to_host);
  }));
  measurement.clear(device);
  measurement.copy(device.data(), pageable.get(), bytes, CopyKind::host_to_device);
  measurement.verify(device.stretch(), 1);
  measurement.summary().observe(context);
}

}  // namespace

harness::Case define() {
  std::vector<harness::Fault> faults = copy_faults(1);
  faults.insert(faults.end(), {no_time(), nothing_runs()});
  return {
      .name = "bandwidth.device_to_host",
      .summary = "How fast the device copies to the host, to pinned and to pageable memory; what arrives is compared",
      .source = "nvbandwidth device_to_host_memcpy_ce",
      .needs = {.exclusive = true, .idle = true, .host_link = true},
      .parameters = {bytes_parameter(on_gpu)},
      .faults = std::move(faults),
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_bandwidth::device_to_host
