#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Sets of small numbers. Two sets that are combined have room for the same numbers.
namespace gpucheck::fleet {

using Bits = std::vector<std::uint64_t>;

inline std::size_t words_for(std::size_t count) { return (count + 63) / 64; }
inline void insert(Bits& set, std::size_t member) { set[member / 64] |= std::uint64_t{1} << (member % 64); }
inline bool has(const Bits& set, std::size_t member) { return (set[member / 64] >> (member % 64) & 1) != 0; }

inline bool disjoint(const Bits& a, const Bits& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((a[i] & b[i]) != 0) return false;
  }
  return true;
}

inline bool contains(const Bits& whole, const Bits& part) {
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if ((part[i] & ~whole[i]) != 0) return false;
  }
  return true;
}

inline Bits common(const Bits& a, const Bits& b) {
  Bits result(a);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] &= b[i];
  return result;
}

inline Bits without(const Bits& a, const Bits& b) {
  Bits result(a);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] &= ~b[i];
  return result;
}

inline void add_all(Bits& set, const Bits& others) {
  for (std::size_t i = 0; i < set.size(); ++i) set[i] |= others[i];
}

inline std::vector<std::size_t> members(const Bits& set) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < set.size(); ++i) {
    for (std::uint64_t word = set[i]; word != 0; word &= word - 1) {
      result.push_back(i * 64 + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }
  return result;
}

}  // namespace gpucheck::fleet
