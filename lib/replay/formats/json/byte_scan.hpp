#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "replay/formats/bytes/file_bytes.hpp"

/// Eight characters of a text at once, the first in the lowest byte.
namespace gpucheck::replay::byte_scan {

constexpr std::uint64_t each_byte(std::uint8_t byte) { return byte * 0x0101010101010101ULL; }
inline constexpr std::uint64_t high_bits = each_byte(0x80);

/// The high bit of every byte up to the first that ends or interrupts a plain text: a
/// quote, a backslash, a control character, or one that is not ASCII. Bytes above that one
/// may be wrong.
inline std::uint64_t interruptions(std::uint64_t bytes) noexcept {
  const std::uint64_t quote = (bytes ^ each_byte('"')) - each_byte(1);
  const std::uint64_t backslash = (bytes ^ each_byte('\\')) - each_byte(1);
  return (quote | backslash | (bytes - each_byte(0x20)) | bytes) & high_bits;
}

/// The high bit of every byte up to the first that is not a digit's value (0 to 9).
inline std::uint64_t no_digits(std::uint64_t values) noexcept {
  return ((values + each_byte(0x76)) | values) & high_bits;
}

/// The number that eight values of digits write: pairs first, then fours, then all.
inline std::uint64_t number_of(std::uint64_t values) noexcept {
  values = (values * (10 * 0x100 + 1) >> 8) & 0x00ff00ff00ff00ffULL;
  values = (values * (100 * 0x10000 + 1) >> 16) & 0x0000ffff0000ffffULL;
  return values * (10000 * 0x100000000ULL + 1) >> 32;
}

inline constexpr std::array<std::uint64_t, 9> powers_of_ten{1,       10,        100,        1'000,      10'000,
                                                            100'000, 1'000'000, 10'000'000, 100'000'000};

/// What a number of up to 19 digits writes; `at` moves past them. More do not fit.
struct Digits {
  std::uint64_t number = 0;
  unsigned count = 0;
};
inline Digits read_digits(const char*& at) noexcept {
  Digits all;
  while (all.count <= 16) {
    const std::uint64_t values = load<std::uint64_t>(at) ^ each_byte('0');
    const std::uint64_t others = no_digits(values);
    if (others != 0) {
      const auto found = static_cast<unsigned>(std::countr_zero(others)) / 8;
      if (found == 0) break;
      all.number = all.number * powers_of_ten[found] + number_of(values << 8 * (8 - found));
      all.count += found;
      at += found;
      break;
    }
    // A branch of its own: the next eight are looked at without waiting for the count.
    all.number = all.number * powers_of_ten[8] + number_of(values);
    all.count += 8;
    at += 8;
  }
  return all;
}

}  // namespace gpucheck::replay::byte_scan
