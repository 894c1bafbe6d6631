#include "cases/shared/bandwidth_support.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/splitmix.hpp"
#include "base/text/units.hpp"
#include "cases/shared/kernels/bandwidth.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/turns.hpp"

namespace gpucheck::cases::in_bandwidth {
namespace {

using namespace literals;
using device::EventKind;
using device::UniqueEvent;

constexpr std::uint64_t simulated_bytes = 1_MiB;

/// How long the stream is held at first: the host queues a sample in some 10 us.
constexpr std::chrono::nanoseconds first_hold = std::chrono::milliseconds(2);

UniqueEvent make_event(device::Device& device) {
  return device::own<UniqueEvent>(device, device.create_event(EventKind::timing));
}

/// Work that was queued between events.
class Queued {
 public:
  Queued(device::Device& device, device::Stream stream, const Work& work) {
    work();  // not timed
    record(device, stream);
    for (std::size_t i = 0; i < sample_count; ++i) {
      work();
      record(device, stream);
    }
  }
  /// Waits. The time between each event and the next, ms.
  [[nodiscard]] std::vector<double> times(device::Device& device) const {
    device::check(device, device.synchronize(events_.back().get()), "synchronize");
    std::vector<double> ms;
    for (std::size_t i = 0; i < sample_count; ++i) {
      ms.push_back(static_cast<double>(device.elapsed_ms(events_[i].get(), events_[i + 1].get()).value()));
    }
    return ms;
  }

 private:
  void record(device::Device& device, device::Stream stream) {
    events_.push_back(make_event(device));
    device::check(device, device.record(events_.back().get(), stream), "record");
  }
  std::vector<UniqueEvent> events_;
};

/// Whether work that was queued long ago is still to be done.
bool is_pending(device::Device& device, const UniqueEvent& event) {
  const device::Status status = device.query(event.get());
  if (status == device::Status::success) return false;
  static_cast<void>(device.last_error());  // an unfinished event is not an error to keep
  if (status != device::Status::not_ready) device::check(device, status, "query");
  return true;
}

Samples measure_held_for(device::Device& device, device::Stream stream, std::uint64_t bytes, const Work& work,
                         std::chrono::nanoseconds hold) {
  device::check(device, device.synchronize(stream), "synchronize");  // or earlier work would hold the stream
  const UniqueEvent released = make_event(device);
  const device::kernels::Spin spin{static_cast<std::uint64_t>(hold.count())};
  device::check(device, device::launch(device, spin, 1, stream), "spin");
  device::check(device, device.record(released.get(), stream), "record");
  const Queued queued(device, stream, work);
  const bool held = is_pending(device, released);
  return {.bytes = bytes, .ms = queued.times(device), .held = held};
}

}  // namespace

double Samples::median_ms() const {
  if (ms.empty()) return 0;
  std::vector<double> sorted = ms;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

double Samples::gbps() const {
  const double median = median_ms();
  return median > 0 ? static_cast<double>(bytes) / median / 1e6 : 0;
}

double Samples::spread_percent() const {
  const double median = median_ms();
  if (median <= 0) return 0;
  std::vector<double> sorted = ms;
  std::ranges::sort(sorted);
  const std::size_t outside = sorted.size() / 4;
  return (sorted[sorted.size() - 1 - outside] - sorted[outside]) / median * 100;
}

std::size_t Samples::measured() const {
  return static_cast<std::size_t>(std::ranges::count_if(ms, [](double sample) { return sample > 0; }));
}

Samples measure_held(device::Device& device, device::Stream stream, std::uint64_t bytes, const Work& work) {
  std::chrono::nanoseconds hold = first_hold;
  Samples samples;
  for (std::size_t attempt = 0; attempt < most_attempts; ++attempt, hold *= 4) {
    samples = measure_held_for(device, stream, bytes, work, hold);
    if (samples.held) break;
  }
  return samples;
}

Samples measure(device::Device& device, device::Stream stream, std::uint64_t bytes, const Work& work,
                const Work& wait) {
  const Queued queued(device, stream, work);
  if (wait) wait();
  return {.bytes = bytes, .ms = queued.times(device)};
}

DeviceBuffer::DeviceBuffer(device::Device& device, std::uint64_t bytes)
    : memory_(device::own<device::UniqueDeviceMemory>(device, device.allocate(bytes))), bytes_(bytes) {}

std::vector<TestedMemory> DeviceBuffer::stretch() const { return stretch_of(data(), bytes_); }

std::vector<TestedMemory> stretch_of(void* data, std::uint64_t bytes) {
  using device::kernels::TwoWords;
  return {{.data = static_cast<TwoWords*>(data), .vectors = bytes / sizeof(TwoWords)}};
}

Measurement::Measurement(harness::Context& context, std::size_t verifications, std::size_t device_index)
    : context_(context),
      device_(context.device(device_index)),
      stream_(context.runtime(device_index).current_stream()),
      passes_(context.runtime(device_index), stream_, verifications) {}

RandomWords Measurement::words(std::uint64_t n) const {
  return {device::kernels::PhiloxKeys(splitmix(context_.seed() + n))};
}

void Measurement::randomize(const DeviceBuffer& buffer, std::uint64_t n) { passes_.write(buffer.stretch(), words(n)); }

void Measurement::clear(const DeviceBuffer& buffer) {
  device::check(device_, device_.fill(buffer.data(), 0, buffer.bytes(), stream_), "fill");
}

void Measurement::clear_host(void* data, std::uint64_t bytes) {
  passes_.write(stretch_of(data, bytes), device::kernels::RepeatedWord{0});
}

void Measurement::copy(void* destination, const void* source, std::uint64_t bytes, device::CopyKind kind) {
  device::check(device_, device_.copy(destination, source, bytes, kind, stream_), "copy");
}

void Measurement::copy_by_kernel(const DeviceBuffer& destination, const DeviceBuffer& source) {
  const TestedMemory from = source.stretch().front();
  const device::kernels::CopyVectors kernel{from.data, destination.stretch().front().data, from.vectors};
  const std::size_t invocations = device::invocations_that_write(from.vectors, device::kernels::bandwidth_loads);
  device::check(device_, device::launch(device_, kernel, invocations, stream_), kernel.name);
}

void Measurement::wait() { device::check(device_, device_.synchronize(stream_), "synchronize"); }

void Measurement::verify(const std::vector<TestedMemory>& memory, std::uint64_t n) {
  expect_verified(memory.front().bytes());
  passes_.verify(memory, words(n), in_memtest::as_it_is);
}

Samples Measurement::measure_held(std::uint64_t bytes, const Work& work) {
  return in_bandwidth::measure_held(device_, stream_, bytes, work);
}

Samples Measurement::measure(std::uint64_t bytes, const Work& work) {
  return in_bandwidth::measure(device_, stream_, bytes, work);
}

void Measurement::observe_speed(const std::string& name, const Samples& samples) {
  context_.observe(name + "_gbps", samples.gbps());
  context_.observe(name + "_spread_percent", samples.spread_percent());
  summary_.add({.samples = samples.measured(), .held = samples.held});
}

void Measurement::observe_latency(const std::string& name, const Samples& samples, std::uint64_t steps) {
  context_.observe(name + "_ns", samples.median_ms() * 1e6 / static_cast<double>(steps));
  context_.observe(name + "_spread_percent", samples.spread_percent());
  summary_.add({.samples = samples.measured(), .held = samples.held});
}

Summary Measurement::summary() {
  const in_memtest::Findings findings = passes_.finish();
  Summary summary = summary_;
  summary.mismatches = findings.log.mismatches;
  for (std::size_t i = 0; i < verified_bytes_.size(); ++i) {
    summary.add_verification(findings.compared_bytes.at(i), verified_bytes_[i]);
  }
  return summary;
}

void Summary::add_verification(std::uint64_t compared_bytes, std::uint64_t expected_bytes) {
  const double share = static_cast<double>(compared_bytes) / static_cast<double>(expected_bytes);
  percent_verified = std::min(percent_verified, share * 100);
}

void Summary::add(const Summary& other) {
  samples += other.samples;
  held = held && other.held;
  percent_verified = std::min(percent_verified, other.percent_verified);
  mismatches += other.mismatches;
}

void Summary::observe_samples(harness::Context& context) const {
  context.observe("samples", samples);
  context.observe("held", held);
}

void Summary::observe(harness::Context& context) const {
  observe_samples(context);
  context.observe("percent_verified", percent_verified);
  context.observe("mismatches", mismatches);
}

harness::Parameter bytes_parameter(std::uint64_t on_gpu) {
  return {.name = "bytes",
          .summary = "size of each buffer; 0: " + format_bytes(on_gpu) + " on a GPU, 1 MiB on the simulated device",
          .default_value = std::int64_t{0},
          .unit = "bytes",
          .minimum = 0,
          .smallest = 1_MiB};
}

std::uint64_t buffer_bytes(harness::Context& context, std::uint64_t on_gpu) {
  const auto asked = static_cast<std::uint64_t>(context.parameter<std::int64_t>("bytes"));
  const bool is_simulated = context.driver().kind() == "sim";
  if (asked == 0) return is_simulated ? simulated_bytes : on_gpu;
  // The start of a smaller copy, or a cache that holds all of it, decides what is measured.
  if (!is_simulated && asked < on_gpu / 4) {
    throw UsageError(fmt::format("bytes={} is too small for a GPU's speed to be judged: give {} at least", asked,
                                 format_bytes(on_gpu / 4)));
  }
  return asked / 4_KiB * 4_KiB;
}

harness::Fault no_time() {
  return {"no_time_passes", "events tell that no sample took any time",
          fault::broken(fault::Operation::elapsed_ms, fault::Effect::wrong_answer, fault::every_call)};
}

harness::Fault nothing_runs() {
  return {"kernels_are_lost", "no kernel runs, nor the one that holds the stream",
          fault::kernel_lost(fault::every_call)};
}

fault::Plan delayed(fault::Operation operation, fault::Calls calls, std::chrono::milliseconds delay) {
  fault::Plan plan = fault::broken(operation, fault::Effect::delay, calls);
  plan.rules.front().delay = delay;
  return plan;
}

fault::Plan some_delayed(fault::Operation operation, std::uint64_t calls_per_sample) {
  constexpr std::uint64_t periods = 60;
  const std::uint64_t period = 8 * calls_per_sample;
  const std::uint64_t in_three_samples = 2 * calls_per_sample + 1;  // wherever the first of them begins
  fault::Plan plan;
  for (std::uint64_t call = period; call <= periods * period; call += period) {
    plan.rules.push_back(delayed(operation, {call, in_three_samples}).rules.front());
  }
  return plan;
}

std::vector<harness::Fault> copy_faults(std::uint64_t first, std::uint64_t copies) {
  using fault::Operation;
  const fault::Calls measured{first, copies * (sample_count + 1)};
  return {
      {"copies_are_lost", "nothing of what is measured is copied", fault::copy_lost(measured)},
      {"copies_flip_bit", "one bit of what is copied flips", fault::copy_flips_bit(fault::from_call(first))},
      {"copies_are_slow", "each copy takes 50 ms longer", delayed(Operation::copy, fault::from_call(first))},
      {"some_copies_are_slow", "copies of three in eight samples take 50 ms longer",
       some_delayed(Operation::copy, copies)},
  };
}

std::vector<harness::Fault> kernel_faults(std::uint64_t first) {
  using fault::Operation;
  return {
      {"kernels_flip_bit", "one bit of what each kernel writes flips", fault::kernel_flips_bit(fault::every_call)},
      {"kernels_are_slow", "each kernel takes 50 ms longer",
       delayed(Operation::launch_kernel, fault::from_call(first))},
      {"some_kernels_are_slow", "three in eight kernels take 50 ms longer", some_delayed(Operation::launch_kernel)},
  };
}

}  // namespace gpucheck::cases::in_bandwidth
