#pragma once

#include <atomic>

namespace gpucheck::runtime::detail {

/// Why an allocation cannot be served under its arena's lock alone.
enum class SlowPathReason : unsigned {
  uncached = 1U << 0U,
  routing = 1U << 1U,
  pending_frees = 1U << 2U,
  garbage_collection = 1U << 3U,
};

/// The reasons that apply now. Set with the allocator's mutex held, and all but `pending_frees`
/// with all arenas closed, so that they stay as they are while any arena's lock is held.
class SlowPathReasons {
 public:
  void set(SlowPathReason reason, bool applies) noexcept {
    const auto bit = static_cast<unsigned>(reason);
    applies ? bits_.fetch_or(bit, std::memory_order_relaxed) : bits_.fetch_and(~bit, std::memory_order_relaxed);
  }
  [[nodiscard]] bool has(SlowPathReason reason) const noexcept {
    return (bits_.load(std::memory_order_relaxed) & static_cast<unsigned>(reason)) != 0;
  }
  [[nodiscard]] bool none() const noexcept { return bits_.load(std::memory_order_relaxed) == 0; }

 private:
  std::atomic<unsigned> bits_ = 0;
};

}  // namespace gpucheck::runtime::detail
