#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cases/shared/passes_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "harness/case/context.hpp"

/// What the measurements of bandwidth and latency share. What is copied is random, and compared on the device, whole,
/// after the time is taken.
namespace gpucheck::cases::in_bandwidth {

using device::kernels::RandomWords;
using device::kernels::TestedMemory;
using in_memtest::Passes;

/// How often a thing is measured.
inline constexpr std::size_t sample_count = 9;
/// How often all of that is begun again at most, each time with a stream that is held four times longer.
inline constexpr std::size_t most_attempts = 5;

/// What the same work took each time.
struct Samples {
  std::uint64_t bytes = 0;  ///< that each moved
  std::vector<double> ms = {};
  bool held = true;  ///< the stream waited until all of it was queued

  [[nodiscard]] double median_ms() const;
  /// 10^9 bytes a second, by the median; 0 where no time was measured.
  [[nodiscard]] double gbps() const;
  /// Between the ends of the middle half, of the median: one sample that something else disturbed does not count.
  [[nodiscard]] double spread_percent() const;
  /// Those in which time passed.
  [[nodiscard]] std::size_t measured() const;
};

using Work = std::function<void()>;

/// Measures what `work` gives to the stream: once untimed, then `sample_count` times, each between two events. The
/// stream is held until all is queued, so that nothing waits for the host; longer, when that turns out not to suffice.
/// As nvbandwidth does it. @throws DeviceError.
Samples measure_held(device::Device& device, device::Stream stream, std::uint64_t bytes, const Work& work);
/// The same for work that the host takes part in, for which a held stream would wait for ever: nothing is held.
/// @param wait for what is queued, where a plain wait could be one for ever; by default a plain one
Samples measure(device::Device& device, device::Stream stream, std::uint64_t bytes, const Work& work,
                const Work& wait = {});

/// Device memory of a case. @throws DeviceError.
class DeviceBuffer {
 public:
  DeviceBuffer(device::Device& device, std::uint64_t bytes);
  [[nodiscard]] void* data() const { return memory_.get(); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::vector<TestedMemory> stretch() const;

 private:
  device::UniqueDeviceMemory memory_;
  std::uint64_t bytes_;
};

/// Host memory that a device can reach as the device's own.
std::vector<TestedMemory> stretch_of(void* data, std::uint64_t bytes);

/// The summary of measurements and verifications.
struct Summary {
  std::size_t samples = 0;        ///< in which time passed
  bool held = true;               ///< each stream that was to be
  double percent_verified = 100;  ///< of the least complete verification
  std::uint64_t mismatches = 0;

  void add(const Summary& other);
  /// What a verification compared, of what it was to compare.
  void add_verification(std::uint64_t compared_bytes, std::uint64_t expected_bytes);
  /// `samples`, `held`.
  void observe_samples(harness::Context& context) const;
  /// That, `percent_verified` and `mismatches`.
  void observe(harness::Context& context) const;
};

/// What a case measures, on the stream of one of its devices: the verbs it is written in, and what is observed. Each
/// verb throws DeviceError.
class Measurement {
 public:
  /// For so many verifications.
  Measurement(harness::Context& context, std::size_t verifications, std::size_t device_index = 0);

  [[nodiscard]] device::Device& device() noexcept { return device_; }
  [[nodiscard]] device::Stream stream() const noexcept { return stream_; }
  [[nodiscard]] Passes& passes() noexcept { return passes_; }

  /// Fills memory with random words, the n-th of those that the case's seed gives.
  void randomize(const DeviceBuffer& buffer, std::uint64_t n);
  void clear(const DeviceBuffer& buffer);
  /// The same of host memory that the device can reach: new memory may still hold what was sent to it once.
  void clear_host(void* data, std::uint64_t bytes);
  void copy(void* destination, const void* source, std::uint64_t bytes, device::CopyKind kind);
  /// By a kernel of this device; either memory may be another's that it can reach.
  void copy_by_kernel(const DeviceBuffer& destination, const DeviceBuffer& source);
  void wait();
  /// Compares memory with the n-th random words.
  void verify(const std::vector<TestedMemory>& memory, std::uint64_t n);
  /// Expects that the next comparing pass sees so many bytes.
  void expect_verified(std::uint64_t bytes) { verified_bytes_.push_back(bytes); }

  Samples measure_held(std::uint64_t bytes, const Work& work);
  Samples measure(std::uint64_t bytes, const Work& work);

  /// Observes `<name>_gbps` and `<name>_spread_percent`.
  void observe_speed(const std::string& name, const Samples& samples);
  /// Observes `<name>_ns`, the time of each of the steps that a sample had, and `<name>_spread_percent`.
  void observe_latency(const std::string& name, const Samples& samples, std::uint64_t steps);
  /// The summary of all measurements and verifications. Waits for them.
  [[nodiscard]] Summary summary();

 private:
  [[nodiscard]] RandomWords words(std::uint64_t n) const;

  harness::Context& context_;
  device::Device& device_;
  device::Stream stream_;
  Passes passes_;
  std::vector<std::uint64_t> verified_bytes_;  ///< that each verification is to compare
  Summary summary_;
};

/// How large each buffer is; 0: `on_gpu`, or 1 MiB on the simulated device.
harness::Parameter bytes_parameter(std::uint64_t on_gpu);
/// The parameter's value, in whole pages of 4 KiB. @throws UsageError for none.
std::uint64_t buffer_bytes(harness::Context& context, std::uint64_t on_gpu);

/// No sample takes any time, as far as the device's events tell.
harness::Fault no_time();
/// The kernels that hold the stream, and all others, do not run.
harness::Fault nothing_runs();
/// Calls that take longer.
fault::Plan delayed(fault::Operation operation, fault::Calls calls,
                    std::chrono::milliseconds delay = std::chrono::milliseconds(50));
/// Three in eight of the first few hundred samples have a call that takes 50 ms longer: three or four of the nine of
/// each measurement, which is too few to be the median and enough to be seen in the spread, however often it was begun
/// anew because the stream was not held.
/// @param calls_per_sample of all devices together.
fault::Plan some_delayed(fault::Operation operation, std::uint64_t calls_per_sample = 1);
/// What goes wrong with copies, from the n-th on: the first that is measured. `copies` of them are a sample.
std::vector<harness::Fault> copy_faults(std::uint64_t first, std::uint64_t copies = 1);
/// The same with kernels.
std::vector<harness::Fault> kernel_faults(std::uint64_t first);

}  // namespace gpucheck::cases::in_bandwidth
