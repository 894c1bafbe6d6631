#include "runtime/settings/settings.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <utility>

#include "base/text/units.hpp"
#include "runtime/settings/settings_error.hpp"
#include "runtime/settings/settings_keys.hpp"
#include "runtime/settings/settings_tokens.hpp"

namespace gpucheck::runtime {
namespace {

using detail::SettingsTokens;

void require(bool condition, const char* text) {
  if (!condition) throw SettingsError(text);
}

std::uint64_t saturated_mebibytes(std::uint64_t count) {
  return std::min(count, AllocatorSettings::unlimited / 1_MiB) * 1_MiB;
}

std::uint64_t read_size_from_large_segment(SettingsTokens& tokens, const AllocatorSettings& settings,
                                           std::string_view key) {
  const std::uint64_t least = settings.large_segment_size / 1_MiB;
  const std::uint64_t value = tokens.next_integer();
  if (value < least)
    throw SettingsError(fmt::format("CachingAllocator option {} too small, must be >= {}", key, least));
  return saturated_mebibytes(value);
}

void max_split_size(SettingsTokens& tokens, AllocatorSettings& settings) {
  settings.max_split_size = read_size_from_large_segment(tokens, settings, "max_split_size_mb");
}

void max_non_split_rounding(SettingsTokens& tokens, AllocatorSettings& settings) {
  settings.max_non_split_rounding = read_size_from_large_segment(tokens, settings, "max_non_split_rounding_mb");
}

void garbage_collection_threshold(SettingsTokens& tokens, AllocatorSettings& settings) {
  const double value = tokens.next_double();
  require(value > 0.0 && value < 1.0, "garbage_collect_threshold is invalid, set it in (0.0, 1.0)");
  settings.garbage_collection_threshold = value;
}

/// [MiB:divisions,...,>:divisions]: the first also serves all smaller sizes, ">" all
/// entries after the last one named.
void division_table(SettingsTokens& tokens, AllocatorSettings& settings) {
  auto& table = settings.roundup_power2_divisions;
  bool first = true;
  std::size_t last = 0;
  while (tokens.peek() != "]") {
    const std::string interval = tokens.next();
    tokens.skip_separator();
    const std::uint64_t divisions = tokens.next_integer();
    require(divisions == 0 || std::has_single_bit(divisions),
            "For roundups, the divisions has to be power of 2 or 0 to disable roundup ");
    if (interval == ">") {
      std::fill(table.begin() + static_cast<std::ptrdiff_t>(std::min(last + 1, table.size())), table.end(), divisions);
    } else {
      const std::uint64_t mebibytes = detail::to_integer(interval);
      require(std::has_single_bit(mebibytes), "For roundups, the intervals have to be power of 2 ");
      last = std::min(static_cast<std::size_t>(std::countr_zero(mebibytes)), table.size() - 1);
      if (std::exchange(first, false)) std::fill_n(table.begin(), last, divisions);
      table[last] = divisions;
    }
    if (tokens.peek() != "]") tokens.skip_separator();
  }
  static_cast<void>(tokens.next());
}

void roundup_power2_divisions(SettingsTokens& tokens, AllocatorSettings& settings) {
  if (tokens.peek() == "[") {
    static_cast<void>(tokens.next());
    return division_table(tokens, settings);
  }
  const std::uint64_t divisions = tokens.next_integer();
  require(std::has_single_bit(divisions), "For roundups, the divisions has to be power of 2 ");
  settings.roundup_power2_divisions.fill(divisions);
}

void large_segment_size(SettingsTokens& tokens, AllocatorSettings& settings) {
  const std::uint64_t value = tokens.next_integer();
  require(value > 10, "CachingAllocator option large_segment_size_mb must be > 10 MB");
  settings.large_segment_size = saturated_mebibytes(value);
}

void per_process_memory_fraction(SettingsTokens& tokens, AllocatorSettings& settings) {
  const double value = tokens.next_double();
  require(value >= 0.0 && value <= 1.0, "per_process_memory_fraction is invalid, set it in [0.0, 1.0]");
  settings.per_process_memory_fraction = value;
}

void backend(SettingsTokens& tokens, AllocatorSettings& settings) {
  const std::string& name = tokens.next();
  require(name == "native" || name == "cudaMallocAsync",
          "Unknown allocator backend, options are native and cudaMallocAsync");
  settings.backend = name == "native" ? Backend::native : Backend::async;
}

void pinned_num_register_threads(SettingsTokens& tokens, AllocatorSettings& settings) {
  const std::uint64_t value = tokens.next_integer();
  require(std::has_single_bit(value), "Number of register threads has to be power of 2 ");
  if (value > 128) {
    throw SettingsError(fmt::format("Number of register threads should be less than or equal to 128, got {}", value));
  }
  settings.pinned_num_register_threads = value;
}

void pinned_reserve_segment_size(SettingsTokens& tokens, AllocatorSettings& settings) {
  const std::uint64_t value = tokens.next_integer();
  require(value > 0, "Pinned reserve segment size has to be greater than 0 ");
  settings.pinned_reserve_segment_size = saturated_mebibytes(value);
}

template <bool AllocatorSettings::*field>
void boolean(SettingsTokens& tokens, AllocatorSettings& settings) {
  settings.*field = tokens.next_bool();
}

struct Key {
  std::string_view name;
  void (*apply)(SettingsTokens&, AllocatorSettings&);
};

constexpr Key keys[] = {
    {"backend", backend},
    {"expandable_segments", boolean<&AllocatorSettings::expandable_segments>},
    {"garbage_collection_threshold", garbage_collection_threshold},
    {"graph_capture_record_stream_reuse", boolean<&AllocatorSettings::graph_capture_record_stream_reuse>},
    {"large_segment_size_mb", large_segment_size},
    {"max_non_split_rounding_mb", max_non_split_rounding},
    {"max_split_size_mb", max_split_size},
    {"per_process_memory_fraction", per_process_memory_fraction},
    {"pinned_num_register_threads", pinned_num_register_threads},
    {"pinned_reserve_segment_size_mb", pinned_reserve_segment_size},
    {"pinned_use_background_threads", boolean<&AllocatorSettings::pinned_use_background_threads>},
    {"pinned_use_cuda_host_register", boolean<&AllocatorSettings::pinned_use_host_register>},
    {"pinned_use_hip_host_register", boolean<&AllocatorSettings::pinned_use_host_register>},
    {"release_lock_on_cudamalloc", boolean<&AllocatorSettings::release_lock_on_device_allocation>},
    {"release_lock_on_hipmalloc", boolean<&AllocatorSettings::release_lock_on_device_allocation>},
    {"roundup_power2_divisions", roundup_power2_divisions},
};

}  // namespace

bool is_settings_key(std::string_view name) noexcept {
  return std::ranges::find(keys, name, &Key::name) != std::end(keys);
}

AllocatorSettings parse_settings(std::string_view text, const AllocatorSettings& previous) {
  AllocatorSettings settings = previous;
  settings.text = text;
  settings.max_split_size = AllocatorSettings::unlimited;
  settings.max_non_split_rounding = settings.large_segment_size;
  settings.roundup_power2_divisions = {};
  settings.garbage_collection_threshold = 0.0;
  SettingsTokens tokens(text);
  while (!tokens.at_end()) {
    const std::string& name = tokens.next();
    const auto* key = std::ranges::find(keys, name, &Key::name);
    if (key == std::end(keys)) {
      throw SettingsError(fmt::format("Unrecognized key '{}' in Accelerator allocator config.", name));
    }
    tokens.skip_separator();
    key->apply(tokens, settings);
    if (!tokens.at_end()) tokens.skip_separator();
  }
  return settings;
}

void require_same_backend(const AllocatorSettings& parsed, const AllocatorSettings& present) {
  if (parsed.backend == present.backend) return;
  const auto name = [](Backend backend) { return backend == Backend::native ? "native" : "cudaMallocAsync"; };
  throw SettingsError(
      fmt::format("Allocator backend parsed at runtime != allocator backend parsed at load time, {} != {}",
                  name(parsed.backend), name(present.backend)));
}

}  // namespace gpucheck::runtime
