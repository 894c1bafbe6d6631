#include "cases/nccl/support.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

#include "base/error.hpp"
#include "base/splitmix.hpp"
#include "base/text/units.hpp"
#include "device/kernels/support/storage.hpp"
#include "device/turns.hpp"

namespace gpucheck::cases::in_nccl {
namespace {

using namespace literals;
using device::Collective;
using device::CollectiveKind;
using device::ElementType;
using device::Reduction;
using device::Status;
using device::kernels::ContributionFindings;
namespace kernels = device::kernels;

constexpr std::uint64_t on_gpu = 2_GiB;
constexpr std::uint64_t medium_share = 32;
constexpr std::uint64_t small_bytes = 8_KiB;
/// For types and reductions that are not timed.
constexpr std::uint64_t checked_bytes = 1_MiB;

/// The greatest whole number up to which the type holds all.
std::int64_t largest_exact(ElementType type) {
  switch (type) {
    case ElementType::fp16:
      return 1 << 11;
    case ElementType::bf16:
      return 1 << 8;
    case ElementType::fp8_e4m3:
      return 1 << 4;
    case ElementType::fp8_e5m2:
      return 1 << 3;
    case ElementType::int8:
      return 127;
    default:
      return 1 << 24;
  }
}

bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter;
}

std::size_t invocations(device::Device& device, std::uint64_t count) {
  constexpr std::size_t loads = 4;
  return std::max<std::size_t>(device::invocations_that_read(count, loads, device.properties()), 1);
}

/// Part of what a rank received: which elements of which ranks it is the reduction of.
struct Part {
  std::uint64_t place = 0;  ///< block received
  std::uint64_t first = 0;  ///< first element sent
  std::uint64_t first_rank = 0;
  std::uint64_t rank_count = 1;
};

std::vector<Part> parts_of(const Collective& collective, std::size_t rank, std::size_t ranks) {
  const std::uint64_t own_block = rank * collective.count;
  std::vector<Part> parts;
  switch (collective.kind) {
    case CollectiveKind::all_reduce:
      return {{.rank_count = ranks}};
    case CollectiveKind::reduce_scatter:
      return {{.first = own_block, .rank_count = ranks}};
    case CollectiveKind::broadcast:
      return {{.first_rank = static_cast<std::uint64_t>(collective.root)}};
    case CollectiveKind::send_receive:
      return {{.first_rank = (rank + ranks - static_cast<std::size_t>(collective.distance) % ranks) % ranks}};
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
      break;
  }
  const bool to_all = collective.kind == CollectiveKind::all_to_all;
  for (std::uint64_t from = 0; from < ranks; ++from) {
    parts.push_back({.place = from, .first = to_all ? own_block : 0, .first_rank = from});
  }
  return parts;
}

}  // namespace

Ranks::Ranks(harness::Context& context, const std::vector<std::size_t>& devices, std::uint64_t bytes)
    : context_(context) {
  for (const std::size_t index : devices) {
    device::Device& device = context.device(index);
    ranks_.push_back(
        {.context = context,
         .index = index,
         .device = device,
         .stream = context.runtime(index).current_stream(),
         .sent = {device, bytes},
         .received = {device, bytes},
         .findings = device::own<device::UniqueDeviceMemory>(device, device.allocate(sizeof(ContributionFindings)))});
    operands_.push_back(
        {.sent = ranks_.back().sent.data(), .received = ranks_.back().received.data(), .stream = ranks_.back().stream});
  }
  const device::VendorLibrary found =
      device::check_and_clear(leader(), leader().collective_library(), "asking for the library that communicates");
  if (!found.problem.empty()) throw harness::Skip(fmt::format("needs {}: {}", found.name, found.problem));
  library_ = fmt::format("{} {}", found.name, found.version);
  std::vector<int> ordinals;
  for (const Rank& rank : ranks_) ordinals.push_back(rank.device.ordinal());
  const device::Result<device::Communicator> made = leader().create_communicator(ordinals);
  if (!made) {
    throw Error(fmt::format("{} makes no communicator of {} devices ({}): {}", library_, ordinals.size(),
                            device::status_name(made.error()), leader().collective_problem().value()));
  }
  communicator_ = device::UniqueCommunicator(leader(), *made);
}

Collective Ranks::largest(CollectiveKind kind, ElementType type, std::uint64_t bytes) const {
  const int ranks = static_cast<int>(ranks_.size());
  const std::uint64_t blocks = std::max(sent_blocks(kind, ranks), received_blocks(kind, ranks));
  const std::uint64_t room = std::min(bytes, ranks_.front().sent.bytes());
  return {.kind = kind, .type = type, .count = std::max<std::uint64_t>(room / blocks / element_bytes(type), 1)};
}

kernels::Contributions Ranks::contributions(const Collective& collective) const {
  const std::uint64_t seed = splitmix(context_.seed() + collective.count);
  const std::int64_t largest = largest_exact(collective.type) / static_cast<std::int64_t>(ranks_.size());
  return {.seed = seed, .largest = static_cast<std::int32_t>(std::max<std::int64_t>(largest, 1))};
}

void Ranks::prepare(const Collective& collective) {
  constexpr std::uint8_t all_ones = 0xFF;
  const int ranks = static_cast<int>(ranks_.size());
  const std::uint64_t count = sent_blocks(collective.kind, ranks) * collective.count;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    Rank& own = ranks_[rank];
    kernels::with_storage(collective.type, [&]<typename T>(T*) {
      const kernels::WriteContributions<T> write{static_cast<T*>(own.sent.data()), count, 0, rank,
                                                 contributions(collective)};
      device::check(own.device, device::launch(own.device, write, invocations(own.device, count), own.stream),
                    write.name);
    });
    const std::uint64_t bytes = received_bytes(collective, ranks);
    device::check(own.device, own.device.fill(own.received.data(), all_ones, bytes, own.stream), "fill");
    device::check(own.device, own.device.fill(own.findings.get(), 0, sizeof(ContributionFindings), own.stream), "fill");
  }
  wait();
}

void Ranks::communicate(const Collective& collective) {
  const Status status = leader().communicate(communicator_.get(), collective, operands_);
  if (status == Status::success) return;
  const device::Result<std::string> words = leader().collective_problem();
  throw Error(fmt::format("{} refused {}: {}: {}", library_, to_text(collective.kind), device::status_name(status),
                          words ? *words : ""));
}

void Ranks::wait() {
  for (const Rank& rank : ranks_) {
    device::check(rank.device, rank.device.synchronize(rank.stream), "synchronize");
  }
}

Samples Ranks::measure(const Collective& collective) {
  prepare(collective);
  const double bytes = bus_bytes(collective, static_cast<int>(ranks_.size()));
  Samples samples = in_bandwidth::measure_held(leader(), ranks_.front().stream, static_cast<std::uint64_t>(bytes),
                                               [&] { communicate(collective); });
  summary_.add({.samples = samples.measured(), .held = samples.held});
  wait();
  compare(collective);
  return samples;
}

void Ranks::check(const Collective& collective) {
  prepare(collective);
  communicate(collective);
  wait();
  compare(collective);
}

void Ranks::compare(const Collective& collective) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) compare_rank(collective, rank);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) gather(collective, rank);
}

void Ranks::compare_rank(const Collective& collective, std::size_t rank) {
  Rank& own = ranks_[rank];
  auto* const findings = static_cast<ContributionFindings*>(own.findings.get());
  for (const Part& part : parts_of(collective, rank, ranks_.size())) {
    kernels::with_storage(collective.type, [&]<typename T>(T*) {
      const kernels::CompareContributions<T> compare{
          static_cast<const T*>(own.received.data()) + part.place * collective.count,
          collective.count,
          part.first,
          part.first_rank,
          part.rank_count,
          collective.reduction,
          contributions(collective),
          findings};
      device::check(own.device,
                    device::launch(own.device, compare, invocations(own.device, collective.count), own.stream),
                    compare.name);
    });
  }
}

void Ranks::gather(const Collective& collective, std::size_t rank) {
  Rank& own = ranks_[rank];
  const auto landing =
      device::own<device::UniquePinnedMemory>(own.device, own.device.allocate_pinned(sizeof(ContributionFindings)));
  device::check(own.device,
                own.device.copy(landing.get(), own.findings.get(), sizeof(ContributionFindings),
                                device::CopyKind::device_to_host, own.stream),
                "copy");
  device::check(own.device, own.device.synchronize(own.stream), "synchronize");
  const auto& found = *static_cast<const ContributionFindings*>(landing.get());
  summary_.add_verification(found.compared_bytes.total(), received_bytes(collective, static_cast<int>(ranks_.size())));
  summary_.mismatches += found.mismatches;
  if (found.mismatches == 0 || !first_mismatch_.empty()) return;
  first_mismatch_ =
      fmt::format("{} of {}, device {} (rank {}): element {} is {} instead of {}", to_text(collective.kind),
                  to_text(collective.type), own.device.ordinal(), rank, found.element, found.seen, found.expected);
}

bool Ranks::is_healthy() { return leader().communicator_status(communicator_.get()) == Status::success; }

std::vector<std::size_t> all_devices(harness::Context& context) {
  std::vector<std::size_t> indices(context.device_count());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

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
  constexpr std::array other_types{ElementType::fp64, ElementType::fp16, ElementType::bf16, ElementType::int32,
                                   ElementType::int8};
  for (const ElementType type : other_types) ranks.check(ranks.largest(kind, type, checked_bytes));
  if (reduces(kind)) {
    Collective other = ranks.largest(kind, ElementType::fp32, checked_bytes);
    for (const Reduction reduction : {Reduction::minimum, Reduction::maximum}) {
      other.reduction = reduction;
      ranks.check(other);
    }
  }
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
