#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "device/owned.hpp"

namespace gpucheck::runtime {

/// Reports a stream's id, the number that PyTorch knows it by.
using StreamIds = std::function<std::int64_t(device::Stream)>;

/// The id of a stream that is in no pool: the default stream's is 0.
[[nodiscard]] inline std::int64_t id_outside_pools(device::Stream stream) noexcept {
  return static_cast<std::int64_t>(stream.value);
}

/// The device's shared side streams: 32 for each of up to four priority levels,
/// served in turn, so that the 33rd request gets the first stream again. All are made,
/// non-blocking, at the first request and live as long as the pool. Thread-safe.
class StreamPool {
 public:
  static constexpr int streams_per_level = 32;
  static constexpr int max_levels = 4;

  using CreationObserver = std::function<void(device::Stream)>;

  /// Makes no device call. `created` hears of each stream that is made, once all are,
  /// without any lock held.
  explicit StreamPool(device::Device& device, CreationObserver created = {}) noexcept
      : device_(device), created_(std::move(created)) {}

  /// `priority` 0 is lowest, negative is higher; values out of range are clamped.
  /// @throws DeviceError.
  [[nodiscard]] device::Stream next(int priority = 0);
  /// The stream of an id, as `stream_id` gives it; pooled ones are made if need be.
  /// @throws Error with PyTorch's text for an id that no stream can have; DeviceError.
  [[nodiscard]] device::Stream stream(std::int64_t id);
  /// The highest priority of the device that the pool serves (0 or negative).
  [[nodiscard]] int greatest_priority() const noexcept;
  /// Priority of a stream of this pool; 0 for any other.
  [[nodiscard]] int priority(device::Stream stream) const;
  /// 0 for the default stream; for a pool's stream bit 0 is set, bits 1 to 4 are its
  /// level plus 1, bits 5 to 9 its position; else the handle itself.
  [[nodiscard]] std::int64_t stream_id(device::Stream stream) const;
  /// For people: "default", "priority -1, stream 4" of 0 to 31, or "external".
  [[nodiscard]] std::string name(device::Stream stream) const;

 private:
  struct Level {
    std::vector<device::UniqueStream> streams;
    std::uint64_t requests = 0;
  };
  struct Place {
    std::size_t level = 0;
    std::size_t index = 0;
    bool found = false;
  };
  /// In the order in which PyTorch makes them: the first of each level, then the second.
  std::vector<device::Stream> create_streams();
  /// The stream that `choose` takes of the levels, which are made first if need be.
  template <typename Choose>
  device::Stream take(Choose choose);
  [[nodiscard]] Place find(device::Stream stream) const;

  device::Device& device_;
  CreationObserver created_;
  mutable std::mutex mutex_;
  std::vector<Level> levels_;
};

}  // namespace gpucheck::runtime
