#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "base/text/units.hpp"
#include "cases/bandwidth/peers_support.hpp"

namespace gpucheck::cases::in_bandwidth::all_to_all {
namespace {

using namespace literals;

constexpr std::uint64_t on_gpu = 512_MiB;

/// One of n devices. Its n - 1 blocks are for, and from, the devices so many places behind and before it: block 0 goes
/// to the next one and comes from the one before.
struct Member {
  Member(harness::Context& context, std::size_t index, std::size_t devices, std::uint64_t block_bytes)
      : measurement(context, 2 * (devices - 1), index) {
    for (std::size_t i = 0; i + 1 < devices; ++i) {
      sent.emplace_back(measurement.device(), block_bytes);
      received.emplace_back(measurement.device(), block_bytes);
    }
  }
  Measurement measurement;
  std::vector<DeviceBuffer> sent;
  std::vector<DeviceBuffer> received;
};

/// How one block is brought to another device, by the stream of the one that sends it.
using Send = void (*)(Measurement& sender, const DeviceBuffer& from, const DeviceBuffer& to);

void send_by_copy(Measurement& sender, const DeviceBuffer& from, const DeviceBuffer& to) {
  sender.copy(to.data(), from.data(), from.bytes(), device::CopyKind::device_to_device);
}

void send_by_kernel(Measurement& sender, const DeviceBuffer& from, const DeviceBuffer& to) {
  sender.copy_by_kernel(to, from);
}

/// All devices, each of which has a block for each other one.
class Exchange {
 public:
  Exchange(harness::Context& context, std::uint64_t bytes) {
    const std::size_t devices = context.device_count();
    const std::uint64_t block_bytes = std::max(bytes / (devices - 1) / 4_KiB, std::uint64_t{1}) * 4_KiB;
    for (std::size_t i = 0; i < devices; ++i) {
      members_.push_back(std::make_unique<Member>(context, i, devices, block_bytes));
    }
    std::vector<DeviceStream> others;
    for (std::size_t i = 1; i < devices; ++i) others.push_back(stream_of(members_[i]->measurement));
    together_ = std::make_unique<Together>(stream_of(members_.front()->measurement), others);
    for (std::size_t i = 0; i < devices; ++i) {
      for (std::size_t block = 0; block + 1 < devices; ++block) {
        members_[i]->measurement.randomize(members_[i]->sent[block], number_of(i, block));
      }
    }
    wait();
  }

  /// Sends all blocks and compares what arrived. A sample's bytes are those that one device sends.
  Samples measure(Send send) {
    for (const auto& member : members_) {
      for (const DeviceBuffer& block : member->received) member->measurement.clear(block);
    }
    wait();
    Member& leader = *members_.front();
    const std::uint64_t bytes = leader.sent.size() * leader.sent.front().bytes();
    Samples samples = leader.measurement.measure_held(bytes, [&] { together_->run([&] { send_all(send); }); });
    wait();
    verify();
    return samples;
  }

  [[nodiscard]] Summary summary() {
    Summary summary;
    for (const auto& member : members_) summary.add(member->measurement.summary());
    return summary;
  }

 private:
  [[nodiscard]] std::uint64_t number_of(std::size_t sender, std::size_t block) const {
    return sender * members_.size() + block;
  }

  /// In an order in which no two devices send to the same one at a time.
  void send_all(Send send) {
    const std::size_t devices = members_.size();
    for (std::size_t block = 0; block + 1 < devices; ++block) {
      for (std::size_t i = 0; i < devices; ++i) {
        send(members_[i]->measurement, members_[i]->sent[block], members_[(i + block + 1) % devices]->received[block]);
      }
    }
  }

  void verify() {
    const std::size_t devices = members_.size();
    for (std::size_t i = 0; i < devices; ++i) {
      for (std::size_t block = 0; block + 1 < devices; ++block) {
        const std::size_t sender = (i + devices - block - 1) % devices;
        members_[i]->measurement.verify(members_[i]->received[block].stretch(), number_of(sender, block));
      }
    }
    wait();
  }

  void wait() {
    for (const auto& member : members_) member->measurement.wait();
  }

  std::vector<std::unique_ptr<Member>> members_;
  std::unique_ptr<Together> together_;
};

void let_all_reach(harness::Context& context) {
  for (std::size_t from = 0; from < context.device_count(); ++from) {
    for (std::size_t to = 0; to < context.device_count(); ++to) {
      if (from == to || let_reach(context.device(from), context.device(to))) continue;
      throw harness::Skip(fmt::format("device {} cannot reach the memory of device {}", context.device(from).ordinal(),
                                      context.device(to).ordinal()));
    }
  }
}

/// How many blocks all devices send in one exchange, each by one copy or kernel.
std::uint64_t blocks_among(std::size_t devices) { return devices * (devices - 1); }

fault::Plan exchanges_lost(std::size_t devices) {
  return fault::copy_lost({1, (sample_count + 1) * blocks_among(devices)});
}
template <fault::Operation operation>
fault::Plan some_exchanges_delayed(std::size_t devices) {
  return some_delayed(operation, blocks_among(devices));
}

void run(harness::Context& context) {
  let_all_reach(context);
  Exchange exchange(context, buffer_bytes(context, on_gpu));
  Summary summary;
  const auto measure = [&](const std::string& name, Send send) {
    const Samples samples = exchange.measure(send);
    Slowest speed(name);
    speed.add(samples);
    speed.observe(context);
    summary.add({.samples = samples.measured(), .held = samples.held});
  };
  context.observe("devices", context.device_count());
  measure("copy", send_by_copy);
  measure("kernel_write", send_by_kernel);
  summary.add(exchange.summary());
  summary.observe(context);
}

}  // namespace

harness::Case define() {
  using fault::Operation;
  const std::chrono::milliseconds slow(300);  // 1.8 GB/s between two, less than the limit of any GPU
  return {
      .name = "bandwidth.all_to_all",
      .summary =
          "How much each device sends while every device sends to every other one, by copies and by kernels that "
          "write; what arrives is compared",
      .source = "nvbandwidth all_to_one_write_*, from all at once",
      // Access that was granted stays.
      .needs = {.devices = 2, .every_device = true, .exclusive = true, .idle = true, .own_process = true},
      .parameters = {bytes_parameter(on_gpu)},
      .faults =
          {
              {.name = "copies_are_lost",
               .summary = "nothing is copied from one device to another",
               .plan_for_devices = exchanges_lost},
              {"copies_flip_bit", "one bit of what is copied flips", fault::copy_flips_bit(fault::every_call)},
              {"kernels_flip_bit", "one bit of what each kernel writes flips",
               fault::kernel_flips_bit(fault::every_call)},
              {"copies_are_slow", "each copy takes 300 ms longer", delayed(Operation::copy, fault::every_call, slow)},
              {"kernels_are_slow", "each kernel takes 300 ms longer",
               delayed(Operation::launch_kernel, fault::every_call, slow)},
              {.name = "some_copies_are_slow",
               .summary = "copies of three in eight exchanges take 50 ms longer",
               .plan_for_devices = some_exchanges_delayed<Operation::copy>},
              {.name = "some_kernels_are_slow",
               .summary = "kernels of three in eight exchanges take 50 ms longer",
               .plan_for_devices = some_exchanges_delayed<Operation::launch_kernel>},
              no_time(),
              nothing_runs(),
          },
      .deadline = std::chrono::seconds(120),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_bandwidth::all_to_all
