#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/driver.hpp"
#include "replay/verdict/subject.hpp"
#include "runtime/settings/allocator_choice.hpp"

namespace gpucheck::replay {

/// A device to play on, and what a report says of it.
struct PlayedDevice {
  std::unique_ptr<device::Driver> driver;  ///< outlives the device
  std::unique_ptr<device::Device> device;
  std::string label;  ///< what names it on the command line: "sim:h100", "cuda:0"
  std::string note;   ///< why it is this one, where that was not asked for; else empty
  bool is_simulated = false;
};

/// Where traces are played. Every play begins on a device of its own, so that none
/// depends on the one before.
struct DeviceSource {
  /// For devices that can be made in any size: bytes that a program can use of them.
  struct Sizes {
    std::uint64_t default_bytes = 0;  ///< of one that nothing is asked of
    std::uint64_t max_bytes = 0;
  };
  std::optional<Sizes> sizes;  ///< absent: the device is what it is
  /// Opens it, with so many usable bytes; absent without `sizes`.
  /// @throws UsageError above `Sizes::max_bytes`; EnvironmentError.
  std::function<PlayedDevice(std::optional<std::uint64_t> usable_bytes)> open;
};

/// What is asked of a replay.
struct Request {
  runtime::AllocatorChoice allocator = {};
  std::vector<std::string> settings = {};  ///< empty: those that each trace was recorded under
  std::optional<std::uint64_t> memory_limit_bytes = std::nullopt;
  DeviceSource devices = {};
};

/// What a file expects is what PyTorch's caching allocator did: segments, splits, retries.
/// Whether the chosen allocator can be held against it.
[[nodiscard]] bool can_compare(const Subject& subject, const Request& request) noexcept;

/// A comparison says nothing of what would happen under other settings, or another limit.
[[nodiscard]] bool asks_what_if(const Subject& subject, const Request& request) noexcept;

}  // namespace gpucheck::replay
