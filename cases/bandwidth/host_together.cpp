#include <algorithm>
#include <memory>

#include "base/text/units.hpp"
#include "cases/bandwidth/peers_support.hpp"

namespace gpucheck::cases::in_bandwidth::host_together {
namespace {

using namespace literals;
using device::CopyKind;

constexpr std::uint64_t on_gpu = 512_MiB;

/// A device, and the host's memory that it copies to and from.
struct Member {
  Member(harness::Context& context, std::size_t index, std::uint64_t bytes)
      : measurement(context, verifications, index),
        memory(measurement.device(), bytes),
        pinned(device::own<device::UniquePinnedMemory>(measurement.device(),
                                                       measurement.device().allocate_pinned(bytes))) {}

  static constexpr std::size_t verifications = 4;  ///< of either way, alone and together
  Measurement measurement;
  DeviceBuffer memory;
  device::UniquePinnedMemory pinned;

  void copy(CopyKind way) {
    const bool to_host = way == CopyKind::device_to_host;
    void* const host = pinned.get();
    measurement.copy(to_host ? host : memory.data(), to_host ? memory.data() : host, memory.bytes(), way);
  }
  /// Makes sure that what is compared next was copied after this: n-th random words are sent to the host, where
  /// none are, and on the way back arrive in memory without any.
  void prepare(CopyKind way, std::uint64_t n) {
    if (way == CopyKind::device_to_host) {
      measurement.randomize(memory, n);
      measurement.clear_host(pinned.get(), memory.bytes());
    } else {
      measurement.clear(memory);
    }
    measurement.wait();
  }
  void verify(CopyKind way, std::uint64_t n) {
    measurement.verify(way == CopyKind::device_to_host ? stretch_of(pinned.get(), memory.bytes()) : memory.stretch(),
                       n);
    measurement.wait();
  }
};

using Members = std::vector<std::unique_ptr<Member>>;

/// One way between the host and all devices.
struct Way {
  std::string name;
  CopyKind kind;
};

/// Words by number: 2 i is what device i sends alone, 2 i + 1 what it sends together with the others, and what the host
/// sends back either time.
std::uint64_t words_of(std::size_t device, bool is_together) { return 2 * device + (is_together ? 1 : 0); }

/// One device after the other.
std::vector<Samples> measure_alone(Members& members, const Way& way) {
  std::vector<Samples> samples;
  for (std::size_t i = 0; i < members.size(); ++i) {
    Member& member = *members[i];
    const std::uint64_t words = words_of(i, way.kind == CopyKind::host_to_device);
    member.prepare(way.kind, words);
    samples.push_back(member.measurement.measure_held(member.memory.bytes(), [&] { member.copy(way.kind); }));
    member.verify(way.kind, words);
  }
  return samples;
}

/// All devices at once. A sample's bytes are those of one: it ends with the slowest.
Samples measure_together(Members& members, const Way& way) {
  std::vector<DeviceStream> others;
  for (std::size_t i = 1; i < members.size(); ++i) others.push_back(stream_of(members[i]->measurement));
  Measurement& leader = members.front()->measurement;
  const Together together(stream_of(leader), others);
  for (std::size_t i = 0; i < members.size(); ++i) members[i]->prepare(way.kind, words_of(i, true));
  Samples samples = leader.measure_held(members.front()->memory.bytes(), [&] {
    together.run([&] {
      for (const auto& member : members) member->copy(way.kind);
    });
  });
  for (std::size_t i = 0; i < members.size(); ++i) members[i]->verify(way.kind, words_of(i, true));
  return samples;
}

/// The summary of all measurements.
struct Totals {
  std::size_t fewest_samples = sample_count;
  Summary summary = {};

  void add(const Samples& samples) {
    fewest_samples = std::min(fewest_samples, samples.measured());
    summary.add({.samples = samples.measured(), .held = samples.held});
  }
};

void measure(harness::Context& context, Members& members, const Way& way, Totals& totals) {
  Slowest alone(way.name + "_alone");
  double sum_gbps = 0;
  for (const Samples& samples : measure_alone(members, way)) {
    alone.add(samples);
    totals.add(samples);
    sum_gbps += samples.gbps();
  }
  alone.observe(context);
  const Samples samples = measure_together(members, way);
  totals.add(samples);
  Slowest together(way.name + "_together");
  together.add(samples);
  together.observe(context);
  const double all_gbps = static_cast<double>(members.size()) * samples.gbps();
  context.observe(way.name + "_together_percent", sum_gbps > 0 ? all_gbps / sum_gbps * 100 : 0.0);
}

void run(harness::Context& context) {
  const std::uint64_t bytes = buffer_bytes(context, on_gpu);
  Members members;
  for (std::size_t i = 0; i < context.device_count(); ++i) {
    members.push_back(std::make_unique<Member>(context, i, bytes));
  }
  Totals totals;
  measure(context, members, {"to_host", CopyKind::device_to_host}, totals);
  measure(context, members, {"to_device", CopyKind::host_to_device}, totals);
  Summary& summary = totals.summary;
  for (const auto& member : members) summary.add(member->measurement.summary());
  context.observe("devices", context.device_count());
  context.observe("samples_of_each", totals.fewest_samples);
  context.observe("held", summary.held);
  context.observe("percent_verified", summary.percent_verified);
  context.observe("mismatches", summary.mismatches);
}

}  // namespace

harness::Case define() {
  using fault::Operation;
  return {
      .name = "bandwidth.host_together",
      .summary =
          "How fast the host copies to and from each device alone, and to and from all of them at once: what they "
          "share is seen; what arrives is compared",
      .source = "nvbandwidth host_to_all_memcpy_ce, all_to_host_memcpy_ce",
      .needs = {.devices = 2, .every_device = true, .exclusive = true, .idle = true},
      .parameters = {bytes_parameter(on_gpu)},
      .faults =
          {
              {"copies_are_lost", "no copy happens", fault::copy_lost(fault::Calls{1, 80})},
              {"copies_flip_bit", "one bit of what is copied flips", fault::copy_flips_bit(fault::every_call)},
              {"copies_are_slow", "each copy takes 50 ms longer", delayed(Operation::copy, fault::every_call)},
              {"some_copies_are_slow", "three in eight copies take 50 ms longer", some_delayed(Operation::copy)},
              {.name = "some_copies_together_are_slow",
               .summary = "where each device copies once, copies of three in eight samples take 50 ms longer",
               .plan_for_devices = [](std::size_t devices) { return some_delayed(Operation::copy, devices); }},
              no_time(),
              nothing_runs(),
          },
      .deadline = std::chrono::seconds(120),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_bandwidth::host_together
