#include <initializer_list>

#include "base/units.hpp"
#include "cases/bandwidth/support.hpp"
#include "device/kernels/bandwidth.hpp"
#include "device/turns.hpp"

namespace gpucheck::cases::in_bandwidth::peer_copy {
namespace {

using namespace literals;
using device::CopyKind;
using device::Status;

constexpr std::uint64_t on_gpu = 1_GiB;

/// One of the two devices: what it sends, and where it receives.
struct Side {
  Side(harness::Context& context, std::size_t index, std::uint64_t bytes)
      : measurement(context, verifications, index), sent(measurement.device(), bytes), received(sent_like(bytes)) {}

  static constexpr std::size_t verifications = 4;  ///< of a copy, of either kernel, and of copies both ways
  Measurement measurement;
  DeviceBuffer sent;
  DeviceBuffer received;

 private:
  DeviceBuffer sent_like(std::uint64_t bytes) { return {measurement.device(), bytes}; }
};

void let_reach(device::Device& device, const device::Device& peer) {
  if (!device.can_access_peer(peer.ordinal()).value()) {
    throw harness::Skip("the two devices cannot reach each other's memory");
  }
  const Status status = device.enable_peer_access(peer.ordinal());
  static_cast<void>(device.last_error());
  if (status != Status::peer_access_already_enabled) device::check(device, status, "enable_peer_access");
}

/// Measures one way of bringing what `from` sends to `to`, which `runner` does, and compares what arrived.
Samples measure_way(Side& from, Side& to, Side& runner, std::uint64_t words, const Work& work) {
  to.measurement.clear(to.received);
  to.measurement.wait();
  const Samples samples = runner.measurement.measure_held(from.sent.bytes(), work);
  to.measurement.verify(to.received.stretch(), words);
  to.measurement.wait();
  return samples;
}

/// A copy, a kernel of the sender that writes, a kernel of the receiver that reads.
void measure_from(Side& from, Side& to, std::uint64_t words, const std::string& direction) {
  from.measurement.randomize(from.sent, words);
  from.measurement.wait();
  from.measurement.observe_speed("copy_" + direction, measure_way(from, to, from, words, [&] {
                                   from.measurement.copy(to.received.data(), from.sent.data(), from.sent.bytes(),
                                                         CopyKind::device_to_device);
                                 }));
  const TestedMemory in = from.sent.stretch().front();
  const device::kernels::CopyVectors kernel{in.data, to.received.stretch().front().data, in.vectors};
  const auto launch_on = [&](Side& side) {
    Measurement& measurement = side.measurement;
    device::check(measurement.device(),
                  device::launch(measurement.device(), kernel,
                                 device::invocations_that_write(in.vectors, device::kernels::bandwidth_loads),
                                 measurement.stream()),
                  kernel.name);
  };
  from.measurement.observe_speed("kernel_write_" + direction,
                                 measure_way(from, to, from, words, [&] { launch_on(from); }));
  to.measurement.observe_speed("kernel_read_" + direction, measure_way(from, to, to, words, [&] { launch_on(to); }));
}

device::UniqueEvent event_of(Side& side) {
  device::Device& device = side.measurement.device();
  return device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::no_timing));
}

/// Copies both ways at once. A sample begins when both can, and ends with the later of them.
void measure_both_ways(Side& first, Side& second) {
  const device::UniqueEvent begun = event_of(first);
  const device::UniqueEvent done = event_of(second);
  const auto send = [](Side& from, Side& to) {
    from.measurement.copy(to.received.data(), from.sent.data(), from.sent.bytes(), CopyKind::device_to_device);
  };
  device::Device& one = first.measurement.device();
  device::Device& other = second.measurement.device();
  for (Side* const side : {&first, &second}) {
    side->measurement.clear(side->received);
    side->measurement.wait();
  }
  first.measurement.observe_speed("both_ways", first.measurement.measure_held(2 * first.sent.bytes(), [&] {
    device::check(one, one.record(begun.get(), first.measurement.stream()), "record");
    device::check(other, other.wait(second.measurement.stream(), begun.get()), "wait");
    send(first, second);
    send(second, first);
    device::check(other, other.record(done.get(), second.measurement.stream()), "record");
    device::check(one, one.wait(first.measurement.stream(), done.get()), "wait");
  }));
  second.measurement.wait();
  first.measurement.verify(first.received.stretch(), 1);
  second.measurement.verify(second.received.stretch(), 0);
}

void run(harness::Context& context) {
  const std::uint64_t bytes = buffer_bytes(context, on_gpu);
  let_reach(context.device(0), context.device(1));
  let_reach(context.device(1), context.device(0));
  Side first(context, 0, bytes);
  Side second(context, 1, bytes);
  measure_from(first, second, 0, "0_to_1");
  measure_from(second, first, 1, "1_to_0");
  measure_both_ways(first, second);
  Summary summary = first.measurement.summary();
  summary.add(second.measurement.summary());
  summary.observe(context);
}

fault::Plan each_delayed(fault::Operation operation, std::initializer_list<std::uint64_t> numbers) {
  fault::Plan plan;
  for (const std::uint64_t number : numbers) {
    plan.rules.push_back(delayed(operation, fault::nth_call(number)).rules.front());
  }
  return plan;
}

}  // namespace

harness::Case define() {
  using fault::Operation;
  const fault::Calls all_copies{1, 40};  // those of each direction, and those both ways
  return {
      .name = "bandwidth.peer_copy",
      .summary =
          "How fast two devices bring memory to each other: by copies, by kernels that write, by kernels that "
          "read, and both ways at once; what arrives is compared",
      .source = "nvbandwidth device_to_device_memcpy_*",
      .needs = {.devices = 2, .exclusive = true, .idle = true, .own_process = true},  // access that was granted stays
      .parameters = {bytes_parameter(on_gpu)},
      .faults =
          {
              {"copies_are_lost", "no copy happens", fault::copy_lost(all_copies)},
              {"copies_flip_bit", "one bit of what is copied flips", fault::copy_flips_bit(fault::every_call)},
              {"kernels_flip_bit", "one bit of what each kernel writes flips",
               fault::kernel_flips_bit(fault::every_call)},
              {"copies_are_slow", "each copy takes 50 ms longer", delayed(Operation::copy, fault::every_call)},
              {"kernels_are_slow", "each kernel takes 50 ms longer",
               delayed(Operation::launch_kernel, fault::every_call)},
              {"one_copy_of_each_is_slow", "one copy of each measurement takes 50 ms longer",
               each_delayed(Operation::copy, {4, 14, 27})},
              {"one_kernel_of_each_is_slow", "one kernel of each measurement takes 50 ms longer",
               each_delayed(Operation::launch_kernel, {8, 20, 35, 47})},
              no_time(),
              nothing_runs(),
          },
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_bandwidth::peer_copy
