#include "device/sim/tests/oracle/oracle.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

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

Difference compare(const Run& made) {
  const Judgement expected = judge(made.trace);
  Difference difference{.missed = {}, .invented = {}, .is_incomplete = expected.is_incomplete};
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

TEST(RaceOracle, AgreesWithTheDetectorOnRandomPrograms) {
  std::uint64_t racy = 0;
  std::uint64_t clean = 0;
  std::uint64_t unclear = 0;
  for (std::uint64_t seed = 0; seed < program_count; ++seed) {
    const Program program = draw_program(seed);
    const auto made = run(program);
    if (!made) {
      ++unclear;
      continue;
    }
    ASSERT_FALSE(compare(*made).any()) << explain(program);
    ++(made->reported.empty() ? clean : racy);
  }
  // Neither side of the question may be a rarity.
  EXPECT_GT(racy, program_count / 4);
  EXPECT_GT(clean, program_count / 4);
  EXPECT_LT(unclear, program_count / 100);
}

}  // namespace
}  // namespace gpucheck::sim::oracle
