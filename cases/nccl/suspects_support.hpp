#pragma once

#include <cstddef>
#include <vector>

namespace gpucheck::cases::in_nccl {

/// Two devices, by their index, and how fast they communicate.
struct Pair {
  std::size_t first = 0;
  std::size_t second = 0;
  double gbps = 0;
  bool wrong = false;  ///< what arrived was not what was sent
};

/// Those that are wrong, or slower than three quarters of the median pair.
std::vector<Pair> bad_pairs(const std::vector<Pair>& pairs);

/// The devices that all bad pairs have in common, ascending; none where no pair is bad. One bad pair alone points at
/// both of its devices; bad pairs with nothing in common at none, but at what is between them.
std::vector<std::size_t> suspects(const std::vector<Pair>& pairs);

}  // namespace gpucheck::cases::in_nccl
