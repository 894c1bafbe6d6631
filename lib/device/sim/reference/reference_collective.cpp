#include "device/sim/reference/reference_collective.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "device/kernels/support/storage.hpp"

namespace gpucheck::sim {
namespace {

using device::Collective;
using device::CollectiveKind;
using device::RankOperands;
using device::Reduction;
namespace kernels = device::kernels;

using Operands = std::span<const RankOperands>;

/// Copies the `from`-th block that rank `sender` sends to the `to`-th that `receiver` receives.
void move_block(const Collective& collective, Operands operands, std::size_t sender, std::size_t from,
                std::size_t receiver, std::size_t to) {
  const std::size_t bytes = collective.count * element_bytes(collective.type);
  std::memcpy(static_cast<std::byte*>(operands[receiver].received) + to * bytes,
              static_cast<const std::byte*>(operands[sender].sent) + from * bytes, bytes);
}

double reduced(Reduction reduction, double one, double other) {
  if (reduction == Reduction::minimum) return std::min(one, other);
  return reduction == Reduction::maximum ? std::max(one, other) : one + other;
}

/// Reduces every rank's `block`-th block to one block of the receiver.
void reduce_block(const Collective& collective, Operands operands, std::size_t block, std::size_t receiver) {
  kernels::with_storage(collective.type, [&]<typename T>(const T*) {
    auto* const out = static_cast<T*>(operands[receiver].received);
    for (std::size_t i = 0; i < collective.count; ++i) {
      const std::size_t place = block * collective.count + i;
      T value = static_cast<const T*>(operands.front().sent)[place];
      for (const RankOperands& rank : operands.subspan(1)) {
        value = kernels::to_element<T>(reduced(collective.reduction, kernels::to_number<double>(value),
                                               kernels::to_number<double>(static_cast<const T*>(rank.sent)[place])));
      }
      out[i] = value;
    }
  });
}

}  // namespace

void communicate_on_host(const Collective& collective, std::span<const RankOperands> operands) {
  const std::size_t ranks = operands.size();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    switch (collective.kind) {
      case CollectiveKind::all_reduce:
        reduce_block(collective, operands, 0, rank);
        break;
      case CollectiveKind::reduce_scatter:
        reduce_block(collective, operands, rank, rank);
        break;
      case CollectiveKind::all_gather:
        for (std::size_t from = 0; from < ranks; ++from) move_block(collective, operands, from, 0, rank, from);
        break;
      case CollectiveKind::all_to_all:
        for (std::size_t from = 0; from < ranks; ++from) move_block(collective, operands, from, rank, rank, from);
        break;
      case CollectiveKind::broadcast:
        move_block(collective, operands, static_cast<std::size_t>(collective.root), 0, rank, 0);
        break;
      case CollectiveKind::send_receive:
        move_block(collective, operands, rank, 0, (rank + static_cast<std::size_t>(collective.distance)) % ranks, 0);
        break;
    }
  }
}

}  // namespace gpucheck::sim
