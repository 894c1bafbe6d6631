#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "replay/formats/trace/trace.hpp"
#include "runtime/settings/settings.hpp"

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

/// Settings of which no two are alike.
class DifferentSettings {
 public:
  /// @param sizes as for Likeness
  explicit DifferentSettings(std::vector<std::uint64_t> sizes) : likeness_(std::move(sizes)) {}

  /// Those added before that these cannot differ from; nothing where they are new.
  /// @throws SettingsError
  std::optional<std::string> add(const std::string& settings);

 private:
  Likeness likeness_;
  /// By the hash of what sizes are rounded to.
  std::unordered_multimap<std::uint64_t, runtime::AllocatorSettings> known_;
};

}  // namespace gpucheck::replay
