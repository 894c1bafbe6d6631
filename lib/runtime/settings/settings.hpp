#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "runtime/settings/settings_error.hpp"

namespace gpucheck::runtime {

enum class Backend : std::uint8_t { native, async };

/// What a settings string such as "max_split_size_mb:64,expandable_segments:True" says.
/// Sizes are bytes.
struct AllocatorSettings {
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t default_large_segment_size = 20971520;

  std::string text;  ///< the string last parsed, as given

  // Back to these defaults at every parse.
  std::uint64_t max_split_size = unlimited;
  std::uint64_t max_non_split_rounding = default_large_segment_size;
  /// Divisions of the power-of-two rounding by size: entry i serves sizes from 2^i MiB
  /// (entry 0 also everything below, the last also everything above). 0 and 1 are off.
  std::array<std::uint64_t, 16> roundup_power2_divisions{};
  double garbage_collection_threshold = 0.0;  ///< of the memory limit; 0 is off

  // Kept until a string names them again.
  std::uint64_t large_segment_size = default_large_segment_size;
  double per_process_memory_fraction = 1.0;  ///< read when an allocator is made
  Backend backend = Backend::native;
  bool expandable_segments = false;
  /// While the device allocates a segment, other threads may use the allocator. It has no
  /// effect with expandable segments.
  bool release_lock_on_device_allocation = false;
  /// A block that several streams used in a capture may be reused in it once the graph
  /// orders their work before what comes; otherwise it waits for the capture's end.
  bool graph_capture_record_stream_reuse = false;
  bool pinned_use_host_register = false;
  std::uint64_t pinned_num_register_threads = 1;
  bool pinned_use_background_threads = false;
  std::uint64_t pinned_reserve_segment_size = 0;

  bool operator==(const AllocatorSettings&) const = default;
};

/// Applies a settings string (grammar and keys as PyTorch 2.11's) to `previous`.
/// @throws SettingsError with PyTorch's text; `previous` stays as it is.
AllocatorSettings parse_settings(std::string_view text, const AllocatorSettings& previous = {});

/// The backend is chosen when an allocator is made. @throws SettingsError where a later
/// string names another one.
void require_same_backend(const AllocatorSettings& parsed, const AllocatorSettings& present);

}  // namespace gpucheck::runtime
