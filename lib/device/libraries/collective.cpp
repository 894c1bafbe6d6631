#include "device/libraries/collective.hpp"

#include <algorithm>

namespace gpucheck::device {
namespace {

bool reduces(CollectiveKind kind) noexcept {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter;
}

bool is_fp8(ElementType type) noexcept { return type == ElementType::fp8_e4m3 || type == ElementType::fp8_e5m2; }

bool lies_well(const void* memory, ElementType type) noexcept {
  return memory != nullptr && reinterpret_cast<std::uintptr_t>(memory) % element_bytes(type) == 0;
}

bool overlap(const void* one, std::uint64_t one_bytes, const void* other, std::uint64_t other_bytes) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(one);
  const auto second = reinterpret_cast<std::uintptr_t>(other);
  return first < second + other_bytes && second < first + one_bytes;
}

}  // namespace

std::string_view to_text(CollectiveKind kind) noexcept {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return "all_reduce";
    case CollectiveKind::all_gather:
      return "all_gather";
    case CollectiveKind::reduce_scatter:
      return "reduce_scatter";
    case CollectiveKind::broadcast:
      return "broadcast";
    case CollectiveKind::all_to_all:
      return "all_to_all";
    case CollectiveKind::send_receive:
      break;
  }
  return "send_receive";
}

std::string_view to_text(Reduction reduction) noexcept {
  switch (reduction) {
    case Reduction::minimum:
      return "minimum";
    case Reduction::maximum:
      return "maximum";
    case Reduction::sum:
      break;
  }
  return "sum";
}

std::uint64_t sent_blocks(CollectiveKind kind, int ranks) noexcept {
  const bool one_for_each = kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_to_all;
  return one_for_each ? static_cast<std::uint64_t>(ranks) : 1;
}

std::uint64_t received_blocks(CollectiveKind kind, int ranks) noexcept {
  const bool one_of_each = kind == CollectiveKind::all_gather || kind == CollectiveKind::all_to_all;
  return one_of_each ? static_cast<std::uint64_t>(ranks) : 1;
}

std::uint64_t sent_bytes(const Collective& collective, int ranks) noexcept {
  return sent_blocks(collective.kind, ranks) * collective.count * element_bytes(collective.type);
}

std::uint64_t received_bytes(const Collective& collective, int ranks) noexcept {
  return received_blocks(collective.kind, ranks) * collective.count * element_bytes(collective.type);
}

double bus_bytes(const Collective& collective, int ranks) noexcept {
  const auto block = static_cast<double>(collective.count * element_bytes(collective.type));
  const auto others = static_cast<double>(ranks - 1);
  switch (collective.kind) {
    case CollectiveKind::all_reduce:
      return 2 * others / ranks * block;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
      return others * block;
    case CollectiveKind::broadcast:
    case CollectiveKind::send_receive:
      break;
  }
  return block;
}

Status check_collective(const Collective& collective, std::span<const RankOperands> operands, int ranks) noexcept {
  const auto is_rank = [&](int number) { return number >= 0 && number < ranks; };
  if (operands.empty() || collective.count == 0) return Status::invalid_value;
  if (!is_rank(collective.root) && collective.kind == CollectiveKind::broadcast) return Status::invalid_value;
  if (!is_rank(collective.distance % std::max(ranks, 1)) || collective.distance < 0) return Status::invalid_value;
  for (const RankOperands& rank : operands) {
    if (!lies_well(rank.sent, collective.type) || !lies_well(rank.received, collective.type) ||
        overlap(rank.sent, sent_bytes(collective, ranks), rank.received, received_bytes(collective, ranks))) {
      return Status::invalid_value;
    }
  }
  return reduces(collective.kind) && is_fp8(collective.type) ? Status::not_supported : Status::success;
}

Status check_seats(const Seats& seats, int own) noexcept {
  const std::vector<int>& ordinals = seats.ordinals;
  const bool repeats = std::ranges::any_of(ordinals, [&](int one) { return std::ranges::count(ordinals, one) > 1; });
  const int beyond = seats.size - static_cast<int>(ordinals.size());
  const bool fits = seats.first_rank >= 0 && seats.first_rank <= beyond;
  const bool has_own = std::ranges::find(ordinals, own) != ordinals.end();
  return has_own && !repeats && fits && seats.patience.count() > 0 ? Status::success : Status::invalid_value;
}

}  // namespace gpucheck::device
