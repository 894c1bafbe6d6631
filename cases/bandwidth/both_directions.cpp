#include "base/text/units.hpp"
#include "cases/shared/bandwidth_support.hpp"

namespace gpucheck::cases::in_bandwidth::both_directions {
namespace {

using namespace literals;
using device::CopyKind;

constexpr std::uint64_t on_gpu = 512_MiB;

/// Two streams that begin a sample together, and end it with the later of them.
class TwoStreams {
 public:
  explicit TwoStreams(Measurement& measurement)
      : measurement_(measurement),
        device_(measurement.device()),
        other_(device::own<device::UniqueStream>(device_, device_.create_stream(device::StreamKind::non_blocking, 0))),
        begun_(device::own<device::UniqueEvent>(device_, device_.create_event(device::EventKind::no_timing))),
        done_(device::own<device::UniqueEvent>(device_, device_.create_event(device::EventKind::no_timing))) {}

  void run(const Work& here, const std::function<device::Status(device::Stream)>& there) {
    device::check(device_, device_.record(begun_.get(), measurement_.stream()), "record");
    device::check(device_, device_.wait(other_.get(), begun_.get()), "wait");
    here();
    device::check(device_, there(other_.get()), "copy");
    device::check(device_, device_.record(done_.get(), other_.get()), "record");
    device::check(device_, device_.wait(measurement_.stream(), done_.get()), "wait");
  }

 private:
  Measurement& measurement_;
  device::Device& device_;
  device::UniqueStream other_;
  device::UniqueEvent begun_;
  device::UniqueEvent done_;
};

void run(harness::Context& context) {
  Measurement measurement(context, 2);
  device::Device& device = measurement.device();
  const std::uint64_t bytes = buffer_bytes(context, on_gpu);
  const DeviceBuffer in(device, bytes);
  const DeviceBuffer out(device, bytes);
  const auto sent = device::own<device::UniquePinnedMemory>(device, device.allocate_pinned(bytes));
  const auto received = device::own<device::UniquePinnedMemory>(device, device.allocate_pinned(bytes));
  measurement.randomize(in, 0);
  measurement.copy(sent.get(), in.data(), bytes, CopyKind::device_to_host);
  measurement.clear(in);
  measurement.randomize(out, 1);
  measurement.clear_host(received.get(), bytes);
  TwoStreams streams(measurement);
  measurement.observe_speed("sum", measurement.measure_held(2 * bytes, [&] {
    streams.run([&] { measurement.copy(in.data(), sent.get(), bytes, CopyKind::host_to_device); },
                [&](device::Stream other) {
                  return device.copy(received.get(), out.data(), bytes, CopyKind::device_to_host, other);
                });
  }));
  measurement.verify(in.stretch(), 0);
  measurement.verify(stretch_of(received.get(), bytes), 1);
  measurement.summary().observe(context);
}

}  // namespace

harness::Case define() {
  std::vector<harness::Fault> faults = copy_faults(2, 2);
  faults.insert(faults.end(), {no_time(), nothing_runs()});
  return {
      .name = "bandwidth.both_directions",
      .summary = "How fast host and device copy to each other at once, both ways together; what arrives is compared",
      .source = "nvbandwidth host_to_device_bidirectional_memcpy_ce",
      .needs = {.exclusive = true, .idle = true, .host_link = true},
      .parameters = {bytes_parameter(on_gpu)},
      .faults = std::move(faults),
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_bandwidth::both_directions
