#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gpucheck::replay {

/// Where the size of a card's memory is from.
enum class CardSource {
  measured,  ///< read off a card by gpucheck: what PyTorch has as total_memory
  reported,  ///< PyTorch's out-of-memory texts, or nvidia-smi, as people published them
  vendor,    ///< the vendor's figure alone; see `assumption_of`
};

/// A card, and how much of its memory a program's tensors can have. Bytes.
struct Card {
  std::string_view name;  ///< "A100 40GB"
  std::uint64_t total_bytes = 0;
  CardSource source = CardSource::vendor;

  /// Without what the program's own context takes.
  [[nodiscard]] std::uint64_t usable_bytes() const noexcept;
};

/// Taken by the CUDA context of one process, as read off an H100 with driver 580.
inline constexpr std::uint64_t context_bytes = 552'402'944;

std::span<const Card> known_cards();

/// The card of that name, as it stands in the table, or as nvidia-smi and PyTorch print it: "NVIDIA H100 80GB HBM3",
/// "NVIDIA A100-SXM4-40GB". The size may be left out where there is one only.
/// @throws UsageError naming those that are known, or those that the name may mean.
const Card& card_named(std::string_view name);

/// A sentence without a full stop: where the figure is from, and what is taken for granted.
std::string assumption_of(const Card& card);

}  // namespace gpucheck::replay
