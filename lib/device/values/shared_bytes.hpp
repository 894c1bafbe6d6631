#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "device/values/memory_access.hpp"

/// What two accesses touch in common: exact, by arithmetic, never byte by byte or run by run.
/// Their modes do not count.
namespace gpucheck::device {

/// Bytes [begin, end).
struct Stretch {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool operator==(const Stretch&) const = default;
};

/// An access to nothing but these bytes.
inline MemoryAccess access_to(Stretch stretch) noexcept {
  return {reinterpret_cast<const void*>(stretch.begin), stretch.end - stretch.begin};
}

/// From the first to behind the last byte of an access, gaps included; nothing where that lies
/// in no address space.
inline std::optional<Stretch> extent_of(const MemoryAccess& access) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(access.address);
  const std::uint64_t bytes = extent_bytes(access);
  if (bytes > std::numeric_limits<std::uintptr_t>::max() - begin) return std::nullopt;
  return Stretch{begin, begin + bytes};
}

/// Whether some byte is touched by both. Views of one array, however cut out of it, take a few
/// steps, a fraction of a microsecond. At worst there are as many steps as combinations of the
/// outer repetitions: 65,536 steps, about 10 ms, are the most, and what takes more (long
/// repetitions inside each other, all of unlike strides) is answered by `when_given_up`. An access
/// that lies in no address space shares nothing.
bool share_bytes(const MemoryAccess& a, const MemoryAccess& b, bool when_given_up) noexcept;

/// Shows stretches that both touch, run by run, in the order of the runs of `a` (by address,
/// unless its repetitions reach into each other), until `see` says that it is enough. Each part of
/// the accesses that it looks at is one less in `parts`; false if it gave up because none was left.
bool for_each_shared(const MemoryAccess& a, const MemoryAccess& b, std::size_t& parts,
                     const std::function<bool(Stretch)>& see);

/// The accesses that together touch what `access` does outside of these bytes; nothing if they
/// are too many to be found in `most_parts` parts.
std::optional<std::vector<MemoryAccess>> parts_outside(const MemoryAccess& access, Stretch taken,
                                                       std::size_t most_parts);

}  // namespace gpucheck::device
