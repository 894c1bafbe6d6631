#include "runtime/settings/settings.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text/units.hpp"
#include "runtime/settings/settings_error.hpp"

namespace gpucheck::runtime {
namespace {

std::string rejection(std::string_view text) {
  try {
    static_cast<void>(parse_settings(text));
  } catch (const SettingsError& error) {
    return error.what();
  }
  return "accepted";
}

struct Rejected {
  std::string_view text;
  std::string_view words;
};

// Texts: PyTorch 2.11's, recorded. Its internal assertions say more around theirs.
constexpr Rejected rejected[] = {
    {"foo:1,bar:2", "Unrecognized key 'foo' in Accelerator allocator config."},
    {"garbage_collection_threshold:1.2", "garbage_collect_threshold is invalid, set it in (0.0, 1.0)"},
    {"garbage_collection_threshold:0.0", "garbage_collect_threshold is invalid, set it in (0.0, 1.0)"},
    {"max_split_size_mb:2", "CachingAllocator option max_split_size_mb too small, must be >= 20"},
    {"release_lock_on_cudamalloc:none", "Expected 'True' or 'False' at index 2 in ConfigTokenizer but got 'none'"},
    {"pinned_num_register_threads:none", "stoull"},
    {"pinned_num_register_threads:1024", "Number of register threads should be less than or equal to 128, got 1024"},
    {"pinned_use_cuda_host_register:maybe", "Expected 'True' or 'False' at index 2 in ConfigTokenizer but got 'maybe'"},
    {"roundup_power2_divisions:3", "For roundups, the divisions has to be power of 2 "},
    {"roundup_power2_divisions:[64:3]", "For roundups, the divisions has to be power of 2 or 0 to disable roundup "},
    {"roundup_power2_divisions:[65:8]", "For roundups, the intervals have to be power of 2 "},
    {"expandable_segments:maybe", "Expected 'True' or 'False' at index 2 in ConfigTokenizer but got 'maybe'"},
    {"backend:foo", "Unknown allocator backend, options are native and cudaMallocAsync"},
    {"max_split_size_mb", "Index out of bounds in ConfigTokenizer"},
    {"max_split_size_mb:", "Index out of bounds in ConfigTokenizer"},
    {"max_split_size_mb:abc", "stoull"},
    {"max_non_split_rounding_mb:10", "CachingAllocator option max_non_split_rounding_mb too small, must be >= 20"},
    {"per_process_memory_fraction:2.0", "per_process_memory_fraction is invalid, set it in [0.0, 1.0]"},
    {"large_segment_size_mb:5", "CachingAllocator option large_segment_size_mb must be > 10 MB"},
    {"roundup_power2_divisions:[64:2", "Index out of bounds in ConfigTokenizer"},
};

TEST(Settings, RejectsWithPyTorchsWords) {
  for (const Rejected& row : rejected) EXPECT_EQ(rejection(row.text), row.words) << row.text;
}

TEST(Settings, AcceptsWhatPyTorchAccepts) {
  for (const char* text :
       {"", "max_split_size_mb:20", "roundup_power2_divisions:[64:8,128:2,256:2,512:2,1024:1,>:1]",
        "graph_capture_record_stream_reuse:True", "pinned_use_background_threads:True", "backend:cudaMallocAsync",
        " max_split_size_mb : 64 ,\texpandable_segments:True ", "release_lock_on_hipmalloc:True"}) {
    EXPECT_EQ(rejection(text), "accepted") << text;
  }
}

TEST(Settings, ReadsEachOption) {
  const AllocatorSettings settings = parse_settings(
      "max_split_size_mb:64,max_non_split_rounding_mb:32,garbage_collection_threshold:0.6,expandable_segments:True,"
      "pinned_num_register_threads:8,pinned_reserve_segment_size_mb:4,per_process_memory_fraction:0.5");
  EXPECT_EQ(settings.max_split_size, 64_MiB);
  EXPECT_EQ(settings.max_non_split_rounding, 32_MiB);
  EXPECT_EQ(settings.garbage_collection_threshold, 0.6);
  EXPECT_TRUE(settings.expandable_segments);
  EXPECT_EQ(settings.pinned_num_register_threads, 8U);
  EXPECT_EQ(settings.pinned_reserve_segment_size, 4_MiB);
  EXPECT_EQ(settings.per_process_memory_fraction, 0.5);
}

TEST(Settings, DivisionTableFillsBelowTheFirstAndAfterTheLast) {
  const auto table = parse_settings("roundup_power2_divisions:[64:8,256:4,>:2]").roundup_power2_divisions;
  const std::array<std::uint64_t, 16> expected{8, 8, 8, 8, 8, 8, 8, 0, 4, 2, 2, 2, 2, 2, 2, 2};
  EXPECT_EQ(table, expected);
}

/// 2^15 MiB is the last entry of the table, and stands for all that is larger.
TEST(Settings, DivisionTableEndsWithTheLargestInterval) {
  for (const char* interval : {"32768", "65536", "1048576"}) {
    const auto table =
        parse_settings(fmt::format("roundup_power2_divisions:[{}:4,>:2]", interval)).roundup_power2_divisions;
    const std::array<std::uint64_t, 16> expected{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    EXPECT_EQ(table, expected) << interval;
  }
  const auto table = parse_settings("roundup_power2_divisions:[16384:4,>:2]").roundup_power2_divisions;
  EXPECT_EQ(table[14], 4U);
  EXPECT_EQ(table[15], 2U);
}

TEST(Settings, AParseResetsSomeOptionsAndKeepsOthers) {
  const AllocatorSettings first = parse_settings(
      "max_split_size_mb:64,roundup_power2_divisions:4,expandable_segments:True,large_segment_size_mb:30");
  const AllocatorSettings second = parse_settings("garbage_collection_threshold:0.5", first);
  EXPECT_EQ(second.max_split_size, AllocatorSettings::unlimited);
  EXPECT_EQ(second.roundup_power2_divisions, AllocatorSettings{}.roundup_power2_divisions);
  EXPECT_TRUE(second.expandable_segments);
  EXPECT_EQ(second.large_segment_size, 30_MiB);
  EXPECT_EQ(second.max_non_split_rounding, 30_MiB);
  EXPECT_EQ(second.text, "garbage_collection_threshold:0.5");
}

}  // namespace
}  // namespace gpucheck::runtime
