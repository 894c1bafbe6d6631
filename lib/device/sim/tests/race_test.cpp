#include <algorithm>
#include <gtest/gtest.h>
#include <ostream>
#include <set>
#include <string>

#include "device/kernels/block_probes.hpp"
#include "device/sim/tests/racy_programs.hpp"

namespace gpucheck::sim {

void PrintTo(const RacyProgram& program, std::ostream* out) { *out << program.name; }

namespace {

constexpr std::uint64_t seeds = 100;

class RacyPrograms : public testing::TestWithParam<RacyProgram> {};

TEST_P(RacyPrograms, AreReportedWithBothOperationsUnderEverySeed) {
  const RacyProgram& program = GetParam();
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Lab lab(seed, program.device_count);
    program.run(lab, false);
    // Who touches memory that is not there (any more) is stopped as well as reported.
    static_cast<void>(lab.device().synchronize());
    const auto races = lab.driver().races();
    ASSERT_EQ(races.size(), 1U) << "seed " << seed;
    const bool both = (races[0].earlier == program.one && races[0].later == program.other) ||
                      (races[0].earlier == program.other && races[0].later == program.one);
    EXPECT_TRUE(both) << races[0].description;
    EXPECT_NE(races[0].description.find(program.one), std::string::npos) << races[0].description;
    EXPECT_NE(races[0].description.find(program.other == "host write" ? "the host changed" : program.other),
              std::string::npos)
        << races[0].description;
    EXPECT_GT(races[0].bytes, 0U);
    EXPECT_EQ(lab.driver().hazards().size(), 1U);
  }
}

TEST_P(RacyPrograms, AreCleanOnceOrderedUnderEverySeed) {
  const RacyProgram& program = GetParam();
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Lab lab(seed, program.device_count);
    program.run(lab, true);
    check(lab.device().synchronize(), "synchronize");
    for (const Race& race : lab.driver().races()) ADD_FAILURE() << "seed " << seed << ": " << race.description;
  }
}

INSTANTIATE_TEST_SUITE_P(Sim, RacyPrograms, testing::ValuesIn(racy_programs().begin(), racy_programs().end()),
                         [](const auto& program) { return std::string(program.param.name); });

TEST(Races, AreFoundBetweenBlockKernels) {
  for (const bool ordered : {false, true}) {
    const Lab lab;
    const auto a = lab.stream();
    const auto b = lab.stream();
    auto* const memory = lab.memory<std::uint64_t>(100);
    const device::BlockShape shape{.threads = 32, .shared_bytes = 256};
    lab.run(device::kernels::RotateInBlocks{memory}, 100, shape, a);
    if (ordered) lab.order(a, b);
    lab.run(device::kernels::CountFrom{1, memory + 98}, 100, shape, b);
    const auto races = lab.driver().races();
    ASSERT_EQ(races.size(), ordered ? 0U : 1U);
    if (ordered) continue;
    const std::set<std::string> both{races[0].earlier, races[0].later};
    EXPECT_EQ(both, (std::set<std::string>{"count_from", "rotate_in_blocks"}));
    EXPECT_EQ(races[0].bytes, 16U);
  }
}

TEST(Races, APairIsReportedOnceHoweverManyBytesItShares) {
  Lab lab;
  const auto a = lab.stream();
  const auto b = lab.stream();
  std::int32_t* shared = lab.memory(100);
  for (std::size_t piece = 0; piece < 10; ++piece) lab.fill(shared + piece * 10, 0, 10, b);
  lab.synchronize(b);
  lab.iota(shared, 100, a);
  lab.fill(shared, 1, 100, b);
  EXPECT_EQ(lab.driver().races().size(), 1U);
}

TEST(Races, EachFurtherUnorderedPairIsReported) {
  Lab lab;
  const auto a = lab.stream();
  const auto b = lab.stream();
  std::int32_t* shared = lab.memory(100);
  lab.iota(shared, 100, a);
  lab.add(shared, lab.memory(100), 100, b);
  lab.add(shared, lab.memory(100), 100, b);
  EXPECT_EQ(lab.driver().races().size(), 2U);
}

TEST(Races, ReadersDoNotConflict) {
  Lab lab;
  const auto a = lab.stream();
  const auto b = lab.stream();
  const std::int32_t* shared = lab.memory(100);
  lab.add(shared, lab.memory(100), 100, a);
  lab.add(shared, lab.memory(100), 100, b);
  EXPECT_TRUE(lab.driver().races().empty());
}

TEST(Races, NeighboursDoNotConflict) {
  Lab lab;
  const auto a = lab.stream();
  const auto b = lab.stream();
  std::int32_t* shared = lab.memory(100);
  lab.iota(shared, 50, a);
  lab.iota(shared + 50, 50, b);
  EXPECT_TRUE(lab.driver().races().empty());
}

TEST(Races, TheOverlapIsNamed) {
  Lab lab;
  const auto a = lab.stream();
  const auto b = lab.stream();
  std::int32_t* shared = lab.memory(100);
  lab.iota(shared, 60, a);
  lab.iota(shared + 50, 50, b);
  ASSERT_EQ(lab.driver().races().size(), 1U);
  EXPECT_EQ(lab.driver().races()[0].address, shared + 50);
  EXPECT_EQ(lab.driver().races()[0].bytes, 10 * sizeof(std::int32_t));
}

TEST(Races, OrderGoesThroughThirdParties) {
  Lab lab;
  const auto a = lab.stream();
  const auto b = lab.stream();
  const auto c = lab.stream();
  std::int32_t* shared = lab.memory(100);
  lab.iota(shared, 100, a);
  lab.order(a, b);
  lab.order(b, c);
  lab.fill(shared, 1, 100, c);
  EXPECT_TRUE(lab.driver().races().empty());
}

TEST(Races, LaunchesOfOneExecutableFollowEachOther) {
  Lab lab;
  const auto a = lab.stream();
  const auto b = lab.stream();
  std::int32_t* shared = lab.memory(100);
  const auto executable = lab.captured(a, [&] { lab.iota(shared, 100, a); });
  check(lab.device().launch(executable, a), "launch");
  check(lab.device().launch(executable, b), "launch");
  EXPECT_TRUE(lab.driver().races().empty());
}

TEST(Races, AJoinInAGraphComesAfterEveryBranch) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Lab lab(seed);
    const auto a = lab.stream();
    const auto b = lab.stream();
    std::int32_t* of_a = lab.pinned(1);
    std::int32_t* of_b = lab.pinned(1);
    const auto executable = lab.captured(a, [&] {
      lab.order(a, b);
      lab.fill(of_a, 1, 1, a);
      lab.fill(of_b, 10, 1, b);
      lab.order(b, a);
      lab.add(of_a, of_a, 1, a);
      lab.add(of_b, of_b, 1, a);
    });
    check(lab.device().launch(executable, a), "launch");
    lab.synchronize(a);
    ASSERT_EQ(*of_a + *of_b, 13) << "seed " << seed;
    ASSERT_TRUE(lab.driver().races().empty()) << lab.driver().hazards()[0];
  }
}

TEST(Races, PlainFreeWaitsForTheDevice) {
  Lab lab;
  const auto a = lab.stream();
  std::int32_t* block = lab.memory(100);
  lab.iota(block, 100, a);
  check(lab.device().free(block), "free");
  EXPECT_TRUE(lab.driver().races().empty());
}

TEST(Races, NewMemoryAtAnOldAddressHasNoPast) {
  Lab lab;
  const auto a = lab.stream();
  const auto b = lab.stream();
  std::int32_t* block = lab.memory(100);
  lab.iota(block, 100, a);
  check(lab.device().free(block), "free");
  std::int32_t* again = lab.memory(100);
  ASSERT_EQ(again, block);
  lab.iota(again, 100, b);
  EXPECT_TRUE(lab.driver().races().empty());
}

// A pool may hand a block to another stream; it then orders the two itself.
TEST(Races, ThePoolOrdersItsOwnReuse) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Lab lab(seed);
    const device::Stream streams[] = {lab.stream(), lab.stream(), lab.stream()};
    for (std::size_t round = 0; round < 60; ++round) {
      const auto stream = streams[(seed + round) % std::size(streams)];
      const std::size_t count = 1'000'000 * (1 + (seed + round * 7) % 5);
      auto* block =
          static_cast<std::int32_t*>(lab.device().allocate_async(count * sizeof(std::int32_t), stream).value());
      lab.iota(block, 100, stream);
      check(lab.device().free_async(block, stream), "free_async");
    }
    check(lab.device().synchronize(), "synchronize");
    ASSERT_TRUE(lab.driver().races().empty()) << lab.driver().hazards()[0];
  }
}

// With nothing else left, a pool makes an allocation wait for a free that is still to come.
TEST(Races, ThePoolWaitsForAFreeOfAnotherStream) {
  Lab lab;
  const auto a = lab.stream();
  const auto b = lab.stream();
  constexpr std::size_t most = std::size_t{200} << 20;
  constexpr std::uint64_t spin_ns = 10'000'000;
  auto* first = static_cast<std::int32_t*>(lab.device().allocate_async(most, a).value());
  lab.run(device::kernels::Spin{spin_ns}, 1, a);
  lab.iota(first, 100, a);
  check(lab.device().free_async(first, a), "free_async");
  const std::uint64_t before = lab.driver().now_ns();
  auto* second = static_cast<std::int32_t*>(lab.device().allocate_async(most, b).value());
  EXPECT_EQ(second, first);
  lab.iota(second, 100, b);
  lab.synchronize(b);
  EXPECT_GE(lab.driver().now_ns() - before, spin_ns / 2);
  EXPECT_TRUE(lab.driver().races().empty());
}

}  // namespace
}  // namespace gpucheck::sim
