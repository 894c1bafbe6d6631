#pragma once

#include <cstdint>
#include <optional>

#include "runtime/allocator/rounding.hpp"
#include "runtime/caching/tables/slow_path_reasons.hpp"
#include "runtime/settings/settings.hpp"

namespace gpucheck::runtime::detail {

/// What users set, and what follows from it. Changed only with all arenas closed, so that any
/// arena's lock is enough to read it.
class Configuration {
 public:
  explicit Configuration(SlowPathReasons& slow_path) noexcept : slow_path_(slow_path) {}

  [[nodiscard]] const AllocatorSettings& settings() const noexcept { return settings_; }
  [[nodiscard]] const SplitPolicy& policy() const noexcept { return policy_; }
  void set_settings(AllocatorSettings settings);

  [[nodiscard]] std::uint64_t rounded_size(std::uint64_t bytes) const noexcept {
    return has_divisions_ ? round_size(bytes, settings_) : round_up_to_block(bytes);
  }
  /// Whether a block, or a segment, counts as oversize.
  [[nodiscard]] bool is_oversize(std::uint64_t size) const noexcept { return size >= policy_.max_split_size; }

  /// The share of `total` bytes that may be reserved; 1 is not a limit.
  void set_fraction(double fraction, std::uint64_t total);
  [[nodiscard]] double fraction() const noexcept { return fraction_; }
  /// Bytes that may be reserved.
  [[nodiscard]] const std::optional<std::uint64_t>& limit() const noexcept { return limit_; }

  void set_caching(bool enabled);
  [[nodiscard]] bool caching() const noexcept { return caching_; }

 private:
  void update_slow_path();

  SlowPathReasons& slow_path_;
  AllocatorSettings settings_;
  SplitPolicy policy_;
  bool has_divisions_ = false;  ///< whether settings_ has any for the rounding
  bool caching_ = true;
  double fraction_ = 1.0;
  std::optional<std::uint64_t> limit_;
};

}  // namespace gpucheck::runtime::detail
