#include "cases/shared/ranks_support.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <thread>

#include "base/error.hpp"
#include "base/splitmix.hpp"
#include "base/text/units.hpp"
#include "device/kernels/support/storage.hpp"
#include "device/turns.hpp"

namespace gpucheck::cases::in_ranks {
namespace {

using namespace literals;
using device::Collective;
using device::CollectiveKind;
using device::ElementType;
using device::Reduction;
using device::Status;
using device::kernels::ContributionFindings;
namespace kernels = device::kernels;

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

Ranks::Ranks(harness::Context& context, const std::vector<std::size_t>& devices, std::uint64_t bytes,
             const Places& places)
    : context_(context),
      size_(places.meeting.empty() ? static_cast<int>(devices.size()) : places.size),
      first_rank_(places.first_rank),
      patience_(places.patience) {
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
  join(places);
}

void Ranks::join(const Places& places) {
  std::vector<int> ordinals;
  for (const Rank& rank : ranks_) ordinals.push_back(rank.device.ordinal());
  const bool is_alone = places.meeting.empty();
  const device::Result<device::Communicator> made = is_alone ? leader().create_communicator(ordinals)
                                                             : leader().join_communicator({.meeting = places.meeting,
                                                                                           .size = size_,
                                                                                           .first_rank = first_rank_,
                                                                                           .ordinals = ordinals,
                                                                                           .patience = patience_});
  if (made) {
    communicator_ = device::UniqueCommunicator(leader(), *made);
    return;
  }
  if (made.error() == Status::not_ready) {
    throw RankLost(fmt::format("not all of the {} ranks came within {} s", size_, patience_.count() / 1000));
  }
  throw Error(fmt::format("{} makes no communicator of {} ranks ({}): {}", library_, size_,
                          device::status_name(made.error()), leader().collective_problem().value()));
}

Collective Ranks::largest(CollectiveKind kind, ElementType type, std::uint64_t bytes) const {
  const std::uint64_t blocks = std::max(sent_blocks(kind, size_), received_blocks(kind, size_));
  const std::uint64_t room = std::min(bytes, ranks_.front().sent.bytes());
  return {.kind = kind, .type = type, .count = std::max<std::uint64_t>(room / blocks / element_bytes(type), 1)};
}

kernels::Contributions Ranks::contributions(const Collective& collective) const {
  const std::uint64_t seed = splitmix(context_.seed() + collective.count);
  const std::int64_t largest = largest_exact(collective.type) / size_;
  return {.seed = seed, .largest = static_cast<std::int32_t>(std::max<std::int64_t>(largest, 1))};
}

void Ranks::prepare(const Collective& collective) {
  constexpr std::uint8_t all_ones = 0xFF;
  const std::uint64_t count = sent_blocks(collective.kind, size_) * collective.count;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    Rank& own = ranks_[rank];
    kernels::with_storage(collective.type, [&]<typename T>(T*) {
      const kernels::WriteContributions<T> write{static_cast<T*>(own.sent.data()), count, 0,
                                                 static_cast<std::uint64_t>(first_rank_) + rank,
                                                 contributions(collective)};
      device::check(own.device, device::launch(own.device, write, invocations(own.device, count), own.stream),
                    write.name);
    });
    const std::uint64_t bytes = received_bytes(collective, size_);
    device::check(own.device, own.device.fill(own.received.data(), all_ones, bytes, own.stream), "fill");
    device::check(own.device, own.device.fill(own.findings.get(), 0, sizeof(ContributionFindings), own.stream), "fill");
  }
  wait();
}

void Ranks::communicate(const Collective& collective) {
  const Status status = leader().communicate(communicator_.get(), collective, operands_);
  if (status == Status::success) return;
  if (status == Status::not_ready) give_up("they did not begin a collective");
  const device::Result<std::string> words = leader().collective_problem();
  throw Error(fmt::format("{} refused {}: {}: {}", library_, to_text(collective.kind), device::status_name(status),
                          words ? *words : ""));
}

void Ranks::wait() {
  if (!is_alone()) wait_for_others();
  for (const Rank& rank : ranks_) {
    device::check(rank.device, rank.device.synchronize(rank.stream), "synchronize");
  }
}

/// A plain wait would be one for ever where somebody does not do its part.
void Ranks::wait_for_others() {
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  for (const Rank& rank : ranks_) {
    Status status = rank.device.query(rank.stream);
    while (status == Status::not_ready) {
      static_cast<void>(rank.device.last_error());  // unfinished work is not an error to keep
      if (std::chrono::steady_clock::now() > deadline) give_up("they did not end a collective");
      if (!is_healthy()) break;
      std::this_thread::yield();
      status = rank.device.query(rank.stream);
    }
  }
  if (is_healthy()) return;
  const device::Result<std::string> words = leader().collective_problem();
  give_up(words && !words->empty() ? *words : "the library reports a failure");
}

void Ranks::give_up(const std::string& why) {
  static_cast<void>(leader().abort_communicator(communicator_.get()));
  throw RankLost(fmt::format("the {} ranks do not communicate: {}", size_, why));
}

Samples Ranks::measure(const Collective& collective) {
  prepare(collective);
  const auto bytes = static_cast<std::uint64_t>(bus_bytes(collective, size_));
  const device::Stream stream = ranks_.front().stream;
  const auto work = [&] { communicate(collective); };
  Samples samples = is_alone() ? in_bandwidth::measure_held(leader(), stream, bytes, work)
                               : in_bandwidth::measure(leader(), stream, bytes, work, [&] { wait(); });
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

void Ranks::check_types(CollectiveKind kind) {
  constexpr std::uint64_t bytes = 1_MiB;
  constexpr std::array other_types{ElementType::fp64, ElementType::fp16, ElementType::bf16, ElementType::int32,
                                   ElementType::int8};
  for (const ElementType type : other_types) check(largest(kind, type, bytes));
  if (!reduces(kind)) return;
  Collective other = largest(kind, ElementType::fp32, bytes);
  for (const Reduction reduction : {Reduction::minimum, Reduction::maximum}) {
    other.reduction = reduction;
    check(other);
  }
}

void Ranks::compare(const Collective& collective) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) compare_rank(collective, rank);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) gather(collective, rank);
}

void Ranks::compare_rank(const Collective& collective, std::size_t rank) {
  Rank& own = ranks_[rank];
  auto* const findings = static_cast<ContributionFindings*>(own.findings.get());
  for (const Part& part :
       parts_of(collective, static_cast<std::size_t>(first_rank_) + rank, static_cast<std::size_t>(size_))) {
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
  summary_.add_verification(found.compared_bytes.total(), received_bytes(collective, size_));
  summary_.mismatches += found.mismatches;
  if (found.mismatches == 0 || !first_mismatch_.empty()) return;
  first_mismatch_ =
      fmt::format("{} of {}, device {} (rank {}): element {} is {} instead of {}", to_text(collective.kind),
                  to_text(collective.type), own.device.ordinal(), static_cast<std::size_t>(first_rank_) + rank,
                  found.element, found.seen, found.expected);
}

bool Ranks::is_healthy() { return leader().communicator_status(communicator_.get()) == Status::success; }

std::vector<std::size_t> all_devices(harness::Context& context) {
  std::vector<std::size_t> indices(context.device_count());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

}  // namespace gpucheck::cases::in_ranks
