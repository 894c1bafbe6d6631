#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "device/sim/tests/fixture.hpp"

namespace gpucheck::sim {
namespace {

/// Which of the unordered operations came last shows in the memory they share.
struct Trace {
  std::vector<std::int32_t> values;
  std::vector<std::uint64_t> clock;
  auto operator<=>(const Trace&) const = default;
};

Trace run(std::uint64_t seed) {
  constexpr std::size_t cells = 16;
  Fixture fixture(seed);
  const device::Stream streams[] = {fixture.stream(), fixture.stream(), fixture.stream()};
  std::int32_t* shared = fixture.memory(cells);
  std::int32_t* landing = fixture.pinned(cells);
  Trace trace;
  for (std::int32_t round = 0; round < 20; ++round) {
    for (std::size_t index = 0; index < cells; ++index) {
      fixture.fill(shared + index, round * 100 + static_cast<std::int32_t>(index % 3), 1, streams[(index + 1) % 3]);
      fixture.fill(shared + index, round * 100 + 50, 1, streams[index % 3]);
    }
    check(fixture.device().synchronize(), "synchronize");
    fixture.copy(landing, shared, cells * sizeof(std::int32_t), device::CopyKind::device_to_host, streams[0]);
    fixture.synchronize(streams[0]);
    trace.values.insert(trace.values.end(), landing, landing + cells);
    trace.clock.push_back(fixture.driver().now_ns());
  }
  return trace;
}

TEST(Determinism, TheSameSeedGivesTheSameValuesAndTheSameClock) {
  for (const std::uint64_t seed : {0U, 1U, 77U}) EXPECT_EQ(run(seed), run(seed)) << "seed " << seed;
}

TEST(Determinism, OtherSeedsGiveOtherInterleavings) {
  std::set<std::vector<std::int32_t>> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed) seen.insert(run(seed).values);
  EXPECT_EQ(seen.size(), 10U);
}

// Both orders of one unordered pair are legal, and both are found.
TEST(Determinism, EitherOfAnUnorderedPairMayComeLast) {
  std::set<std::int32_t> last;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Fixture fixture(seed);
    std::int32_t* shared = fixture.pinned(1);
    fixture.fill(shared, 1, 1, fixture.stream());
    fixture.fill(shared, 2, 1, fixture.stream());
    check(fixture.device().synchronize(), "synchronize");
    last.insert(*shared);
  }
  EXPECT_EQ(last, (std::set<std::int32_t>{1, 2}));
}

TEST(Determinism, BranchesOfAGraphInterleaveToo) {
  std::set<std::int32_t> last;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Fixture fixture(seed);
    const auto a = fixture.stream();
    const auto b = fixture.stream();
    std::int32_t* shared = fixture.pinned(1);
    const auto executable = fixture.captured(a, [&] {
      fixture.order(a, b);
      fixture.fill(shared, 1, 1, a);
      fixture.fill(shared, 2, 1, b);
      fixture.order(b, a);
    });
    check(fixture.device().launch(executable, a), "launch");
    fixture.synchronize(a);
    last.insert(*shared);
  }
  EXPECT_EQ(last, (std::set<std::int32_t>{1, 2}));
}

TEST(Determinism, OrderedWorkComesOutTheSameUnderEverySeed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Fixture fixture(seed);
    const auto a = fixture.stream();
    const auto b = fixture.stream();
    std::int32_t* values = fixture.pinned(64);
    fixture.iota(values, 64, a);
    fixture.order(a, b);
    fixture.add(values, values, 64, b);
    fixture.order(b, a);
    fixture.add(values, values, 64, a);
    fixture.synchronize(a);
    for (std::int32_t index = 0; index < 64; ++index) ASSERT_EQ(values[index], index + 2) << "seed " << seed;
  }
}

TEST(VirtualTime, NothingSleepsAndAWaitMovesTheClock) {
  Fixture fixture;
  const auto a = fixture.stream();
  constexpr std::uint64_t hour_ns = 3'600'000'000'000;
  fixture.run(device::kernels::Spin{hour_ns}, 1, a);
  const std::uint64_t before = fixture.driver().now_ns();
  EXPECT_EQ(fixture.device().query(a), device::Status::not_ready);
  fixture.synchronize(a);
  EXPECT_GE(fixture.driver().now_ns(), before + hour_ns);
}

TEST(VirtualTime, StreamsOverlap) {
  Fixture fixture;
  constexpr std::uint64_t spin_ns = 10'000'000;
  const std::uint64_t before = fixture.driver().now_ns();
  for (int index = 0; index < 8; ++index) fixture.run(device::kernels::Spin{spin_ns}, 1, fixture.stream());
  check(fixture.device().synchronize(), "synchronize");
  EXPECT_LT(fixture.driver().now_ns() - before, 2 * spin_ns);
}

TEST(VirtualTime, AdvancingLetsPendingWorkHappen) {
  Fixture fixture;
  const auto a = fixture.stream();
  std::int32_t* value = fixture.pinned(1);
  *value = 0;
  fixture.run(device::kernels::Spin{1'000'000}, 1, a);
  fixture.fill(value, 5, 1, a);
  EXPECT_EQ(*value, 0);
  fixture.driver().advance(2'000'000);
  EXPECT_EQ(*value, 5);
}

}  // namespace
}  // namespace gpucheck::sim
