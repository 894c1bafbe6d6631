#include "replay/advice/search/setting_facts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include "base/error.hpp"
#include "replay/advice/search/search_space.hpp"
#include "runtime/allocator/errors.hpp"
#include "runtime/settings/settings.hpp"

namespace gpucheck::replay {

namespace {

using runtime::AllocatorSettings;

constexpr std::array<std::string_view, 6> searched{"expandable_segments",   "garbage_collection_threshold",
                                                   "large_segment_size_mb", "max_non_split_rounding_mb",
                                                   "max_split_size_mb",     "roundup_power2_divisions"};

struct KnownKey {
  std::string_view name;
  TorchVersion first;
};

/// By the pull request that brought it, and the first release whose branch was made after that. An older release ends
/// with an error where a key is set that it does not know.
constexpr std::array known_keys{
    KnownKey{"expandable_segments", {2, 1}},                // pytorch/pytorch#96995, April 2023
    KnownKey{"garbage_collection_threshold", {1, 12}},      // #74261, March 2022
    KnownKey{"graph_capture_record_stream_reuse", {2, 9}},  // #158352, August 2025
    KnownKey{"large_segment_size_mb", {2, 11}},             // #172056, January 2026
    KnownKey{"max_non_split_rounding_mb", {2, 6}},          // #136174, September 2024
    KnownKey{"max_split_size_mb", {1, 10}},                 // #44742, April 2021
    KnownKey{"per_process_memory_fraction", {2, 10}},       // #161035, autumn 2025
    KnownKey{"pinned_reserve_segment_size_mb", {2, 10}},    // #164501, October 2025
    KnownKey{"pinned_use_background_threads", {2, 6}},      // #135524, September 2024
    KnownKey{"roundup_power2_divisions", {1, 12}},          // #74213, March 2022
};
constexpr TorchVersion first_with_tables{2, 0};  // of roundup_power2_divisions: #87290, November 2022

struct Breakage {
  KnownBreakage known;
  bool (*applies)(const AllocatorSettings&);
};

bool is_expandable(const AllocatorSettings& settings) { return settings.expandable_segments; }
bool has_split_limit(const AllocatorSettings& settings) {
  return settings.max_split_size != AllocatorSettings::unlimited;
}
bool is_pair(const AllocatorSettings& settings) { return is_expandable(settings) && has_split_limit(settings); }
bool collects(const AllocatorSettings& settings) { return settings.garbage_collection_threshold > 0; }
bool is_async(const AllocatorSettings& settings) { return settings.backend == runtime::Backend::async; }

constexpr std::array breakages{
    Breakage{
        {.key = "expandable_segments",
         .what = "CUDA tensors cannot be shared with other processes (IPC: torch.multiprocessing, DataLoader workers, "
                 "weights handed to a serving engine)",
         .source = "github.com/pytorch/pytorch/pull/130890",
         .before = TorchVersion{2, 5}},
        is_expandable},
    Breakage{
        {.key = "expandable_segments",
         .what = "sharing CUDA tensors with other processes (IPC) needs the system call pidfd_getfd, which containers "
                 "without the right to trace processes refuse",
         .source = "github.com/pytorch/pytorch/issues/165685",
         .from = TorchVersion{2, 5}},
        is_expandable},
    Breakage{
        {.key = "expandable_segments",
         .what = "memory pools with an allocator of their own (torch.cuda.MemPool with CUDAPluggableAllocator) are not "
                 "used, or end with an error",
         .source = "github.com/pytorch/pytorch/issues/147851",
         .before = TorchVersion{2, 11}},
        is_expandable},
    Breakage{
        {.key = "expandable_segments",
         .what = "sleep modes of serving engines stand on such pools (vLLM's CuMemAllocator, torch_memory_saver of "
                 "SGLang): older ones refuse to start or free nothing, newer ones of vLLM switch expandable segments "
                 "off meanwhile, where PYTORCH_CUDA_ALLOC_CONF has the setting",
         .source = "github.com/vllm-project/vllm/pull/40812, github.com/fzyzcjy/torch_memory_saver/issues/24"},
        is_expandable},
    Breakage{{.key = "expandable_segments",
              .what = "transfer libraries that register tensors' memory by themselves (NIXL in vLLM) may not take it",
              .source = "github.com/vllm-project/vllm/pull/41268"},
             is_expandable},
    Breakage{
        {.key = "expandable_segments",
         .what = "together with max_split_size_mb free memory above the limit is left unused, so that what is reserved "
                 "can grow without end; older releases end with an internal assertion",
         .source = "github.com/pytorch/pytorch/issues/123548, github.com/pytorch/pytorch/issues/119452"},
        is_pair},
    Breakage{
        {.key = "max_split_size_mb",
         .what = "where memory is short, blocks above the limit are released and obtained again, and each time the "
                 "program waits for the device",
         .source = "github.com/pytorch/pytorch/pull/113481"},
        has_split_limit},
    Breakage{{.key = "garbage_collection_threshold",
              .what = "it does something only where a limit is set, with torch.cuda.set_per_process_memory_fraction or "
                      "per_process_memory_fraction",
              .source = "PyTorch 2.11, c10/cuda/CUDACachingAllocator.cpp: collected only with a memory fraction"},
             collects},
    Breakage{
        {.key = "backend",
         .what =
             "cudaMallocAsync shares no CUDA tensors with other processes (IPC), records no memory history, knows no "
             "memory pools and no checkpoints of graphs' pools, and ignores all keys of the native allocator",
         .source = "PyTorch 2.11, c10/cuda/CUDAMallocAsyncAllocator.cpp: \"does not yet support\""},
        is_async},
};

/// Nothing where PyTorch rejects them.
std::optional<AllocatorSettings> parsed(std::string_view settings) {
  try {
    return runtime::parse_settings(settings);
  } catch (const runtime::SettingsError&) {
    return std::nullopt;
  }
}

}  // namespace

TorchVersion parse_torch_version(std::string_view text) {
  std::string_view left = text;
  if (left.starts_with('v')) left.remove_prefix(1);
  TorchVersion version;
  const auto read = [&left](int& number) {
    const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), number);
    if (error != std::errc{} || number < 0) return false;
    left.remove_prefix(static_cast<std::size_t>(end - left.data()));
    return true;
  };
  bool is_version = read(version.major) && left.starts_with('.');
  if (is_version) left.remove_prefix(1);
  is_version = is_version && read(version.minor) &&
               (left.empty() || std::string_view(".+a-").find(left[0]) != std::string_view::npos);
  if (is_version) return version;
  throw UsageError(fmt::format("--torch {}: expected a release of PyTorch, for example 2.6 or 2.6.0+cu124", text));
}

std::string to_text(TorchVersion version) { return fmt::format("{}.{}", version.major, version.minor); }

std::span<const std::string_view> searched_keys() { return searched; }

TorchVersion first_release_of(std::string_view settings) {
  TorchVersion first;
  for (const std::string& item : items_of_settings(settings)) {
    const std::string_view key = std::string_view(item).substr(0, item.find(':'));
    const auto* const known = std::ranges::find(known_keys, key, &KnownKey::name);
    if (known == known_keys.end()) continue;
    const bool is_table = item.find('[') != std::string::npos;
    first = std::max({first, known->first, is_table ? first_with_tables : TorchVersion{}});
  }
  return first;
}

bool are_allowed(std::string_view settings, const KeyRules& rules) {
  const auto is_excluded = [&rules](const std::string& key) {
    return std::ranges::find(rules.excluded, key) != rules.excluded.end();
  };
  return std::ranges::none_of(keys_of(settings), is_excluded) &&
         (!rules.torch || *rules.torch >= first_release_of(settings));
}

bool combines_expandable_with_split_limit(std::string_view settings) {
  const std::optional<AllocatorSettings> values = parsed(settings);
  return values && is_pair(*values);
}

std::vector<KnownBreakage> known_to_break(std::string_view settings, std::optional<TorchVersion> torch) {
  std::vector<KnownBreakage> found;
  const std::optional<AllocatorSettings> values = parsed(settings);
  if (!values) return found;
  for (const Breakage& each : breakages) {
    const bool is_of_release = !torch || ((!each.known.from || *torch >= *each.known.from) &&
                                          (!each.known.before || *torch < *each.known.before));
    if (is_of_release && each.applies(*values)) found.push_back(each.known);
  }
  return found;
}

}  // namespace gpucheck::replay
