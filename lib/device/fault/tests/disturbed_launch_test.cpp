#include "device/fault/disturbed_launch.hpp"

#include <cstring>

#include "device/fault/common_plans.hpp"
#include "device/fault/tests/faulty.hpp"
#include "device/kernels/multiprocessors.hpp"

namespace gpucheck::fault {
namespace {

using device::kernels::MultiplyOnEach;
using device::kernels::MultiprocessorTally;

enum class BeginsWith { launches, another_kernel };

/// What each of the four multiprocessors of a small device did, of two launches of eight blocks.
template <typename T>
std::vector<MultiprocessorTally> tallies_of(const Plan& plan, BeginsWith begins_with = BeginsWith::launches) {
  using Multiply = MultiplyOnEach<T>;
  const Faulty faulty(plan);
  const std::size_t bytes = Multiply::slots * sizeof(MultiprocessorTally);
  const auto memory = faulty.make_memory(bytes);
  device::check(faulty.device().fill(memory.get(), 0, bytes, {}), "fill");
  if (begins_with == BeginsWith::another_kernel) {
    const device::kernels::Fill<std::uint8_t> other{static_cast<std::uint8_t*>(memory.get()), 0};
    device::check(device::launch(faulty.device(), other, bytes, {}), "launch");
  }
  const Multiply multiply{
      static_cast<MultiprocessorTally*>(memory.get()), 4, 3, {.seed = 1, .depth = Multiply::size, .magnitude = 15}};
  const device::BlockShape shape{.threads = Multiply::threads, .shared_bytes = sizeof(typename Multiply::Shared)};
  for (int i = 0; i < 2; ++i) {
    device::check(device::launch(faulty.device(), multiply, std::size_t{8} * Multiply::threads, shape, {}), "launch");
  }
  const std::vector<std::uint8_t> seen = read(faulty, memory.get(), bytes);
  std::vector<MultiprocessorTally> tallies(5);
  std::memcpy(tallies.data(), seen.data(), tallies.size() * sizeof(MultiprocessorTally));
  return tallies;
}

template <typename T>
class DisturbedLaunches : public testing::Test {};
using Types = testing::Types<float, double, std::int32_t>;
TYPED_TEST_SUITE(DisturbedLaunches, Types, );

TYPED_TEST(DisturbedLaunches, AreRightAndAlikeWithoutAPlan) {
  const auto tallies = tallies_of<TypeParam>({});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(tallies[i].blocks, 4U);
    EXPECT_EQ(tallies[i].wrong, 0U);
    EXPECT_EQ(tallies[i].nanoseconds, 4 * 3'000U);
  }
  EXPECT_EQ(tallies[4].blocks, 0U);
}

TYPED_TEST(DisturbedLaunches, HaveOneSlowMultiprocessor) {
  const auto tallies = tallies_of<TypeParam>(slow_multiprocessor(nth_call(2)));
  EXPECT_EQ(tallies[0].nanoseconds, 4 * 3'000U);
  EXPECT_EQ(tallies[1].nanoseconds, 2 * 3'000U + 2 * 7'000U);  // in the second launch
  EXPECT_EQ(tallies[2].nanoseconds, 4 * 3'000U);
  for (const MultiprocessorTally& tally : tallies) EXPECT_EQ(tally.wrong, 0U);
}

TEST(DisturbedLaunch, IsTheFirstOfAKernelThatTellsMultiprocessorsApart) {
  const auto tallies = tallies_of<float>(slow_multiprocessor(nth_call(1)), BeginsWith::another_kernel);
  EXPECT_EQ(tallies[1].nanoseconds, 2 * 3'000U + 2 * 7'000U);
}

TYPED_TEST(DisturbedLaunches, HaveOneWrongMultiprocessor) {
  const auto tallies = tallies_of<TypeParam>(wrong_multiprocessor(nth_call(1)));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(tallies[i].wrong, i == 1 ? 2U : 0U);  // one in each of the first launch's blocks
    EXPECT_EQ(tallies[i].nanoseconds, 4 * 3'000U);
  }
}

// The rule waits for a kernel that it can strike.
TEST(DisturbedLaunch, IsNotOneOfAnotherKernel) {
  const Faulty faulty(slow_multiprocessor(nth_call(1)));
  faulty.spin({});
  EXPECT_FALSE(tells_multiprocessors_apart({}));
  const auto memory = faulty.make_memory(64);
  device::check(faulty.device().fill(memory.get(), 3, 64, {}), "fill");
  EXPECT_EQ(read(faulty, memory.get(), 64), std::vector<std::uint8_t>(64, 3));
}

}  // namespace
}  // namespace gpucheck::fault
