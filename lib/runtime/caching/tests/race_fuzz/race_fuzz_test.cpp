#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string_view>

#include "program.hpp"

// Random programs against the real allocator on the simulated device, which reports every
// access that nothing orders. GPUCHECK_FUZZ_SEEDS says how many seeds each variant runs
// (default 40), GPUCHECK_FUZZ_FIRST_SEED which is the first (default 1): a failing seed
// is run again by that and GPUCHECK_FUZZ_SEEDS=1.
namespace gpucheck::runtime::race_fuzz {
namespace {

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  if (value == nullptr) return otherwise;
  const std::string_view text(value);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument(fmt::format("{} is \"{}\", which is not a number", name, text));
  }
  return number;
}

std::vector<Variant> variants() {
  return {
      {.name = "plain"},
      {.name = "smallest_blocks", .largest_bytes = 4096, .max_live = 40, .streams = 3},
      {.name = "little_memory", .profile = "small", .largest_bytes = 40u << 20U, .max_live = 16},
      {.name = "memory_limit", .memory_fraction = 0.002, .largest_bytes = 40u << 20U, .max_live = 16},
      {.name = "garbage_collection",
       .settings = "garbage_collection_threshold:0.3",
       .memory_fraction = 0.003,
       .largest_bytes = 40u << 20U},
      {.name = "max_split_size", .profile = "small", .settings = "max_split_size_mb:20", .largest_bytes = 48u << 20U},
      {.name = "roundings", .settings = "roundup_power2_divisions:4"},
      {.name = "captures", .captures = true},
      {.name = "captures_that_reuse", .settings = "graph_capture_record_stream_reuse:True", .captures = true},
      {.name = "expandable_segments", .settings = "expandable_segments:True"},
      {.name = "expandable_segments_in_little_memory",
       .profile = "small",
       .settings = "expandable_segments:True",
       .largest_bytes = 40u << 20U,
       .max_live = 16},
      {.name = "captures_in_expandable_segments", .settings = "expandable_segments:True", .captures = true},
      {.name = "threads", .streams = 3, .threads = 3, .steps = 100},
      {.name = "threads_with_little_memory",
       .profile = "small",
       .largest_bytes = 40u << 20U,
       .max_live = 8,
       .streams = 2,
       .threads = 3,
       .steps = 100},
      {.name = "threads_with_the_lock_released",
       .profile = "small",
       .settings = "release_lock_on_cudamalloc:True",
       .largest_bytes = 40u << 20U,
       .max_live = 8,
       .streams = 2,
       .threads = 3,
       .steps = 100},
      {.name = "threads_with_expandable_segments",
       .profile = "small",
       .settings = "expandable_segments:True",
       .largest_bytes = 40u << 20U,
       .max_live = 8,
       .streams = 2,
       .threads = 3,
       .steps = 100},
  };
}

/// The shortest beginning of the program that fails, with everything it does. With
/// several threads no two runs are alike: then the whole seed is all that can be known.
std::string description(const Variant& variant, std::uint64_t seed, const Outcome& failed) {
  std::string text = fmt::format("seed {}: {}\n", seed, failed.failures.front());
  if (variant.threads > 1) return text;
  std::size_t steps = 1;
  while (steps < variant.steps && run_program(variant, seed, steps).failures.empty()) ++steps;
  const Outcome shortest = run_program(variant, seed, steps, true);
  text += fmt::format("The first {} steps fail:\n", steps);
  for (const std::string& line : shortest.log) text += "  " + line + "\n";
  for (const std::string& failure : shortest.failures) text += failure + "\n";
  return text;
}

void expect_what_the_variant_is_for(const Variant& variant, const Coverage& seen) {
  EXPECT_GT(seen.reads_verified, 0U);
  EXPECT_GT(seen.uses_on_other_streams, 0U);
  EXPECT_GT(seen.blocks_reused, 0U);
  EXPECT_GT(seen.frees_deferred, 0U);
  EXPECT_GT(seen.segments_freed, 0U);
  EXPECT_EQ(seen.blocks_passed_on > 0, variant.threads > 1);
  EXPECT_EQ(seen.captures > 0, variant.captures);
  EXPECT_EQ(seen.replays > 0, variant.captures);
  if (variant.profile == "small" || variant.memory_fraction < 1.0) {
    EXPECT_GT(seen.retries, 0U);
  }
}

/// Seen in the file that --gtest_output=xml:FILE asks for.
void report(const Coverage& seen) {
  testing::Test::RecordProperty("reads_verified", std::to_string(seen.reads_verified));
  testing::Test::RecordProperty("uses_on_other_streams", std::to_string(seen.uses_on_other_streams));
  testing::Test::RecordProperty("blocks_reused", std::to_string(seen.blocks_reused));
  testing::Test::RecordProperty("frees_deferred", std::to_string(seen.frees_deferred));
  testing::Test::RecordProperty("blocks_passed_on", std::to_string(seen.blocks_passed_on));
  testing::Test::RecordProperty("captures", std::to_string(seen.captures));
  testing::Test::RecordProperty("replays", std::to_string(seen.replays));
  testing::Test::RecordProperty("retries", std::to_string(seen.retries));
  testing::Test::RecordProperty("shortages", std::to_string(seen.shortages));
  testing::Test::RecordProperty("segments_freed", std::to_string(seen.segments_freed));
}

class RaceFuzz : public testing::TestWithParam<Variant> {};

TEST_P(RaceFuzz, NoProgramFindsARace) {
  const Variant& variant = GetParam();
  const std::uint64_t seeds = number_from_environment("GPUCHECK_FUZZ_SEEDS", 40);
  const std::uint64_t first = number_from_environment("GPUCHECK_FUZZ_FIRST_SEED", 1);
  Coverage coverage;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const Outcome outcome = run_program(variant, seed, variant.steps);
    coverage.add(outcome.coverage);
    if (!outcome.failures.empty()) FAIL() << description(variant, seed, outcome);
  }
  report(coverage);
  if (seeds >= 20) expect_what_the_variant_is_for(variant, coverage);
}

INSTANTIATE_TEST_SUITE_P(Variants, RaceFuzz, testing::ValuesIn(variants()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace gpucheck::runtime::race_fuzz
