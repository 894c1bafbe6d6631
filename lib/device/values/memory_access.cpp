#include "device/values/memory_access.hpp"

#include <algorithm>

#include "device/values/joined_repetitions.hpp"

namespace gpucheck::device {

using detail::product;
using detail::sum;

MemoryAccess strided(AccessMode mode, const void* first, std::size_t element_bytes, std::span<const std::int64_t> sizes,
                     std::span<const std::int64_t> strides, std::size_t alignment) {
  auto address = reinterpret_cast<std::uintptr_t>(first);
  detail::JoinedRepetitions<Repetitions::most> joined(element_bytes);
  for (std::size_t i = sizes.size(); i-- > 0;) {
    const auto count = static_cast<std::size_t>(sizes[i]);
    if (count == 0) return {first, 0, mode, alignment};
    const auto stride = static_cast<std::size_t>(strides[i]);
    const std::size_t step = product(strides[i] < 0 ? std::size_t{0} - stride : stride, element_bytes);
    if (strides[i] < 0) address -= product(count - 1, step);
    joined.add({count, step});
  }
  MemoryAccess access{reinterpret_cast<const void*>(address), joined.run_bytes(), mode, alignment};
  access.repetitions.used = joined.repetitions().size();
  std::ranges::copy(joined.repetitions(), access.repetitions.all.begin());
  return access;
}

std::uint64_t detail::extent_with_repetitions(const MemoryAccess& access) noexcept {
  std::uint64_t extent = access.bytes;
  for (const auto& [count, stride] : access.repetitions) {
    if (count == 0 || extent == 0) return 0;
    extent = sum(extent, product(count - 1, stride));
  }
  return extent;
}

std::uint64_t detail::traffic_with_repetitions(const MemoryAccess& access) noexcept {
  std::uint64_t bytes = access.bytes;
  for (const auto& [count, stride] : access.repetitions) {
    if (stride != 0 || count == 0) bytes = product(bytes, count);
  }
  return bytes;
}

}  // namespace gpucheck::device
