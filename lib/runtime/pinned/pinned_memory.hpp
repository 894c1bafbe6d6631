#pragma once

#include <cstdint>
#include <mutex>

#include "device/device.hpp"
#include "runtime/settings/settings.hpp"

namespace gpucheck::runtime::detail {

/// A range of page-locked host memory, and how it was made: it is freed the
/// same way.
struct PinnedMemory {
  enum class Origin : std::uint8_t {
    allocated,   ///< by the driver (cudaHostAlloc)
    registered,  ///< by the host, then page-locked (cudaHostRegister)
    reserved,    ///< a part of the reserved segment, which lives as long as its source
  };
  void* pointer = nullptr;
  std::uint64_t bytes = 0;
  Origin origin = Origin::allocated;
};

/// Makes and releases page-locked memory as the pinned_* settings say. Thread-safe; no
/// lock is held around calls of the driver, except while the reserved segment is made.
class PinnedMemorySource {
 public:
  explicit PinnedMemorySource(device::Device& device) noexcept : device_(device) {}
  /// Gives the reserved segment back.
  ~PinnedMemorySource();
  PinnedMemorySource(const PinnedMemorySource&) = delete;
  PinnedMemorySource& operator=(const PinnedMemorySource&) = delete;

  /// @throws DeviceError; Error when the host itself has no memory left.
  [[nodiscard]] PinnedMemory obtain(std::uint64_t bytes, const AllocatorSettings& settings);
  /// Nothing happens to a part of the reserved segment. @throws DeviceError.
  void release(const PinnedMemory& memory);

 private:
  [[nodiscard]] PinnedMemory make(std::uint64_t bytes, const AllocatorSettings& settings);
  [[nodiscard]] void* reserved(std::uint64_t bytes, const AllocatorSettings& settings);

  device::Device& device_;
  std::mutex mutex_;  // guards the reserved segment
  PinnedMemory segment_;
  std::uint64_t segment_used_ = 0;
};

}  // namespace gpucheck::runtime::detail
