#include "cases/nccl/support.hpp"

#include "base/text/units.hpp"

namespace gpucheck::cases::in_nccl {
namespace {

using namespace literals;
using device::CollectiveKind;
using device::ElementType;

constexpr std::uint64_t on_gpu = 2_GiB;
constexpr std::uint64_t medium_share = 32;
constexpr std::uint64_t small_bytes = 8_KiB;

}  // namespace

void run_collective(harness::Context& context, CollectiveKind kind) {
  const std::uint64_t bytes = in_bandwidth::buffer_bytes(context, on_gpu);
  Ranks ranks(context, all_devices(context), bytes);
  context.observe("ranks", context.device_count());
  context.observe("library", ranks.library());
  const Samples large = ranks.measure(ranks.largest(kind, ElementType::fp32, bytes));
  context.observe("large_bus_gbps", large.gbps());
  context.observe("large_spread_percent", large.spread_percent());
  const Samples medium = ranks.measure(ranks.largest(kind, ElementType::fp32, bytes / medium_share));
  context.observe("medium_bus_gbps", medium.gbps());
  context.observe("medium_spread_percent", medium.spread_percent());
  const Samples small = ranks.measure(ranks.largest(kind, ElementType::fp32, small_bytes));
  context.observe("small_us", small.median_ms() * 1e3);
  ranks.check_types(kind);
  ranks.summary().observe(context);
  context.observe("first_mismatch", ranks.first_mismatch());
  context.observe("healthy", ranks.is_healthy());
}

harness::Parameter message_parameter() { return in_bandwidth::bytes_parameter(on_gpu); }

std::vector<harness::Fault> collective_faults() {
  using fault::Effect;
  using fault::Operation;
  return {
      {"collectives_are_lost", "nothing is sent",
       fault::broken(Operation::communicate, Effect::drop, fault::every_call)},
      {"collectives_flip_bit", "one bit of what the first device receives flips",
       fault::broken(Operation::communicate, Effect::flip_bit, fault::every_call)},
      {"collectives_are_slow", "each collective takes 300 ms longer",
       in_bandwidth::delayed(Operation::communicate, fault::every_call, std::chrono::milliseconds(300))},
      {"some_collectives_are_slow", "three in eight collectives take 50 ms longer",
       in_bandwidth::some_delayed(Operation::communicate)},
      {"a_rank_fails", "the communicator reports a failure",
       fault::failing(Operation::communicator_status, device::Status::unknown, fault::every_call)},
      {"no_communicator", "no communicator can be made",
       fault::failing(Operation::create_communicator, device::Status::unknown, fault::every_call)},
      {"a_communicator_is_kept", "a communicator that is destroyed stays on the devices",
       fault::broken(Operation::destroy_communicator, Effect::drop, fault::nth_call(1))},
      in_bandwidth::no_time(),
      in_bandwidth::nothing_runs(),
  };
}

harness::Case collective_case(std::string name, std::string summary, std::string source,
                              void (*run)(harness::Context&)) {
  return {
      .name = std::move(name),
      .summary = std::move(summary),
      .source = std::move(source),
      .needs = {.devices = 2, .every_device = true, .exclusive = true, .idle = true},
      .parameters = {message_parameter()},
      .faults = collective_faults(),
      .deadline = std::chrono::seconds(120),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_nccl
