#include "cases/shared/health_support.hpp"

#include <algorithm>
#include <optional>

#include "base/text/units.hpp"
#include "device/check.hpp"
#include "device/owned.hpp"
#include "telemetry/sampler.hpp"

namespace gpucheck::cases::in_health {
namespace {

using namespace literals;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// Memory on both sides, and a stream for each direction.
class CopyLoad {
 public:
  CopyLoad(device::Device& device, std::size_t bytes)
      : device_(device),
        bytes_(bytes),
        host_{pinned(), pinned()},
        memory_{allocated(), allocated()},
        streams_{stream(), stream()} {}

  /// @param times copies each way, all put before any is waited for.
  void put(int times) {
    for (int i = 0; i < times; ++i) {
      device::check(
          device_,
          device_.copy(memory_[0].get(), host_[0].get(), bytes_, device::CopyKind::host_to_device, streams_[0].get()),
          "copy");
      device::check(
          device_,
          device_.copy(host_[1].get(), memory_[1].get(), bytes_, device::CopyKind::device_to_host, streams_[1].get()),
          "copy");
    }
  }
  void wait() {
    for (const auto& each : streams_) device::check(device_, device_.synchronize(each.get()), "synchronize");
  }

 private:
  device::UniquePinnedMemory pinned() {
    return device::own<device::UniquePinnedMemory>(device_, device_.allocate_pinned(bytes_));
  }
  device::UniqueDeviceMemory allocated() {
    auto memory = device::own<device::UniqueDeviceMemory>(device_, device_.allocate(bytes_));
    device::check(device_, device_.fill(memory.get(), 0, bytes_, {}), "fill");
    device::check(device_, device_.synchronize(), "synchronize");
    return memory;
  }
  device::UniqueStream stream() {
    return device::own<device::UniqueStream>(device_, device_.create_stream(device::StreamKind::non_blocking, 0));
  }

  device::Device& device_;
  std::size_t bytes_;
  device::UniquePinnedMemory host_[2];
  device::UniqueDeviceMemory memory_[2];
  device::UniqueStream streams_[2];
};

void require_no_failure(const std::vector<Gpu>& looks, Reading gauge) {
  for (const Gpu& gpu : looks) static_cast<void>(is_offered(gpu, gauge));
}

bool is_simulated(harness::Context& context) { return context.driver().kind() == "sim"; }

}  // namespace

telemetry::Machine machine_or_host(harness::Context& context, std::string& problem) {
  problem.clear();
  try {
    return context.telemetry().machine();
  } catch (const telemetry::NoAnswer&) {
    throw;
  } catch (const EnvironmentError& error) {
    problem = error.what();
  }
  telemetry::Machine machine;
  machine.host = telemetry::read_host();
  return machine;
}

harness::Parameter window_parameter() {
  return {.name = "window_ms",
          .summary =
              "How long the GPU is looked at; 0: as the device needs it, 0.3 s on a GPU, a moment on a simulated one",
          .default_value = std::int64_t{0},
          .unit = "ms",
          .minimum = 0,
          .maximum = 600'000};
}

milliseconds window(harness::Context& context) {
  const auto given = context.parameter<std::int64_t>("window_ms");
  return milliseconds(given > 0 ? given : is_simulated(context) ? 40 : 300);
}

std::vector<Gpu> gauges_under_load(harness::Context& context, milliseconds window) {
  // On a GPU so much that the copies outlast the look: 20 ms at 64 GB/s each way.
  const bool simulated = is_simulated(context);
  CopyLoad load(context.device(), simulated ? 64_KiB : 16_MiB);
  const int copies = simulated ? 1 : 80;
  std::vector<Gpu> looks;
  const Clock::time_point end = Clock::now() + window;
  while (looks.size() < 2 || Clock::now() < end) {
    load.put(copies);
    looks.push_back(context.telemetry().gpu(0, telemetry::Subset::gauges));
    load.wait();
  }
  return looks;
}

std::vector<std::int64_t> settled(const std::vector<Gpu>& looks, Reading gauge) {
  require_no_failure(looks, gauge);
  std::vector<std::int64_t> values;
  for (std::size_t i = looks.size() / 2; i < looks.size(); ++i) {
    if (const auto value = telemetry::number(looks[i][gauge])) values.push_back(*value);
  }
  return values;
}

std::int64_t peak(const std::vector<Gpu>& looks, Reading gauge) {
  require_no_failure(looks, gauge);
  std::optional<std::int64_t> largest;
  for (const Gpu& gpu : looks) {
    const auto value = telemetry::number(gpu[gauge]);
    if (value && (!largest || *value > *largest)) largest = value;
  }
  return largest ? *largest : required_number(looks.back(), gauge);
}

}  // namespace gpucheck::cases::in_health
