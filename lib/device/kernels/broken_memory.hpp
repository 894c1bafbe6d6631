#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/values/kernel.hpp"

/// What broken memory does to what it holds.
namespace gpucheck::device::kernels {

/// *byte ^= mask, as a failing memory cell would. Launch with a count of 1.
struct FlipBit {
  static constexpr std::string_view name = "flip_bit";
  std::uint8_t* byte;
  std::uint8_t mask;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const { return {updates(byte, 1)}; }
  GPUCHECK_HOST_DEVICE void operator()(const Thread&) const { *byte = static_cast<std::uint8_t>(*byte ^ mask); }
};

/// *byte |= mask, as a cell that holds nothing but ones would. Launch with a count of 1.
struct StickBit {
  static constexpr std::string_view name = "stick_bit";
  std::uint8_t* byte;
  std::uint8_t mask;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const { return {updates(byte, 1)}; }
  GPUCHECK_HOST_DEVICE void operator()(const Thread&) const { *byte = static_cast<std::uint8_t>(*byte | mask); }
};

/// Breaks the highest address line. Where the numbers of two words differ by the bit `line` alone, which is the
/// highest: the one that was just written goes to the other, the higher one where both were. Launch with the number of
/// words that were written.
struct AliasAddressLine {
  static constexpr std::string_view name = "alias_address_line";
  std::uint64_t* words;
  std::uint64_t count;
  std::uint64_t line;
  std::uint64_t first;  ///< of the words that were written
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const {
    return {updates(words, count * sizeof(*words))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::uint64_t word = first + thread.index;
    const std::uint64_t other = word ^ line;
    const bool other_wins = other > word && other - first < thread.count;
    if (other < count && !other_wins) words[other] = words[word];
  }
};

namespace families {
using broken_memory = Family<FlipBit, StickBit, AliasAddressLine>;
}
template <typename Functor>
requires(families::broken_memory::has<Functor>) struct FamilyOf<Functor> : families::broken_memory {
};

}  // namespace gpucheck::device::kernels
