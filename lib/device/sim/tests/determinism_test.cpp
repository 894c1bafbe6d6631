#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "device/sim/tests/lab.hpp"

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
  Lab lab(seed);
  const device::Stream streams[] = {lab.stream(), lab.stream(), lab.stream()};
  std::int32_t* shared = lab.memory(cells);
  std::int32_t* landing = lab.pinned(cells);
  Trace trace;
  for (std::int32_t round = 0; round < 20; ++round) {
    for (std::size_t index = 0; index < cells; ++index) {
      lab.fill(shared + index, round * 100 + static_cast<std::int32_t>(index % 3), 1, streams[(index + 1) % 3]);
      lab.fill(shared + index, round * 100 + 50, 1, streams[index % 3]);
    }
    check(lab.device().synchronize(), "synchronize");
    lab.copy(landing, shared, cells * sizeof(std::int32_t), device::CopyKind::device_to_host, streams[0]);
    lab.synchronize(streams[0]);
    trace.values.insert(trace.values.end(), landing, landing + cells);
    trace.clock.push_back(lab.driver().now_ns());
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
    Lab lab(seed);
    std::int32_t* shared = lab.pinned(1);
    lab.fill(shared, 1, 1, lab.stream());
    lab.fill(shared, 2, 1, lab.stream());
    check(lab.device().synchronize(), "synchronize");
    last.insert(*shared);
  }
  EXPECT_EQ(last, (std::set<std::int32_t>{1, 2}));
}

TEST(Determinism, BranchesOfAGraphInterleaveToo) {
  std::set<std::int32_t> last;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Lab lab(seed);
    const auto a = lab.stream();
    const auto b = lab.stream();
    std::int32_t* shared = lab.pinned(1);
    const auto executable = lab.captured(a, [&] {
      lab.order(a, b);
      lab.fill(shared, 1, 1, a);
      lab.fill(shared, 2, 1, b);
      lab.order(b, a);
    });
    check(lab.device().launch(executable, a), "launch");
    lab.synchronize(a);
    last.insert(*shared);
  }
  EXPECT_EQ(last, (std::set<std::int32_t>{1, 2}));
}

TEST(Determinism, OrderedWorkComesOutTheSameUnderEverySeed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Lab lab(seed);
    const auto a = lab.stream();
    const auto b = lab.stream();
    std::int32_t* values = lab.pinned(64);
    lab.iota(values, 64, a);
    lab.order(a, b);
    lab.add(values, values, 64, b);
    lab.order(b, a);
    lab.add(values, values, 64, a);
    lab.synchronize(a);
    for (std::int32_t index = 0; index < 64; ++index) ASSERT_EQ(values[index], index + 2) << "seed " << seed;
  }
}

TEST(VirtualTime, NothingSleepsAndAWaitMovesTheClock) {
  Lab lab;
  const auto a = lab.stream();
  constexpr std::uint64_t hour_ns = 3'600'000'000'000;
  lab.run(device::kernels::Spin{hour_ns}, 1, a);
  const std::uint64_t before = lab.driver().now_ns();
  EXPECT_EQ(lab.device().query(a), device::Status::not_ready);
  lab.synchronize(a);
  EXPECT_GE(lab.driver().now_ns(), before + hour_ns);
}

TEST(VirtualTime, StreamsOverlap) {
  Lab lab;
  constexpr std::uint64_t spin_ns = 10'000'000;
  const std::uint64_t before = lab.driver().now_ns();
  for (int index = 0; index < 8; ++index) lab.run(device::kernels::Spin{spin_ns}, 1, lab.stream());
  check(lab.device().synchronize(), "synchronize");
  EXPECT_LT(lab.driver().now_ns() - before, 2 * spin_ns);
}

TEST(VirtualTime, AdvancingLetsPendingWorkHappen) {
  Lab lab;
  const auto a = lab.stream();
  std::int32_t* value = lab.pinned(1);
  *value = 0;
  lab.run(device::kernels::Spin{1'000'000}, 1, a);
  lab.fill(value, 5, 1, a);
  EXPECT_EQ(*value, 0);
  lab.driver().advance(2'000'000);
  EXPECT_EQ(*value, 5);
}

}  // namespace
}  // namespace gpucheck::sim
