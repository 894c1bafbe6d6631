#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "device/values/memory_access.hpp"

namespace gpucheck::device::detail {

/// What sums and products of addresses become that no address space holds.
inline constexpr std::uint64_t too_many = std::numeric_limits<std::uint64_t>::max();

inline std::uint64_t product(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? too_many : result;
}

inline std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? too_many : result;
}

/// A run of bytes and up to `most` repetitions, as few as say the same: the run is as long as
/// it can be, strides descend and are longer than the run, and no repetition goes on where another
/// one ends.
template <std::size_t most>
class JoinedRepetitions {
 public:
  explicit JoinedRepetitions(std::size_t run_bytes) noexcept : run_bytes_(run_bytes) {}

  /// Repeats all that is there so far. What would be one too many makes the innermost gaps
  /// part of the run.
  void add(Repetition added) noexcept {
    if (added.count <= 1 || added.stride == 0) return;
    std::size_t place = used_++;
    for (; place > 0 && all_[place - 1].stride < added.stride; --place) all_[place] = all_[place - 1];
    all_[place] = added;
    while (join_innermost() || join_two()) {
    }
    if (used_ > most) fill_innermost();
  }

  [[nodiscard]] std::size_t run_bytes() const noexcept { return run_bytes_; }
  [[nodiscard]] std::span<const Repetition> repetitions() const noexcept { return {all_.data(), used_}; }

 private:
  /// Runs that follow each other without a gap are one.
  bool join_innermost() noexcept {
    if (used_ == 0 || all_[used_ - 1].stride > run_bytes_) return false;
    fill_innermost();
    return true;
  }

  void fill_innermost() noexcept {
    const Repetition& innermost = all_[--used_];
    run_bytes_ = sum(run_bytes_, product(innermost.count - 1, innermost.stride));
  }

  bool join_two() noexcept {
    for (std::size_t inner = 1; inner < used_; ++inner) {
      for (std::size_t outer = 0; outer < inner; ++outer) {
        if (join(outer, inner)) return true;
      }
    }
    return false;
  }

  /// One whose every step is so many of another that it begins again before the other has
  /// ended, or where that would go on, is more of the other.
  bool join(std::size_t outer, std::size_t inner) noexcept {
    const Repetition gone = all_[outer];
    Repetition& kept = all_[inner];
    const std::size_t steps = gone.stride / kept.stride;
    if (steps > kept.count || gone.stride % kept.stride != 0) return false;
    kept.count = sum(kept.count, product(steps, gone.count - 1));
    for (--used_; outer < used_; ++outer) all_[outer] = all_[outer + 1];
    return true;
  }

  std::size_t run_bytes_;
  std::size_t used_ = 0;
  std::array<Repetition, most + 1> all_;
};

}  // namespace gpucheck::device::detail
