#include <algorithm>
#include <fmt/format.h>

#include "base/text/units.hpp"
#include "cases/bandwidth/peers_support.hpp"
#include "cases/pairs.hpp"

namespace gpucheck::cases::in_bandwidth::peer_copy {
namespace {

using namespace literals;
using device::CopyKind;

constexpr std::uint64_t on_gpu = 512_MiB;

/// What a device sends, and where it receives, in all pairs that it is in.
struct Buffers {
  DeviceBuffer sent;
  DeviceBuffer received;
};

/// One of the two devices of a pair.
struct Side {
  Side(harness::Context& context, std::size_t device, const Buffers& buffers)
      : index(device), measurement(context, verifications, device), sent(buffers.sent), received(buffers.received) {}

  static constexpr std::size_t verifications = 4;  ///< of a copy, of either kernel, and of copies both ways
  std::size_t index;                               ///< in the case
  Measurement measurement;
  const DeviceBuffer& sent;
  const DeviceBuffer& received;
};

/// A way of moving memory, over all pairs.
struct Way {
  Way(const std::string& name, std::size_t devices) : metric(name + "_gbps"), slowest(name), speeds(devices) {}

  void add(const Side& from, const Side& to, const Samples& samples) {
    slowest.add(samples);
    speeds.set(from.index, to.index, samples.gbps());
  }
  void observe(harness::Context& context) const {
    slowest.observe(context);
    speeds.observe(context, metric);
  }

  std::string metric;
  Slowest slowest;
  PairSpeeds speeds;
};

/// The summary of all pairs.
struct Totals {
  explicit Totals(std::size_t devices)
      : copies("copy", devices),
        kernels_that_write("kernel_write", devices),
        kernels_that_read("kernel_read", devices),
        both_ways("both_ways", devices) {}

  Way copies;
  Way kernels_that_write;
  Way kernels_that_read;
  Way both_ways;
  std::vector<Pair> pairs = {};
  std::vector<std::string> out_of_reach = {};
  std::size_t fewest_samples = 0;  ///< of a pair
  Summary summary = {};
};

/// A pair's measurements.
class PairMeasurement {
 public:
  PairMeasurement(Side& first, Side& second, Totals& totals) : first_(first), second_(second), totals_(totals) {}

  void run() {
    measure_from(first_, second_, 0);
    measure_from(second_, first_, 1);
    measure_both_ways();
  }
  /// GB/s of copies, the slower way.
  [[nodiscard]] double copy_gbps() const { return *std::ranges::min_element(copies_gbps_); }
  [[nodiscard]] Summary summary() {
    Summary summary = first_.measurement.summary();
    summary.add(second_.measurement.summary());
    summary.add(summary_);
    return summary;
  }

 private:
  /// Measures one way of bringing what `from` sends to `to`, which `runner` does, and compares what arrived.
  Samples measure_way(Side& from, Side& to, Side& runner, std::uint64_t words, const Work& work) {
    to.measurement.clear(to.received);
    to.measurement.wait();
    Samples samples = runner.measurement.measure_held(from.sent.bytes(), work);
    to.measurement.verify(to.received.stretch(), words);
    to.measurement.wait();
    return samples;
  }

  void keep(Way& way, const Side& from, const Side& to, const Samples& samples) {
    way.add(from, to, samples);
    summary_.add({.samples = samples.measured(), .held = samples.held});
  }

  static void copy(Side& from, Side& to) {
    from.measurement.copy(to.received.data(), from.sent.data(), from.sent.bytes(), CopyKind::device_to_device);
  }

  /// A copy, a kernel of the sender that writes, a kernel of the receiver that reads.
  void measure_from(Side& from, Side& to, std::uint64_t words) {
    from.measurement.randomize(from.sent, words);
    from.measurement.wait();
    const Samples copies = measure_way(from, to, from, words, [&] { copy(from, to); });
    copies_gbps_.push_back(copies.gbps());
    keep(totals_.copies, from, to, copies);
    const auto measure_kernel = [&](Way& way, Side& runner) {
      keep(way, from, to,
           measure_way(from, to, runner, words, [&] { runner.measurement.copy_by_kernel(to.received, from.sent); }));
    };
    measure_kernel(totals_.kernels_that_write, from);
    measure_kernel(totals_.kernels_that_read, to);
  }

  /// What each way moves while both do.
  void measure_both_ways() {
    const Together together(stream_of(first_.measurement), {stream_of(second_.measurement)});
    for (Side* const side : {&first_, &second_}) {
      side->measurement.clear(side->received);
      side->measurement.wait();
    }
    const Samples samples = first_.measurement.measure_held(first_.sent.bytes(), [&] {
      together.run([&] {
        copy(first_, second_);
        copy(second_, first_);
      });
    });
    keep(totals_.both_ways, first_, second_, samples);
    totals_.both_ways.speeds.set(second_.index, first_.index, samples.gbps());
    second_.measurement.wait();
    first_.measurement.verify(first_.received.stretch(), 1);
    second_.measurement.verify(second_.received.stretch(), 0);
  }

  Side& first_;
  Side& second_;
  Totals& totals_;
  std::vector<double> copies_gbps_;
  Summary summary_;
};

void measure_pair(harness::Context& context, const std::vector<Buffers>& buffers, std::size_t first, std::size_t second,
                  Totals& totals) {
  device::Device& one = context.device(first);
  device::Device& other = context.device(second);
  if (!let_reach(one, other) || !let_reach(other, one)) {
    totals.out_of_reach.push_back(fmt::format("{}-{}", one.ordinal(), other.ordinal()));
    return;
  }
  Side side(context, first, buffers.at(first));
  Side other_side(context, second, buffers.at(second));
  PairMeasurement measurement(side, other_side, totals);
  measurement.run();
  const Summary summary = measurement.summary();
  const bool is_first = totals.pairs.empty();
  totals.fewest_samples = is_first ? summary.samples : std::min(totals.fewest_samples, summary.samples);
  totals.pairs.push_back({first, second, measurement.copy_gbps(), summary.mismatches != 0});
  totals.summary.add(summary);
}

void observe(harness::Context& context, const Totals& totals) {
  for (const Way* const way :
       {&totals.copies, &totals.kernels_that_write, &totals.kernels_that_read, &totals.both_ways}) {
    way->observe(context);
  }
  observe_pairs(context, totals.pairs);
  context.observe("out_of_reach", totals.out_of_reach);
  context.observe("samples_of_each", totals.fewest_samples);
  context.observe("held", totals.summary.held);
  context.observe("percent_verified", totals.summary.percent_verified);
  context.observe("mismatches", totals.summary.mismatches);
}

void run(harness::Context& context) {
  const std::uint64_t bytes = buffer_bytes(context, on_gpu);
  std::vector<Buffers> buffers;
  for (std::size_t i = 0; i < context.device_count(); ++i) {
    device::Device& device = context.device(i);
    buffers.push_back({.sent = {device, bytes}, .received = {device, bytes}});
  }
  Totals totals(context.device_count());
  for_each_pair(context,
                [&](std::size_t first, std::size_t second) { measure_pair(context, buffers, first, second, totals); });
  if (totals.pairs.empty()) throw harness::Skip("no two devices can reach each other's memory");
  observe(context, totals);
}

}  // namespace

harness::Case define() {
  using fault::Operation;
  const fault::Calls all_copies{1, 40};       // those of each direction, and those both ways
  const std::chrono::milliseconds slow(150);  // 3.6 GB/s, less than the limit of any GPU
  return {
      .name = "bandwidth.peer_copy",
      .summary =
          "How fast each two devices bring memory to each other: by copies, by kernels that write, by kernels that "
          "read, and both ways at once; what arrives is compared, and the device named that all bad pairs share",
      .source = "nvbandwidth device_to_device_memcpy_*",
      // Access that was granted stays.
      .needs = {.devices = 2, .every_device = true, .exclusive = true, .idle = true, .own_process = true},
      .parameters = {bytes_parameter(on_gpu)},
      .faults =
          {
              {"copies_are_lost", "no copy happens", fault::copy_lost(all_copies)},
              {"copies_flip_bit", "one bit of what is copied flips", fault::copy_flips_bit(fault::every_call)},
              {"kernels_flip_bit", "one bit of what each kernel writes flips",
               fault::kernel_flips_bit(fault::every_call)},
              {"copies_are_slow", "each copy takes 150 ms longer", delayed(Operation::copy, fault::every_call, slow)},
              {"kernels_are_slow", "each kernel takes 150 ms longer",
               delayed(Operation::launch_kernel, fault::every_call, slow)},
              {"some_copies_are_slow", "three in eight copies take 50 ms longer", some_delayed(Operation::copy)},
              {"some_copies_both_ways_are_slow", "three in eight pairs of copies take 50 ms longer",
               some_delayed(Operation::copy, 2)},
              {"some_kernels_are_slow", "three in eight kernels take 50 ms longer",
               some_delayed(Operation::launch_kernel)},
              no_time(),
              nothing_runs(),
          },
      .deadline = std::chrono::seconds(120),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_bandwidth::peer_copy
