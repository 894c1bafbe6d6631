#include "replay/advice/cards.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "base/error.hpp"
#include "base/text/units.hpp"

namespace gpucheck::replay {

namespace {

constexpr std::uint64_t hundredths_of_gib(std::uint64_t count) { return count * (1_GiB / 100); }

/// What the driver keeps to itself: of the cards that are known by their own figures
/// between 1 % (H100) and 2 % (RTX 4090, RTX 5090).
constexpr std::uint64_t without_drivers(std::uint64_t bytes) { return bytes / 100 * 98; }
constexpr Card of_vendor(std::string_view name, std::uint64_t gib) {
  return {name, without_drivers(gib * 1_GiB), CardSource::vendor};
}
/// Cards with GDDR memory keep their error correction in the memory itself: a sixteenth.
constexpr Card of_vendor_with_inline_ecc(std::string_view name, std::uint64_t gib) {
  return {name, without_drivers(gib * 1_GiB / 16 * 15), CardSource::vendor};
}
constexpr Card reported(std::string_view name, std::uint64_t bytes) { return {name, bytes, CardSource::reported}; }

constexpr std::array cards{
    Card{"H100 80GB", 85'017'493'504, CardSource::measured},
    Card{"H200 141GB", 150'109'880'320, CardSource::measured},
    reported("A100 40GB", hundredths_of_gib(3950)),
    reported("A100 80GB", hundredths_of_gib(7925)),
    reported("A30 24GB", hundredths_of_gib(2353)),
    reported("L40 48GB", hundredths_of_gib(4440)),
    reported("RTX 4090 24GB", hundredths_of_gib(2352)),
    reported("RTX 5090 32GB", hundredths_of_gib(3137)),
    reported("RTX 6000 Ada 48GB", hundredths_of_gib(4443)),
    reported("RTX A4000 16GB", hundredths_of_gib(1561)),
    reported("T4 16GB", 15'843'721'216),
    of_vendor("B200 180GB", 180),
    of_vendor("GH200 96GB", 96),
    of_vendor("GH200 144GB", 144),
    of_vendor("H100 NVL 94GB", 94),
    of_vendor("RTX 3090 24GB", 24),
    of_vendor("V100 16GB", 16),
    of_vendor("V100 32GB", 32),
    of_vendor_with_inline_ecc("A10 24GB", 24),
    of_vendor_with_inline_ecc("A40 48GB", 48),
    of_vendor_with_inline_ecc("L4 24GB", 24),
    of_vendor_with_inline_ecc("L40S 48GB", 48),
    of_vendor_with_inline_ecc("RTX A6000 48GB", 48),
};

/// What is compared of a name.
std::string simplified(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return text.starts_with("nvidia") ? text.substr(6) : text;
}

/// Names that nvidia-smi and PyTorch have for a card of the table above.
struct OtherName {
  std::string_view words;  ///< as `words_of` leaves them
  std::string_view card;
};
constexpr std::array other_names{
    OtherName{"a10g", "A10 24GB"},
    OtherName{"gh200 480gb", "GH200 96GB"},  // its host has the 480
    OtherName{"gh200 144g", "GH200 144GB"},
    OtherName{"h200 nvl", "H200 141GB"},
};

/// The words of a name that tell cards apart: not whose it is, how it is plugged in, and what its memory is made of.
std::vector<std::string> words_of(std::string_view name) {
  constexpr std::array<std::string_view, 21> others{
      "nvidia", "geforce", "tesla", "quadro", "gpu",  "generation", "hbm2", "hbm2e", "hbm3",   "hbm3e", "sxm",
      "sxm2",   "sxm3",    "sxm4",  "sxm5",   "sxm6", "pcie",       "dgxs", "gddr6", "gddr6x", "gddr7"};
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  std::erase_if(
      words, [&](const std::string& word) { return word.empty() || std::ranges::find(others, word) != others.end(); });
  return words;
}

/// "80gb" or "144g".
bool is_size(std::string_view word) {
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  return digits > 0 && (word.substr(digits) == "gb" || word.substr(digits) == "g");
}

/// Cards of that model, and of that size where one is given.
std::vector<const Card*> cards_like(std::string_view name) {
  std::vector<std::string> wanted = words_of(name);
  const auto* const other =
      std::ranges::find(other_names, fmt::format("{}", fmt::join(wanted, " ")), &OtherName::words);
  if (other != other_names.end()) wanted = words_of(other->card);
  const bool has_size = !wanted.empty() && std::ranges::any_of(wanted, is_size);
  std::vector<const Card*> found;
  for (const Card& card : cards) {
    std::vector<std::string> words = words_of(card.name);
    if (!has_size) std::erase_if(words, is_size);
    if (fmt::format("{}", fmt::join(words, "")) == fmt::format("{}", fmt::join(wanted, ""))) found.push_back(&card);
  }
  return found;
}

}  // namespace

std::uint64_t Card::usable_bytes() const noexcept { return total_bytes - context_bytes; }

std::span<const Card> known_cards() { return cards; }

const Card& card_named(std::string_view name) {
  const std::string wanted = simplified(name);
  const auto* const card = std::ranges::find(cards, wanted, [](const Card& each) { return simplified(each.name); });
  if (card != cards.end()) return *card;
  const std::vector<const Card*> alike = cards_like(name);
  if (alike.size() == 1) return *alike.front();
  std::vector<std::string_view> names;
  if (alike.empty()) std::ranges::transform(cards, std::back_inserter(names), &Card::name);
  for (const Card* const each : alike) names.push_back(each->name);
  const std::string_view problem =
      alike.empty() ? "is not a card whose memory is known" : "is made with different amounts of memory";
  throw UsageError(fmt::format("\"{}\" {}: give --memory-limit, or one of {}", name, problem, fmt::join(names, ", ")));
}

std::string assumption_of(const Card& card) {
  const std::string context =
      fmt::format("{} of it for the program's CUDA context, as measured on an H100", format_bytes(context_bytes));
  switch (card.source) {
    case CardSource::measured:
      return fmt::format("{} on such a card as measured, {}", format_bytes(card.total_bytes), context);
    case CardSource::reported:
      return fmt::format("{} as PyTorch has reported for such cards, {}", format_bytes(card.total_bytes), context);
    case CardSource::vendor:
      break;
  }
  return fmt::format(
      "{} assumed, as only the vendor's figure is known: its GB taken as GiB, less 2% for the driver, and a sixteenth "
      "where error correction is kept in the same memory; {}",
      format_bytes(card.total_bytes), context);
}

}  // namespace gpucheck::replay
