#include <algorithm>
#include <gtest/gtest.h>
#include <ostream>
#include <set>
#include <string>

#include "device/sim/tests/racy_programs.hpp"
#include "device/tests/kernels/block_probes.hpp"

namespace gpucheck::sim {

void PrintTo(const RacyProgram& program, std::ostream* out) { *out << program.name; }

namespace {

constexpr std::uint64_t seeds = 100;

class RacyPrograms : public testing::TestWithParam<RacyProgram> {};

TEST_P(RacyPrograms, AreReportedWithBothOperationsUnderEverySeed) {
  const RacyProgram& program = GetParam();
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Fixture fixture(seed, program.device_count);
    program.run(fixture, false);
    // Who touches memory that is not there (any more) is stopped as well as reported.
    static_cast<void>(fixture.device().synchronize());
    const auto races = fixture.driver().races();
    ASSERT_EQ(races.size(), 1U) << "seed " << seed;
    const bool both = (races[0].earlier == program.one && races[0].later == program.other) ||
                      (races[0].earlier == program.other && races[0].later == program.one);
    EXPECT_TRUE(both) << races[0].description;
    EXPECT_NE(races[0].description.find(program.one), std::string::npos) << races[0].description;
    EXPECT_NE(races[0].description.find(program.other), std::string::npos) << races[0].description;
    EXPECT_GT(races[0].bytes, 0U);
    EXPECT_TRUE(fixture.driver().notices_races());
  }
}

TEST_P(RacyPrograms, AreCleanOnceOrderedUnderEverySeed) {
  const RacyProgram& program = GetParam();
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Fixture fixture(seed, program.device_count);
    program.run(fixture, true);
    check(fixture.device().synchronize(), "synchronize");
    for (const Race& race : fixture.driver().races()) ADD_FAILURE() << "seed " << seed << ": " << race.description;
  }
}

INSTANTIATE_TEST_SUITE_P(Sim, RacyPrograms, testing::ValuesIn(racy_programs().begin(), racy_programs().end()),
                         [](const auto& program) { return std::string(program.param.name); });

TEST(Races, AreFoundBetweenBlockKernels) {
  for (const bool ordered : {false, true}) {
    const Fixture fixture;
    const auto a = fixture.stream();
    const auto b = fixture.stream();
    auto* const memory = fixture.memory<std::uint64_t>(100);
    const device::BlockShape shape{.threads = 32, .shared_bytes = 256};
    fixture.run(device::kernels::RotateInBlocks{memory}, 100, shape, a);
    if (ordered) fixture.order(a, b);
    fixture.run(device::kernels::CountFrom{1, memory + 98}, 100, shape, b);
    const auto races = fixture.driver().races();
    ASSERT_EQ(races.size(), ordered ? 0U : 1U);
    if (ordered) continue;
    const std::set<std::string> both{races[0].earlier, races[0].later};
    EXPECT_EQ(both, (std::set<std::string>{"count_from", "rotate_in_blocks"}));
    EXPECT_EQ(races[0].bytes, 16U);
  }
}

TEST(Races, APairIsReportedOnceHoweverManyBytesItShares) {
  Fixture fixture;
  const auto a = fixture.stream();
  const auto b = fixture.stream();
  std::int32_t* shared = fixture.memory(100);
  for (std::size_t piece = 0; piece < 10; ++piece) fixture.fill(shared + piece * 10, 0, 10, b);
  fixture.synchronize(b);
  fixture.iota(shared, 100, a);
  fixture.fill(shared, 1, 100, b);
  EXPECT_EQ(fixture.driver().races().size(), 1U);
}

TEST(Races, EachFurtherUnorderedPairIsReported) {
  Fixture fixture;
  const auto a = fixture.stream();
  const auto b = fixture.stream();
  std::int32_t* shared = fixture.memory(100);
  fixture.iota(shared, 100, a);
  fixture.add(shared, fixture.memory(100), 100, b);
  fixture.add(shared, fixture.memory(100), 100, b);
  EXPECT_EQ(fixture.driver().races().size(), 2U);
}

TEST(Races, ReadersDoNotConflict) {
  Fixture fixture;
  const auto a = fixture.stream();
  const auto b = fixture.stream();
  const std::int32_t* shared = fixture.memory(100);
  fixture.add(shared, fixture.memory(100), 100, a);
  fixture.add(shared, fixture.memory(100), 100, b);
  EXPECT_TRUE(fixture.driver().races().empty());
}

TEST(Races, NeighboursDoNotConflict) {
  Fixture fixture;
  const auto a = fixture.stream();
  const auto b = fixture.stream();
  std::int32_t* shared = fixture.memory(100);
  fixture.iota(shared, 50, a);
  fixture.iota(shared + 50, 50, b);
  EXPECT_TRUE(fixture.driver().races().empty());
}

TEST(Races, TheOverlapIsNamed) {
  Fixture fixture;
  const auto a = fixture.stream();
  const auto b = fixture.stream();
  std::int32_t* shared = fixture.memory(100);
  fixture.iota(shared, 60, a);
  fixture.iota(shared + 50, 50, b);
  ASSERT_EQ(fixture.driver().races().size(), 1U);
  EXPECT_EQ(fixture.driver().races()[0].address, shared + 50);
  EXPECT_EQ(fixture.driver().races()[0].bytes, 10 * sizeof(std::int32_t));
}

// read on a, read on b, write on b: the reader on a is not forgotten for the one on b.
TEST(Races, NameTheOperationThatFinishesFirstAsTheEarlierOne) {
  for (const bool first_is_slow : {false, true}) {
    const Fixture fixture;
    const auto a = fixture.stream();
    const auto b = fixture.stream();
    auto* const shared = fixture.memory(100);
    fixture.run(device::kernels::Spin{1'000'000}, 1, first_is_slow ? a : b);
    fixture.iota(shared, 100, a);
    fixture.fill(shared, 1, 100, b);
    const auto races = fixture.driver().races();
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0].earlier, first_is_slow ? "fill" : "iota");
    EXPECT_EQ(races[0].later, first_is_slow ? "iota" : "fill");
    EXPECT_EQ(races[0].earlier_stream, first_is_slow ? b : a);
    EXPECT_EQ(races[0].later_stream, first_is_slow ? a : b);
    EXPECT_EQ(races[0].description.find(races[0].earlier), 1U) << races[0].description;
  }
}

TEST(Races, AWriteIsJudgedAgainstEveryReader) {
  Fixture fixture;
  const auto a = fixture.stream();
  const auto b = fixture.stream();
  std::int32_t* shared = fixture.memory(100);
  fixture.add(shared, fixture.memory(100), 100, a);
  fixture.add(shared, fixture.memory(100), 100, b);
  fixture.fill(shared, 1, 100, b);
  ASSERT_EQ(fixture.driver().races().size(), 1U);
  EXPECT_EQ(fixture.driver().races()[0].earlier_stream == a, fixture.driver().races()[0].earlier == "add_scalar");
}

// The default stream that was asked, or whose blocking stream was destroyed, has done nothing
// yet that blocking streams would have to come after.
TEST(Races, AskingTheDefaultStreamOrdersNothing) {
  Fixture fixture;
  const auto a = fixture.stream(device::StreamKind::blocking);
  const auto b = fixture.stream(device::StreamKind::blocking);
  fixture.iota(fixture.memory(1), 1, device::legacy_default_stream);
  std::int32_t* shared = fixture.memory(100);
  fixture.iota(shared, 100, a);
  EXPECT_EQ(fixture.device().query(device::legacy_default_stream), device::Status::not_ready);
  fixture.fill(shared, 1, 100, b);
  EXPECT_EQ(fixture.driver().races().size(), 1U);
}

TEST(Races, DestroyingABlockingStreamOrdersNothing) {
  Fixture fixture;
  const auto a = fixture.stream(device::StreamKind::blocking);
  const auto b = fixture.stream(device::StreamKind::blocking);
  fixture.iota(fixture.memory(1), 1, device::legacy_default_stream);
  std::int32_t* shared = fixture.memory(100);
  fixture.iota(shared, 100, a);
  check(fixture.device().destroy_stream(a), "destroy_stream");
  fixture.fill(shared, 1, 100, b);
  EXPECT_EQ(fixture.driver().races().size(), 1U);
}

// The work of a destroyed stream, too, is what the default stream waits for.
TEST(Races, TheDefaultStreamComesAfterADestroyedBlockingStream) {
  Fixture fixture;
  const auto a = fixture.stream(device::StreamKind::blocking);
  std::int32_t* shared = fixture.memory(100);
  fixture.iota(shared, 100, a);
  check(fixture.device().destroy_stream(a), "destroy_stream");
  fixture.fill(shared, 1, 100, device::legacy_default_stream);
  EXPECT_TRUE(fixture.driver().races().empty());
}

TEST(Races, TheOverlapIsNamedAsAWholeHoweverOthersCutIt) {
  Fixture fixture;
  const auto a = fixture.stream();
  const auto b = fixture.stream();
  std::int32_t* shared = fixture.memory(100);
  fixture.iota(shared, 100, a);
  fixture.add(shared + 30, fixture.memory(10), 10, a);
  fixture.fill(shared + 20, 1, 60, b);
  ASSERT_EQ(fixture.driver().races().size(), 2U);
  EXPECT_EQ(fixture.driver().races()[0].address, shared + 20);
  EXPECT_EQ(fixture.driver().races()[0].bytes, 60 * sizeof(std::int32_t));
}

TEST(Races, WhatTheHostDoesComesBeforeWhatIsEnqueuedLater) {
  Fixture fixture;
  const auto a = fixture.stream();
  std::int32_t* mapped = fixture.pinned(100);
  check(fixture.device().host_access(device::writes(mapped, 400)), "host_access");
  fixture.add(mapped, fixture.memory(100), 100, a);
  fixture.iota(fixture.pinned(100), 100, fixture.stream());
  EXPECT_TRUE(fixture.driver().races().empty());
}

TEST(Races, OfTheHostNameNoStream) {
  Fixture fixture;
  const auto a = fixture.stream();
  std::int32_t* mapped = fixture.pinned(100);
  fixture.iota(mapped, 100, a);
  check(fixture.device().host_access(device::updates(mapped, 400)), "host_access");
  ASSERT_EQ(fixture.driver().races().size(), 1U);
  EXPECT_NE(fixture.driver().races()[0].description.find("\"host write\" by the host"), std::string::npos)
      << fixture.driver().races()[0].description;
}

TEST(Races, OrderGoesThroughThirdParties) {
  Fixture fixture;
  const auto a = fixture.stream();
  const auto b = fixture.stream();
  const auto c = fixture.stream();
  std::int32_t* shared = fixture.memory(100);
  fixture.iota(shared, 100, a);
  fixture.order(a, b);
  fixture.order(b, c);
  fixture.fill(shared, 1, 100, c);
  EXPECT_TRUE(fixture.driver().races().empty());
}

TEST(Races, LaunchesOfOneExecutableFollowEachOther) {
  Fixture fixture;
  const auto a = fixture.stream();
  const auto b = fixture.stream();
  std::int32_t* shared = fixture.memory(100);
  const auto executable = fixture.captured(a, [&] { fixture.iota(shared, 100, a); });
  check(fixture.device().launch(executable, a), "launch");
  check(fixture.device().launch(executable, b), "launch");
  EXPECT_TRUE(fixture.driver().races().empty());
}

TEST(Races, AJoinInAGraphComesAfterEveryBranch) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Fixture fixture(seed);
    const auto a = fixture.stream();
    const auto b = fixture.stream();
    std::int32_t* of_a = fixture.pinned(1);
    std::int32_t* of_b = fixture.pinned(1);
    const auto executable = fixture.captured(a, [&] {
      fixture.order(a, b);
      fixture.fill(of_a, 1, 1, a);
      fixture.fill(of_b, 10, 1, b);
      fixture.order(b, a);
      fixture.add(of_a, of_a, 1, a);
      fixture.add(of_b, of_b, 1, a);
    });
    check(fixture.device().launch(executable, a), "launch");
    fixture.synchronize(a);
    ASSERT_EQ(*of_a + *of_b, 13) << "seed " << seed;
    ASSERT_TRUE(fixture.driver().races().empty()) << fixture.driver().races()[0].description;
  }
}

TEST(Races, PlainFreeWaitsForTheDevice) {
  Fixture fixture;
  const auto a = fixture.stream();
  std::int32_t* block = fixture.memory(100);
  fixture.iota(block, 100, a);
  check(fixture.device().free(block), "free");
  EXPECT_TRUE(fixture.driver().races().empty());
}

TEST(Races, NewMemoryAtAnOldAddressHasNoPast) {
  Fixture fixture;
  const auto a = fixture.stream();
  const auto b = fixture.stream();
  std::int32_t* block = fixture.memory(100);
  fixture.iota(block, 100, a);
  check(fixture.device().free(block), "free");
  std::int32_t* again = fixture.memory(100);
  ASSERT_EQ(again, block);
  fixture.iota(again, 100, b);
  EXPECT_TRUE(fixture.driver().races().empty());
}

// A pool may hand a block to another stream; it then orders the two itself.
TEST(Races, ThePoolOrdersItsOwnReuse) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Fixture fixture(seed);
    const device::Stream streams[] = {fixture.stream(), fixture.stream(), fixture.stream()};
    for (std::size_t round = 0; round < 60; ++round) {
      const auto stream = streams[(seed + round) % std::size(streams)];
      const std::size_t count = 1'000'000 * (1 + (seed + round * 7) % 5);
      auto* block =
          static_cast<std::int32_t*>(fixture.device().allocate_async(count * sizeof(std::int32_t), stream).value());
      fixture.iota(block, 100, stream);
      check(fixture.device().free_async(block, stream), "free_async");
    }
    check(fixture.device().synchronize(), "synchronize");
    ASSERT_TRUE(fixture.driver().races().empty()) << fixture.driver().races()[0].description;
  }
}

// With nothing else left, a pool makes an allocation wait for a free that is still to come.
TEST(Races, ThePoolWaitsForAFreeOfAnotherStream) {
  Fixture fixture;
  const auto a = fixture.stream();
  const auto b = fixture.stream();
  constexpr std::size_t most = std::size_t{200} << 20;
  constexpr std::uint64_t spin_ns = 10'000'000;
  auto* first = static_cast<std::int32_t*>(fixture.device().allocate_async(most, a).value());
  fixture.run(device::kernels::Spin{spin_ns}, 1, a);
  fixture.iota(first, 100, a);
  check(fixture.device().free_async(first, a), "free_async");
  const std::uint64_t before = fixture.driver().now_ns();
  auto* second = static_cast<std::int32_t*>(fixture.device().allocate_async(most, b).value());
  EXPECT_EQ(second, first);
  fixture.iota(second, 100, b);
  fixture.synchronize(b);
  EXPECT_GE(fixture.driver().now_ns() - before, spin_ns / 2);
  EXPECT_TRUE(fixture.driver().races().empty());
}

}  // namespace
}  // namespace gpucheck::sim
