#include <cstdint>
#include <vector>

#include "device/tests/kernels/block_probes.hpp"
#include "device/tests/suites.hpp"

// Launches of kernels that are called by block, with shared memory and barriers.
namespace gpucheck::device::contract {
namespace {

using kernels::CheckSharedMemory;
using kernels::CountFrom;
using kernels::RotateInBlocks;
using kernels::SharedMemoryTally;

BlockShape rotating(unsigned threads) { return {.threads = threads, .shared_bytes = threads * sizeof(std::uint64_t)}; }

/// What RotateInBlocks leaves behind.
std::vector<std::uint64_t> rotated(std::size_t count, std::size_t threads) {
  std::vector<std::uint64_t> expected(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i / threads * threads;
    const std::size_t size = std::min(threads, count - first);
    expected[i] = first + (i - first + 1) % size;
  }
  return expected;
}

// Each thread reads what its neighbour wrote before the barrier. Counts that are not a multiple
// of the threads have a last block with fewer.
TEST_P(BlockKernels, BarriersOrderPhasesAlsoInAPartialLastBlock) {
  const auto stream = make_stream();
  for (const unsigned threads : {1U, 31U, 32U, 96U, 256U, 1024U}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{31}, std::size_t{1024}, std::size_t{70'001}}) {
      const auto array = make_array<std::uint64_t>(count);
      run(RotateInBlocks{array.data()}, count, rotating(threads), stream.get());
      EXPECT_EQ(read(array, stream.get()), rotated(count, threads)) << count << " in blocks of " << threads;
    }
  }
}

TEST_P(BlockKernels, TouchNothingBeyondTheCount) {
  const auto stream = make_stream();
  const auto array = make_array<std::uint64_t>(1000);
  check(device().fill(array.data(), 0xff, array.bytes(), stream.get()), "fill");
  run(RotateInBlocks{array.data()}, 700, rotating(256), stream.get());
  std::vector<std::uint64_t> expected = rotated(700, 256);
  expected.resize(1000, ~std::uint64_t{0});
  EXPECT_EQ(read(array, stream.get()), expected);
}

// Far more blocks than fit on any device at once, or in one dimension of a small grid.
TEST_P(BlockKernels, AMillionBlocksAllRun) {
  constexpr std::size_t count = (std::size_t{1} << 20) + 5;
  const auto stream = make_stream();
  const auto totals = make_array<std::uint64_t>(2);
  check(device().fill(totals.data(), 0, totals.bytes(), stream.get()), "fill");
  run(CountFrom{0, totals.data()}, count, {.threads = 1}, stream.get());
  EXPECT_EQ(read(totals, stream.get()), (std::vector<std::uint64_t>{count, count * (count - 1) / 2}));
}

// The simulated device would take minutes: its arithmetic is tested in run_on_host_test.cpp.
TEST_P(BlockKernels, CountsHave64Bits) {
  if (!GetParam().hardware) GTEST_SKIP() << "4,294,967,696 invocations one after the other";
  constexpr std::uint64_t two_to_the_32 = std::uint64_t{1} << 32;
  const auto stream = make_stream();
  const auto totals = make_array<std::uint64_t>(2);
  check(device().fill(totals.data(), 0, totals.bytes(), stream.get()), "fill");
  run(CountFrom{two_to_the_32 - 100, totals.data()}, two_to_the_32 + 300, {.threads = 256}, stream.get());
  EXPECT_EQ(read(totals, stream.get()), (std::vector<std::uint64_t>{400, 400 * 399 / 2}));
}

TEST_P(BlockKernels, HaveAllTheSharedMemoryThatTheDeviceHas) {
  const auto stream = make_stream();
  const std::size_t bytes = device().properties().max_shared_bytes_per_block;
  const auto tally = make_array<SharedMemoryTally>(1);
  check(device().fill(tally.data(), 0, tally.bytes(), stream.get()), "fill");
  const std::size_t count = 2 * 1024 + 1;  // three blocks, the last one of a single thread
  run(CheckSharedMemory{tally.data()}, count, {.threads = 1024, .shared_bytes = bytes}, stream.get());
  const SharedMemoryTally found = read(tally, stream.get()).at(0);
  EXPECT_EQ(found.wrong, 0U);
  EXPECT_EQ(found.right, 3 * (bytes / 4));
}

TEST_P(BlockKernels, OneByteMoreOfSharedMemoryFails) {
  const auto stream = make_stream();
  const auto tally = make_array<SharedMemoryTally>(1);
  check(device().fill(tally.data(), 0, tally.bytes(), stream.get()), "fill");
  const std::size_t bytes = device().properties().max_shared_bytes_per_block;
  EXPECT_EQ(device::launch(device(), CheckSharedMemory{tally.data()}, 1, {.threads = 1, .shared_bytes = bytes + 1},
                           stream.get()),
            Status::invalid_value);
  EXPECT_EQ(device().last_error(), Status::invalid_value);
  EXPECT_EQ(read(tally, stream.get()).at(0).right, 0U);  // nothing ran, and the device still works
}

TEST_P(BlockKernels, BlocksOfNoThreadsOrTooManyFail) {
  const auto stream = make_stream();
  const auto totals = make_array<std::uint64_t>(2);
  const auto most = static_cast<unsigned>(device().properties().max_threads_per_block);
  for (const unsigned threads : {0U, most + 1}) {
    EXPECT_EQ(device::launch(device(), CountFrom{0, totals.data()}, 1, {.threads = threads}, stream.get()),
              Status::invalid_value)
        << threads;
  }
}

TEST_P(BlockKernels, ACountOfZeroLaunchesNothing) {
  const auto stream = make_stream();
  EXPECT_EQ(device::launch(device(), CountFrom{0, nullptr}, 0, {.threads = 256}, stream.get()), Status::success);
  EXPECT_EQ(device().synchronize(stream.get()), Status::success);
}

TEST_P(BlockKernels, AreCapturedWithTheirShapeAndArguments) {
  const auto stream = make_stream();
  const auto array = make_array<std::uint64_t>(1000);
  RotateInBlocks rotate{array.data()};
  const auto executable = instantiate(capture(stream.get(), [&] {
    run(rotate, 1000, rotating(96), stream.get());
    rotate.out = nullptr;
  }));
  for (int replay = 0; replay < 2; ++replay) {
    check(device().fill(array.data(), 0, array.bytes(), stream.get()), "fill");
    launch(executable, stream.get());
    EXPECT_EQ(read(array, stream.get()), rotated(1000, 96));
  }
}

}  // namespace
}  // namespace gpucheck::device::contract
