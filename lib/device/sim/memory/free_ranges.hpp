#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace gpucheck::sim {

struct Range {
  std::uintptr_t begin = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] std::uintptr_t end() const noexcept { return begin + bytes; }
};

/// Address ranges that are free: neighbours merge, requests get the best fit, the
/// lowest address among equals. Not thread-safe.
class FreeRanges {
 public:
  /// Adds a range and returns it merged with its free neighbours.
  Range insert(Range range);
  /// Cuts `bytes` off the front of the smallest range that is large enough.
  std::optional<std::uintptr_t> allocate(std::uint64_t bytes);
  /// Removes a range that lies inside one free range.
  void remove(Range range);
  [[nodiscard]] const std::map<std::uintptr_t, std::uint64_t>& by_address() const noexcept { return by_address_; }

 private:
  void add(Range range);
  void erase(Range range);

  std::map<std::uintptr_t, std::uint64_t> by_address_;
  std::set<std::pair<std::uint64_t, std::uintptr_t>> by_size_;
};

}  // namespace gpucheck::sim
