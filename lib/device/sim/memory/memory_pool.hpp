#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "device/sim/memory/device_memory.hpp"
#include "device/sim/time/vector_clock.hpp"

namespace gpucheck::sim {

/// A device's default pool for stream-ordered allocation. What is unused beyond the
/// release threshold, zero at first, goes back to the device at a synchronisation. A block is
/// reused where its free is known to be ordered before, or has happened already.
/// Not thread-safe.
class MemoryPool {
 public:
  explicit MemoryPool(DeviceMemory& memory) : memory_(memory) {}

  struct Block {
    std::uintptr_t begin = 0;
    std::uint64_t bytes = 0;
    std::uint64_t usable_ns = 0;  ///< the allocating stream waits until then
    Stamp after{};                ///< and for this step; epoch 0 when the block has no past
  };
  /// `knows` is what is ordered before the allocation.
  std::optional<Block> allocate(std::uint64_t bytes, const VectorClock& knows);
  /// The block, of which `requested_bytes` were asked for, is free from virtual time
  /// `finish_ns` on, by the operation `stamp`.
  void free(Range range, std::uint64_t requested_bytes, std::uint64_t finish_ns, Stamp stamp);
  /// Makes blocks whose free has happened, by `reached_ns`, usable by everyone.
  void collect(std::uint64_t reached_ns);
  /// Releases unused chunks to the device while more than `bytes_to_keep` are reserved.
  void trim(std::uint64_t bytes_to_keep);
  void trim_to_threshold() { trim(threshold_); }
  void set_threshold(std::uint64_t bytes) noexcept { threshold_ = bytes; }
  [[nodiscard]] const device::AsyncPoolUsage& usage() const noexcept { return usage_; }
  void reset_peaks() noexcept;

 private:
  struct Pending {
    Range range;
    std::uint64_t finish_ns = 0;
    Stamp stamp;
  };

  template <typename Predicate>
  std::optional<Block> reuse(std::uint64_t bytes, Predicate usable);
  bool grow(std::uint64_t bytes);
  std::optional<Block> find(std::uint64_t rounded, const VectorClock& knows);

  DeviceMemory& memory_;
  FreeRanges free_;
  std::vector<Pending> pending_;
  std::vector<Range> chunks_;
  std::uint64_t threshold_ = 0;
  device::AsyncPoolUsage usage_;
};

}  // namespace gpucheck::sim
