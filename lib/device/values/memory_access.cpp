#include "device/values/memory_access.hpp"

#include <algorithm>
#include <limits>

namespace gpucheck::device {
namespace {

constexpr std::uint64_t too_many = std::numeric_limits<std::uint64_t>::max();

std::uint64_t product(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? too_many : result;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? too_many : result;
}

/// A run and its repetitions while dimensions are added to them. Strides descend, and no two
/// repetitions could be one.
class Dimensions {
 public:
  explicit Dimensions(std::size_t run_bytes) : run_bytes_(run_bytes) {}

  /// Repeats all that is there so far.
  void add(Repetition added) {
    std::size_t place = used_++;
    for (; place > 0 && all_[place - 1].stride < added.stride; --place) all_[place] = all_[place - 1];
    all_[place] = added;
    while (join_innermost() || join_two()) {
    }
    if (used_ > Repetitions::most) fill_innermost();
  }

  void give(MemoryAccess& access) const {
    access.bytes = run_bytes_;
    access.repetitions.used = used_;
    std::copy_n(all_.begin(), used_, access.repetitions.all.begin());
  }

 private:
  /// Runs that follow each other without a gap are one.
  bool join_innermost() {
    if (used_ == 0 || all_[used_ - 1].stride > run_bytes_) return false;
    fill_innermost();
    return true;
  }

  void fill_innermost() {
    const Repetition& innermost = all_[--used_];
    run_bytes_ = sum(run_bytes_, product(innermost.count - 1, innermost.stride));
  }

  /// One whose every step is so many of another that it begins again before the other has
  /// ended, or where that would go on, is more of the other.
  bool join_two() {
    for (std::size_t inner = 1; inner < used_; ++inner) {
      for (std::size_t outer = 0; outer < inner; ++outer) {
        if (join(outer, inner)) return true;
      }
    }
    return false;
  }

  bool join(std::size_t outer, std::size_t inner) {
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
  std::array<Repetition, Repetitions::most + 1> all_;
};

}  // namespace

MemoryAccess strided(AccessMode mode, const void* first, std::size_t element_bytes, std::span<const std::int64_t> sizes,
                     std::span<const std::int64_t> strides, std::size_t alignment) {
  MemoryAccess access{first, element_bytes, mode, alignment};
  auto address = reinterpret_cast<std::uintptr_t>(first);
  Dimensions dimensions(element_bytes);
  for (std::size_t i = sizes.size(); i-- > 0;) {
    const auto count = static_cast<std::size_t>(sizes[i]);
    if (count == 0) return {first, 0, mode, alignment};
    if (count == 1 || strides[i] == 0) continue;
    const auto stride = static_cast<std::size_t>(strides[i]);
    const std::size_t step = product(strides[i] < 0 ? std::size_t{0} - stride : stride, element_bytes);
    if (strides[i] < 0) address -= product(count - 1, step);
    dimensions.add({count, step});
  }
  access.address = reinterpret_cast<const void*>(address);
  dimensions.give(access);
  return access;
}

std::uint64_t extent_bytes(const MemoryAccess& access) noexcept {
  std::uint64_t extent = access.bytes;
  for (const auto& [count, stride] : access.repetitions) {
    if (count == 0 || extent == 0) return 0;
    extent = sum(extent, product(count - 1, stride));
  }
  return extent;
}

std::uint64_t traffic_bytes(const MemoryAccess& access) noexcept {
  std::uint64_t bytes = access.bytes;
  for (const auto& [count, stride] : access.repetitions) {
    if (stride != 0 || count == 0) bytes = product(bytes, count);
  }
  return bytes;
}

}  // namespace gpucheck::device
