#include <algorithm>
#include <chrono>

#include "cases/shared/bandwidth_support.hpp"
#include "device/kernels/elementwise.hpp"

namespace gpucheck::cases::in_bandwidth::latency {
namespace {

using device::CopyKind;
using Clock = std::chrono::steady_clock;

constexpr std::size_t round_trips = 200;

/// Microseconds by the host's clock, until `work` is done.
double time_us(Measurement& measurement, const Work& work) {
  const Clock::time_point start = Clock::now();
  work();
  measurement.wait();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

void run(harness::Context& context) {
  Measurement measurement(context, 0);
  device::Device& device = measurement.device();
  const DeviceBuffer word(device, sizeof(std::uint64_t));
  const auto pinned = device::own<device::UniquePinnedMemory>(device, device.allocate_pinned(2 * word.bytes()));
  auto* const sent = static_cast<std::uint64_t*>(pinned.get());
  std::uint64_t* const received = sent + 1;
  std::vector<double> to_device;
  std::vector<double> to_host;
  std::size_t right = 0;
  for (std::size_t i = 1; i <= round_trips; ++i) {
    device::check(device, device.host_access(device::writes(sent, word.bytes())), "host_access");
    *sent = i;
    to_device.push_back(
        time_us(measurement, [&] { measurement.copy(word.data(), sent, word.bytes(), CopyKind::host_to_device); }));
    to_host.push_back(
        time_us(measurement, [&] { measurement.copy(received, word.data(), word.bytes(), CopyKind::device_to_host); }));
    device::check(device, device.host_access(device::reads(received, word.bytes())), "host_access");
    if (*received == i) ++right;
  }
  context.observe("copy_to_device_us", median(to_device));
  context.observe("copy_to_host_us", median(to_host));
  context.observe("round_trips", right);

  measurement.clear(word);
  const device::kernels::Count count{static_cast<std::uint64_t*>(word.data()), 1};
  std::vector<double> launches;
  for (std::size_t i = 0; i < round_trips; ++i) {
    launches.push_back(time_us(measurement, [&] {
      device::check(device, device::launch(device, count, 1, measurement.stream()), count.name);
    }));
  }
  measurement.copy(received, word.data(), word.bytes(), CopyKind::device_to_host);
  measurement.wait();
  device::check(device, device.host_access(device::reads(received, word.bytes())), "host_access");
  context.observe("launch_us", median(launches));
  context.observe("launches", *received);
}

}  // namespace

harness::Case define() {
  std::vector<harness::Fault> faults{
      {"copy_is_lost", "one copy does not happen", fault::copy_lost(fault::nth_call(20))},
      {"copy_flips_bit", "one bit of what one copy wrote flips", fault::copy_flips_bit(fault::nth_call(21))},
      {"launch_is_lost", "one kernel does not run", fault::kernel_lost(fault::nth_call(100))},
  };
  return {
      .name = "bandwidth.latency",
      .summary =
          "How long the host waits for a copy of 8 bytes, either way, and for a kernel that does next to nothing",
      .source = "nvbandwidth host_device_latency_sm",
      .needs = {.exclusive = true, .idle = true},
      .faults = std::move(faults),
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_bandwidth::latency
