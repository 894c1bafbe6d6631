#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gpucheck::device {

enum class AccessMode : std::uint8_t { read, write, read_write };

/// What lies inside it `count` times, each `stride` bytes after the one before.
struct Repetition {
  std::size_t count = 1;
  std::size_t stride = 0;  ///< in bytes; 0 is the same memory again
  bool operator==(const Repetition&) const = default;
};

/// Repetitions inside each other, the outermost first. None: what they belong to is there once.
struct Repetitions {
  static constexpr std::size_t most = 4;

  std::size_t used = 0;
  std::array<Repetition, most> all{};

  [[nodiscard]] constexpr bool empty() const noexcept { return used == 0; }
  [[nodiscard]] constexpr const Repetition* begin() const noexcept { return all.data(); }
  [[nodiscard]] constexpr const Repetition* end() const noexcept { return all.data() + used; }
};

/// Memory that a launch reads or writes: one run of bytes, or a regular pattern of such runs,
/// whose gaps it does not touch. The simulated device fails accesses outside live allocations
/// and misaligned ones, and reports races from these.
struct MemoryAccess {
  const void* address = nullptr;  ///< of the first run, which has the lowest address
  std::size_t bytes = 0;          ///< of each run
  AccessMode mode = AccessMode::read;
  std::size_t alignment = 1;  ///< what a kernel's loads and stores need the address to be a multiple of
  Repetitions repetitions{};  ///< of the run; runs may overlap
};

namespace detail {

template <typename T>
inline constexpr std::size_t alignment_of = alignof(T);
template <>
inline constexpr std::size_t alignment_of<void> = 1;

}  // namespace detail

/// Accesses element by element, where T says what an element is.
template <typename T>
constexpr MemoryAccess reads(const T* address, std::size_t bytes) {
  return {address, bytes, AccessMode::read, detail::alignment_of<T>};
}
template <typename T>
constexpr MemoryAccess writes(const T* address, std::size_t bytes) {
  return {address, bytes, AccessMode::write, detail::alignment_of<T>};
}
template <typename T>
constexpr MemoryAccess updates(const T* address, std::size_t bytes) {
  return {address, bytes, AccessMode::read_write, detail::alignment_of<T>};
}

/// The access to a view: elements of `element_bytes`, of which `first` is the one whose indices
/// are all 0. `sizes` and `strides` (as many, of any number) are in elements, the outermost
/// dimension first; a stride may be 0, which repeats what is there, or negative. The result
/// has the fewest repetitions that say the same: dimensions that continue each other are one,
/// all strides are positive and descend, and each run is as long as it can be. A view of which
/// more than `Repetitions::most` are left is taken with the gaps of its innermost dimensions.
MemoryAccess strided(AccessMode mode, const void* first, std::size_t element_bytes, std::span<const std::int64_t> sizes,
                     std::span<const std::int64_t> strides, std::size_t alignment = 1);

/// The same for elements of type T, which lie where such elements must.
template <typename T>
MemoryAccess reads_strided(const T* first, std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides) {
  return strided(AccessMode::read, first, sizeof(T), sizes, strides, alignof(T));
}
template <typename T>
MemoryAccess writes_strided(const T* first, std::span<const std::int64_t> sizes,
                            std::span<const std::int64_t> strides) {
  return strided(AccessMode::write, first, sizeof(T), sizes, strides, alignof(T));
}
template <typename T>
MemoryAccess updates_strided(const T* first, std::span<const std::int64_t> sizes,
                             std::span<const std::int64_t> strides) {
  return strided(AccessMode::read_write, first, sizeof(T), sizes, strides, alignof(T));
}

namespace detail {

std::uint64_t extent_with_repetitions(const MemoryAccess& access) noexcept;
std::uint64_t traffic_with_repetitions(const MemoryAccess& access) noexcept;

}  // namespace detail

/// Bytes from the first to the last one that is touched, gaps included; the largest number
/// where that is more than an address space holds.
inline std::uint64_t extent_bytes(const MemoryAccess& access) noexcept {
  return access.repetitions.empty() ? access.bytes : detail::extent_with_repetitions(access);
}
/// Bytes of all runs together, those of repetitions with stride 0 counted once; the largest
/// number likewise.
inline std::uint64_t traffic_bytes(const MemoryAccess& access) noexcept {
  return access.repetitions.empty() ? access.bytes : detail::traffic_with_repetitions(access);
}

}  // namespace gpucheck::device
