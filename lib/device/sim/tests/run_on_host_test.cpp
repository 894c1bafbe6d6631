#include "device/kernels/support/run_on_host.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "device/tests/kernels/block_probes.hpp"

// How the simulated device runs block kernels.
namespace gpucheck::device::kernels {
namespace {

// Invocations from the 2^32-nd on, without the four billion before them.
TEST(BlocksOnHost, HaveIndicesOf64Bits) {
  constexpr std::uint64_t two_to_the_32 = std::uint64_t{1} << 32;
  constexpr std::size_t count = two_to_the_32 + 300;
  const BlockShape shape{.threads = 256};
  std::uint64_t totals[2] = {};
  FailedAssertion failed;
  const std::size_t blocks = blocks_of(count, shape);
  EXPECT_EQ(blocks, (std::size_t{1} << 24) + 2);
  run_blocks_on_host(CountFrom{two_to_the_32 - 100, totals}, count, shape, {blocks - 3, blocks}, failed);
  EXPECT_EQ(totals[0], 400U);
  EXPECT_EQ(totals[1], 400U * 399U / 2U);
}

TEST(BlocksOnHost, AreCountedWithoutOverflow) {
  EXPECT_EQ(blocks_of(SIZE_MAX, {.threads = 1}), SIZE_MAX);
  EXPECT_EQ(blocks_of(SIZE_MAX, {.threads = 2}), SIZE_MAX / 2 + 1);
  EXPECT_EQ(blocks_of(0, {.threads = 256}), 0U);
}

/// Reads its neighbour's number with no barrier between: right only by luck.
struct WithoutBarrier {
  static constexpr unsigned phases = 1;
  int step;
  std::uint64_t* wrong;
  void operator()(const BlockThread& thread, unsigned) const {
    auto* const left = static_cast<std::uint64_t*>(thread.shared);
    left[thread.index] = thread.index;
    const unsigned neighbour = static_cast<unsigned>(static_cast<int>(thread.index) + step) % thread.threads;
    *wrong += left[neighbour] == neighbour ? 0U : 1U;
  }
};

TEST(BlocksOnHost, ShowAMissingBarrierWhicheverWayItLeans) {
  for (const int step : {1, 63}) {
    std::uint64_t wrong = 0;
    FailedAssertion failed;
    run_blocks_on_host(WithoutBarrier{step, &wrong}, 128, {.threads = 64, .shared_bytes = 512}, {0, 2}, failed);
    EXPECT_GT(wrong, 32U) << step;
  }
}

struct FailsInTheSecondPhase {
  static constexpr unsigned phases = 3;
  unsigned* last_phase;
  void operator()(const BlockThread& thread, unsigned phase) const {
    *last_phase = phase;
    if (phase == 1) GPUCHECK_DEVICE_ASSERT(thread, thread.global_index() != 70);
  }
};

TEST(BlocksOnHost, StopAtAFailedAssertAndSayWhere) {
  unsigned last_phase = 0;
  FailedAssertion failed;
  run_blocks_on_host(FailsInTheSecondPhase{&last_phase}, 1000, {.threads = 64}, {0, 16}, failed);
  ASSERT_NE(failed.expression, nullptr);
  EXPECT_EQ(failed.block, 1U);
  EXPECT_EQ(failed.thread, 6U);
  EXPECT_EQ(last_phase, 1U);
}

struct NotesWhatItFinds {
  static constexpr unsigned phases = 2;
  std::vector<unsigned char>* seen;
  void operator()(const BlockThread& thread, unsigned phase) const {
    auto* const byte = static_cast<unsigned char*>(thread.shared);
    if (phase == 0) {
      seen->push_back(*byte);
    } else {
      *byte = 7;
    }
  }
};

TEST(BlocksOnHost, LeaveNothingInSharedMemory) {
  std::vector<unsigned char> seen;
  FailedAssertion failed;
  run_blocks_on_host(NotesWhatItFinds{&seen}, 3, {.threads = 1, .shared_bytes = 1}, {0, 3}, failed);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_NE(seen[1], 7U);
  EXPECT_NE(seen[0], seen[1]);
}

}  // namespace
}  // namespace gpucheck::device::kernels
