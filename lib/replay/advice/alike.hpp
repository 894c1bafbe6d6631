#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/formats/trace/trace.hpp"
#include "runtime/allocator/settings.hpp"

namespace gpucheck::replay {

/// The different sizes that a trace asks for, in order. Bytes, none of them 0.
std::vector<std::uint64_t> sizes_asked_for(const Trace& trace);

/// Which settings cannot lead to different decisions for a given set of sizes.
class Likeness {
 public:
  /// @param sizes in order, none of them 0
  explicit Likeness(std::vector<std::uint64_t> sizes) : sizes_(std::move(sizes)) {}

  /// Equal for settings that round every size alike; unequal for nearly all others.
  [[nodiscard]] std::uint64_t rounding_hash(const runtime::AllocatorSettings& settings) const;
  /// True only where every call, in whatever order and under whatever limit, is served
  /// alike under both. Settings are compared in all that is not about pinned memory.
  [[nodiscard]] bool plays_alike(const runtime::AllocatorSettings& a, const runtime::AllocatorSettings& b) const;

 private:
  [[nodiscard]] bool rounds_alike(const runtime::AllocatorSettings& a, const runtime::AllocatorSettings& b) const;
  [[nodiscard]] bool splits_alike(const runtime::AllocatorSettings& a, const runtime::AllocatorSettings& b) const;
  [[nodiscard]] bool keeps_alike(const runtime::AllocatorSettings& a, const runtime::AllocatorSettings& b) const;
  [[nodiscard]] bool uses_large_segments(const runtime::AllocatorSettings& settings) const;
  [[nodiscard]] bool has_effective_split_limit(const runtime::AllocatorSettings& settings) const;

  std::vector<std::uint64_t> sizes_;
};

}  // namespace gpucheck::replay
