#include "device/sim/tests/oracle/oracle.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <utility>

#include "device/sim/tests/oracle/run.hpp"

// The race detector against a brute-force oracle, over random programs of every operation
// that orders or touches memory.
namespace gpucheck::sim::oracle {
namespace {

#ifdef GPUCHECK_TEST_SANITIZED  // which takes twenty times as long
constexpr std::uint64_t program_count = 10'000;
#else
constexpr std::uint64_t program_count = 100'000;
#endif

struct Difference {
  std::vector<Conflict> missed;
  std::vector<Conflict> invented;
  bool is_incomplete = false;
  [[nodiscard]] bool any() const { return !missed.empty() || !invented.empty() || is_incomplete; }
};

/// Which operations dispute something must be the same; of two that touch patterns, what is
/// reported must be something that they dispute.
void compare_patterns(const Judgement& expected, const std::vector<Conflict>& reported, Difference& difference) {
  std::set<std::pair<Conflict::Party, Conflict::Party>> pairs;
  for (const Conflict& conflict : reported) {
    pairs.emplace(conflict.one, conflict.other);
    const auto disputed = expected.disputed.find({conflict.one, conflict.other});
    bool is_disputed = disputed != expected.disputed.end() && conflict.bytes > 0;
    for (std::uint64_t i = 0; is_disputed && i < conflict.bytes; ++i) {
      is_disputed = disputed->second.contains(conflict.address + i);
    }
    if (!is_disputed) difference.invented.push_back(conflict);
  }
  std::ranges::copy_if(expected.conflicts, std::back_inserter(difference.missed), [&](const Conflict& conflict) {
    return !pairs.contains({conflict.one, conflict.other});
  });
}

Difference compare(const Run& made) {
  const Judgement expected = judge(made.trace);
  Difference difference{.missed = {}, .invented = {}, .is_incomplete = expected.is_incomplete};
  if (expected.has_patterns) {
    compare_patterns(expected, made.reported, difference);
    return difference;
  }
  std::ranges::set_difference(expected.conflicts, made.reported, std::back_inserter(difference.missed));
  std::ranges::set_difference(made.reported, expected.conflicts, std::back_inserter(difference.invented));
  return difference;
}

Difference compare(const Program& program) {
  const auto made = run(program);
  return made ? compare(*made) : Difference{};
}

/// The program without whatever the difference does not need.
Program shrunk(Program program) {
  for (std::size_t i = program.steps.size(); i-- > 0;) {
    Program without = program;
    without.steps.erase(without.steps.begin() + static_cast<std::ptrdiff_t>(i));
    if (compare(without).any()) program = std::move(without);
  }
  return program;
}

std::string to_text(const std::vector<Conflict>& conflicts, std::string_view what) {
  std::string text;
  for (const Conflict& conflict : conflicts) {
    text += fmt::format("  {}: \"{}\" on stream {:#x} and \"{}\" on stream {:#x}, {} bytes at {:#x}\n", what,
                        conflict.one.first, conflict.one.second, conflict.other.first, conflict.other.second,
                        conflict.bytes, conflict.address);
  }
  return text;
}

std::string explain(const Program& program) {
  const Program small = shrunk(program);
  const Difference difference = compare(small);
  return fmt::format("{}{}{}{}", to_text(small), to_text(difference.missed, "not reported"),
                     to_text(difference.invented, "reported, and no race"),
                     difference.is_incomplete ? "  the last writer and readers are not enough\n" : "");
}

void expect_agreement(Touches touches, std::uint64_t programs) {
  std::uint64_t racy = 0;
  std::uint64_t clean = 0;
  std::uint64_t unclear = 0;
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    const Program program = draw_program(seed, touches);
    const auto made = run(program);
    if (!made) {
      ++unclear;
      continue;
    }
    ASSERT_FALSE(compare(*made).any()) << explain(program);
    ++(made->reported.empty() ? clean : racy);
  }
  // Neither side of the question may be a rarity.
  EXPECT_GT(racy, programs / 4);
  EXPECT_GT(clean, programs / 4);
  EXPECT_LT(unclear, programs / 100);
}

TEST(RaceOracle, AgreesWithTheDetectorOnRandomPrograms) { expect_agreement(Touches::stretches, program_count); }

TEST(RaceOracle, AgreesWithTheDetectorOnRandomProgramsWhoseAccessesHaveGaps) {
  expect_agreement(Touches::patterns, program_count / 2);
}

}  // namespace
}  // namespace gpucheck::sim::oracle
