#pragma once

#include <cstdint>

namespace gpucheck::runtime::detail {

/// Adds to a number for a scope.
class Added {
 public:
  Added(std::uint64_t& to, std::uint64_t amount) noexcept : to_(to), amount_(amount) { to_ += amount_; }
  ~Added() { to_ -= amount_; }
  Added(const Added&) = delete;
  Added& operator=(const Added&) = delete;

 private:
  std::uint64_t& to_;
  std::uint64_t amount_;
};

}  // namespace gpucheck::runtime::detail
