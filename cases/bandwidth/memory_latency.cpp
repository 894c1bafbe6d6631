#include <bit>

#include "base/text/units.hpp"
#include "cases/shared/bandwidth_support.hpp"
#include "cases/shared/kernels/bandwidth.hpp"
#include "cases/support.hpp"

namespace gpucheck::cases::in_bandwidth::memory_latency {
namespace {

using namespace literals;
using device::kernels::LinkedLine;

/// Numerical Recipes' generator: leaps of many lines, so that nothing is fetched ahead.
constexpr std::uint64_t factor = 1664525;
constexpr std::uint64_t increment = 1013904223;

constexpr std::uint64_t steps_on_gpu = 65536;
constexpr std::uint64_t steps_on_simulator = 256;

/// A ring of lines, and a place in it.
class Chase {
 public:
  Chase(Measurement& measurement, std::uint64_t bytes, std::uint64_t steps)
      : measurement_(measurement),
        count_(std::bit_floor(bytes / sizeof(LinkedLine))),
        steps_(steps),
        lines_(measurement.device(), count_ * sizeof(LinkedLine)),
        place_(measurement.device(), sizeof(std::uint64_t)) {
    measurement.clear(place_);
    launch(device::kernels::LinkLines{lines(), count_, factor, increment}, count_);
  }

  void follow(std::uint64_t steps) {
    launch(device::kernels::FollowLinks{lines(), count_, steps, static_cast<std::uint64_t*>(place_.data())}, 1);
    followed_ += steps;
  }
  /// Brings all lines into the cache, if they fit.
  void follow_once_around() { follow(count_); }
  Samples measure() {
    return measurement_.measure_held(steps_ * sizeof(LinkedLine), [this] { follow(steps_); });
  }
  /// Whether each load gave what was there: one that did not has led elsewhere.
  [[nodiscard]] bool ends_right(runtime::Runtime& runtime) const {
    std::uint64_t expected = 0;
    for (std::uint64_t i = 0; i < followed_; ++i) expected = (factor * expected + increment) % count_;
    return read_one(runtime, static_cast<const std::uint64_t*>(place_.data()), measurement_.stream()) == expected;
  }

 private:
  [[nodiscard]] LinkedLine* lines() const { return static_cast<LinkedLine*>(lines_.data()); }
  template <typename Kernel>
  void launch(const Kernel& kernel, std::size_t count) {
    device::Device& device = measurement_.device();
    device::check(device, device::launch(device, kernel, count, measurement_.stream()), Kernel::name);
  }

  Measurement& measurement_;
  std::uint64_t count_;
  std::uint64_t steps_;
  DeviceBuffer lines_;
  DeviceBuffer place_;
  std::uint64_t followed_ = 0;  ///< links, of all kernels: worked out afterwards, since the stream is held meanwhile
};

void run(harness::Context& context) {
  Measurement measurement(context, 0);
  const bool simulated = context.driver().kind() == "sim";
  const std::uint64_t cache_bytes = simulated ? 512_KiB : measurement.device().properties().l2_cache_bytes;
  const std::uint64_t steps = simulated ? steps_on_simulator : steps_on_gpu;
  Chase in_cache(measurement, cache_bytes / 4, steps);
  in_cache.follow_once_around();
  measurement.observe_latency("cache", in_cache.measure(), steps);
  // A ring that the cache holds a small part of, of which no line is met twice.
  Chase in_memory(measurement, 8 * cache_bytes, steps);
  measurement.observe_latency("memory", in_memory.measure(), steps);
  context.observe("ends_right", in_cache.ends_right(context.runtime()) && in_memory.ends_right(context.runtime()));
  measurement.summary().observe_samples(context);
}

}  // namespace

harness::Case define() {
  return {
      .name = "bandwidth.memory_latency",
      .summary = "How long one load takes that waits for the one before it, from the L2 cache and from memory",
      .source = "nvbandwidth device_to_device_latency_sm, within one device",
      .needs = {.exclusive = true, .idle = true},
      .faults =
          {
              {"kernels_flip_bit", "one bit of what each kernel writes flips",
               fault::kernel_flips_bit(fault::every_call)},
              {"some_chases_are_slow", "three in eight kernels take 50 ms longer",
               some_delayed(fault::Operation::launch_kernel)},
              no_time(),
              nothing_runs(),
          },
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_bandwidth::memory_latency
