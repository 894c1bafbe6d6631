#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <numeric>

#include "base/splitmix.hpp"
#include "base/text/units.hpp"
#include "cases/shared/passes_support.hpp"
#include "cases/tests/run_case.hpp"
#include "device/fault/common_plans.hpp"

// Which words the memory tests write, and how they name wrong ones: a bit of the first word flips after each time
// that a pattern is written.
namespace gpucheck::cases::test_of_memory_patterns {
namespace {

using namespace literals;
using Words = std::vector<std::uint64_t>;

constexpr std::int64_t tested_bytes = 65536;

/// A moving inversion is three kernels, of which the first writes the pattern.
fault::Plan each_pattern_flips(std::uint64_t patterns, fault::Place place) {
  fault::Plan plan;
  for (std::uint64_t i = 0; i < patterns; ++i) {
    plan.rules.push_back(fault::kernel_flips_bit(fault::nth_call(3 * i + 1), place).rules.front());
  }
  return plan;
}

std::uint64_t word_after(const std::string& text, const std::string& mark) {
  return std::stoull(text.substr(text.find(mark) + mark.size()), nullptr, 16);
}

/// What was expected of the first word under each pattern.
Words first_words(const std::string& name, std::uint64_t patterns) {
  const Seen seen = run_case(case_named(name), {.parameters = {{"bytes", tested_bytes}},
                                                .plan = each_pattern_flips(patterns, {fault::Place::From::start, 0})});
  EXPECT_TRUE(seen.is_completed()) << seen.execution.reason;
  EXPECT_EQ(seen.number("mismatches"), static_cast<std::int64_t>(patterns)) << name;
  EXPECT_EQ(seen.number("passes"), static_cast<std::int64_t>(2 * patterns)) << name;
  Words words;
  for (const std::string& text : seen.texts("first_mismatches")) {
    words.push_back(word_after(text, "expected "));
    EXPECT_EQ(std::popcount(words.back() ^ word_after(text, "seen ")), 1) << text;
    EXPECT_EQ(words.back() ^ word_after(text, "seen "), word_after(text, "differs in ")) << text;
    EXPECT_TRUE(text.starts_with("offset 0x0, ")) << text;
    // The first of two comparing passes of each pattern.
    EXPECT_NE(text.find("pass " + std::to_string(2 * words.size() - 1) + ", "), std::string::npos) << text;
  }
  return words;
}

Words sorted(Words words) {
  std::ranges::sort(words);
  return words;
}

TEST(MemoryPatterns, AreThoseOfTheirCase) {
  EXPECT_EQ(first_words("memtest.moving_inversions_fixed", 2), (Words{0, ~std::uint64_t{0}}));
  Words bytes;
  for (unsigned bit = 0; bit < 8; ++bit) bytes.push_back(std::uint64_t{0x0101010101010101} << bit);
  EXPECT_EQ(first_words("memtest.moving_inversions_8bit", 8), bytes);
  Words walking;
  for (unsigned bit = 0; bit < 64; ++bit) walking.push_back(std::uint64_t{1} << bit);
  EXPECT_EQ(sorted(first_words("memtest.walking_bits", 64)), walking);
}

/// One bit in each half, the upper one a place further.
TEST(MemoryPatterns, OfHalfWordsHaveOneBitInEach) {
  Words halves;
  for (unsigned bit = 0; bit < 32; ++bit) {
    halves.push_back(std::uint64_t{1} << ((bit + 1) % 32 + 32) | std::uint64_t{1} << bit);
  }
  EXPECT_EQ(sorted(first_words("memtest.moving_inversions_32bit", 32)), sorted(halves));
}

/// The seed of these runs is 1.
TEST(MemoryPatterns, OfRandomWordsAreThoseOfTheSeed) {
  Words random;
  for (std::uint64_t n = 0; n < 8; ++n) random.push_back(splitmix(1 + n));
  EXPECT_EQ(first_words("memtest.moving_inversions_random", 8), random);
  const Words words = sorted(first_words("memtest.random_sequence", 4));
  EXPECT_EQ(std::ranges::adjacent_find(words), words.end()) << "each another";
}

TEST(MemoryPatterns, OfEveryTwentiethWordHaveItInEachPlaceOnce) {
  const Words words = first_words("memtest.modulo_20", 20);
  const std::uint64_t word = splitmix(1);
  EXPECT_EQ(std::ranges::count(words, word), 1);
  EXPECT_EQ(std::ranges::count(words, ~word), 19);
}

TEST(MemoryTests, TellWhereAndWhichBitsWereWrong) {
  const Seen seen = run_case(case_named("memtest.own_address"),
                             {.parameters = {{"bytes", tested_bytes}},
                              .plan = each_pattern_flips(1, {.from = fault::Place::From::end, .offset = 8})});
  const std::vector<std::string> texts = seen.texts("first_mismatches");
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_TRUE(texts[0].starts_with("offset 0xfff0, ")) << "the second last word: " << texts[0];
  EXPECT_EQ(word_after(texts[0], "address "), word_after(texts[0], "expected ")) << "which is its address";
  const std::vector<std::int64_t> flipped = seen.numbers("flipped_bits");
  ASSERT_EQ(flipped.size(), 64U);
  EXPECT_EQ(std::accumulate(flipped.begin(), flipped.end(), std::int64_t{0}), 1);
  EXPECT_EQ(flipped[static_cast<std::size_t>(std::countr_zero(word_after(texts[0], "differs in ")))], 1);
}

/// Two pieces of 4 and of 2 vectors of 16 bytes, far apart.
TEST(MemoryTests, CountOffsetsThroughAllPieces) {
  using device::kernels::TestedMemory;
  using device::kernels::TwoWords;
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<TwoWords*>(address); };
  const std::vector<TestedMemory> pieces{{.data = at(0x9000), .vectors = 4}, {.data = at(0x1000), .vectors = 2}};
  const auto text = [&pieces](std::uint64_t address, std::uint32_t multiprocessor) {
    return in_memtest::to_text({.address = address,
                                .expected = 0xF0,
                                .seen = 0xF1,
                                .seen_again = 0xF2,
                                .pass = 4,
                                .multiprocessor = multiprocessor},
                               pieces);
  };
  EXPECT_EQ(text(0x9038, 7),
            "offset 0x38, address 0x9038: expected 0x00000000000000f0, seen 0x00000000000000f1 (differs in 0x1), then "
            "0x00000000000000f2, pass 5, multiprocessor 7");
  EXPECT_TRUE(text(0x9000, 7).starts_with("offset 0x0, "));
  EXPECT_TRUE(text(0x1000, 7).starts_with("offset 0x40, "));
  EXPECT_TRUE(text(0x1018, 7).starts_with("offset 0x58, "));
  EXPECT_TRUE(text(0x1020, 7).starts_with("offset 0x60, ")) << "an address of none of them";
  EXPECT_TRUE(text(0x9040, 7).starts_with("offset 0x60, "));
  EXPECT_TRUE(text(0x1000, device::kernels::Invocation::no_multiprocessor).ends_with("multiprocessor unknown"));
}

TEST(MemoryTests, OfMoreMismatchesThanAreRecordedTheFirstAreTold) {
  const Seen seen = run_case(case_named("memtest.own_address"),
                             {.parameters = {{"bytes", tested_bytes}}, .plan = fault::kernel_lost(fault::nth_call(1))});
  EXPECT_EQ(seen.number("mismatches"), tested_bytes / 8) << "nothing was written at first";
  EXPECT_EQ(seen.texts("first_mismatches").size(), 64U);
}

TEST(MemoryTests, TakeWholePagesUpwards) {
  const auto offered = [](std::int64_t bytes) {
    return run_case(case_named("memtest.own_address"), {.parameters = {{"bytes", bytes}}}).number("bytes_offered");
  };
  EXPECT_EQ(offered(4096), 4096);
  EXPECT_EQ(offered(4097), 8192);
  EXPECT_EQ(offered(0), 512 * 1024) << "on the simulated device";
}

/// The reserve of a small device is a fiftieth of what is free.
TEST(MemoryTests, OfAGpuTakeAlmostAllThatIsFree) {
  const Seen seen = run_case(case_named("memtest.own_address"), {.memory_bytes = 48_MiB, .as_gpu = true});
  ASSERT_TRUE(seen.is_completed()) << seen.execution.reason;
  EXPECT_GT(seen.number("bytes_offered"), std::int64_t{20_MiB}) << "of 48 MiB, of which 16 are in use";
  EXPECT_GT(seen.real("percent_tested"), 97);
  EXPECT_LE(seen.real("percent_tested"), 98);
  EXPECT_EQ(seen.number("mismatches"), 0);
}

TEST(MemoryStress, InvertsAsOftenAsAsked) {
  for (const std::int64_t inversions : {1, 2, 3}) {
    const Seen seen =
        run_case(case_named("memtest.stress"), {.parameters = {{"bytes", tested_bytes}, {"inversions", inversions}}});
    EXPECT_EQ(seen.number("passes"), inversions + 1);
    EXPECT_EQ(seen.number("mismatches"), 0) << inversions;
    EXPECT_EQ(seen.real("percent_tested"), 100);
  }
  EXPECT_EQ(run_case(case_named("memtest.stress"), {.parameters = {{"bytes", tested_bytes}}}).number("passes"), 9);
  const Seen on_gpu = run_case(case_named("memtest.stress"), {.parameters = {{"bytes", tested_bytes}}, .as_gpu = true});
  EXPECT_EQ(on_gpu.number("passes"), 61);
}

TEST(BitFade, HoldsEachOfBothPatternsAsLongAsAsked) {
  const auto faded = [](const fault::Plan& plan) {
    return run_case(case_named("memtest.bit_fade"),
                    {.parameters = {{"bytes", tested_bytes}, {"hold_seconds", 0.01}}, .plan = plan});
  };
  EXPECT_NEAR(faded({}).real("held_percent"), 106, 7);
  EXPECT_EQ(faded({}).number("passes"), 2);
  // Each pattern is written, held and compared by a kernel each.
  EXPECT_NEAR(faded(fault::kernel_lost(fault::nth_call(5))).real("held_percent"), 53, 4);
  const auto expected = [&faded](std::uint64_t call) {
    return word_after(faded(fault::kernel_flips_bit(fault::nth_call(call))).texts("first_mismatches").at(0),
                      "expected ");
  };
  EXPECT_EQ(expected(1), 0U);
  EXPECT_EQ(expected(4), ~std::uint64_t{0});
}

}  // namespace
}  // namespace gpucheck::cases::test_of_memory_patterns
