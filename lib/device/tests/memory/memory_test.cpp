#include "base/text/units.hpp"
#include "device/tests/suites.hpp"

// cudaMalloc, cudaFree, cudaMemGetInfo, cudaPointerGetAttributes.
namespace gpucheck::device::contract {
namespace {

using namespace literals;

TEST_P(Memory, ZeroBytesGiveANullPointer) {
  const auto pointer = device().allocate(0);
  ASSERT_TRUE(pointer.has_value());
  EXPECT_EQ(*pointer, nullptr);
}

// Programming guide, "Device memory accesses": any address returned by an allocation
// routine is always aligned to at least 256 bytes.
TEST_P(Memory, AllocationsAreAlignedTo256Bytes) {
  std::vector<DeviceArray<std::uint8_t>> arrays;
  for (const std::size_t bytes : {1U, 3U, 255U, 256U, 257U, 4097U, 100003U}) {
    arrays.push_back(make_array<std::uint8_t>(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrays.back().data()) % 256, 0U) << bytes << " bytes";
  }
}

TEST_P(Memory, LiveAllocationsDoNotOverlap) {
  constexpr int count = 64;
  const auto stream = make_stream();
  std::vector<DeviceArray<std::int32_t>> arrays;
  for (int i = 0; i < count; ++i) arrays.push_back(make_array<std::int32_t>(100));
  for (int i = 0; i < count; ++i) run(kernels::Fill<std::int32_t>{arrays[std::size_t(i)].data(), i}, 100, stream.get());
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(read(arrays[std::size_t(i)], stream.get()), std::vector<std::int32_t>(100, i));
  }
}

TEST_P(Memory, FreeOfNullIsANoOp) { EXPECT_EQ(device().free(nullptr), Status::success); }

TEST_P(Memory, FreeOfAnAddressNeverAllocatedIsAnInvalidValue) {
  int on_stack = 0;
  EXPECT_EQ(device().free(&on_stack), Status::invalid_value);
}

TEST_P(Memory, FreeOfTheSameAddressTwiceIsAnError) {
  void* const pointer = device().allocate(1_MiB).value();
  ASSERT_EQ(device().free(pointer), Status::success);
  EXPECT_EQ(device().free(pointer), Status::invalid_value);
}

// Programming guide, "Implicit synchronization", and the note of cudaFree.
TEST_P(Memory, FreeWaitsForWorkThatUsesTheMemory) {
  const auto stream = make_stream();
  {
    const auto array = make_array<std::int32_t>(1000);
    spin(stream.get());
    run(kernels::Fill<std::int32_t>{array.data(), 1}, array.size(), stream.get());
  }
  EXPECT_EQ(device().query(stream.get()), Status::success);
}

TEST_P(Memory, InfoKnowsTheTotalAndNoMoreFreeThanThat) {
  const MemoryInfo info = device().memory_info().value();
  EXPECT_GT(info.free_bytes, 0U);
  EXPECT_LT(info.free_bytes, info.total_bytes);
  EXPECT_LE(info.total_bytes, device().properties().total_memory_bytes);
}

TEST_P(Memory, InfoFollowsALargeAllocation) {
  const MemoryInfo before = device().memory_info().value();
  const std::size_t bytes = before.free_bytes / 4;
  {
    const auto array = make_array<std::uint8_t>(bytes);
    EXPECT_LE(device().memory_info().value().free_bytes, before.free_bytes - bytes);
  }
  // Other processes may use the device too: about what there was before.
  EXPECT_GT(device().memory_info().value().free_bytes, before.free_bytes - bytes / 2);
}

TEST_P(Memory, AskingForMoreThanThereIsGivesOutOfMemory) {
  const auto pointer = device().allocate(device().properties().total_memory_bytes * 2);
  EXPECT_EQ(status_of(pointer), Status::out_of_memory);
}

TEST_P(Memory, OutOfMemoryLeavesTheDeviceUsable) {
  const auto stream = make_stream();
  ASSERT_EQ(status_of(device().allocate(device().properties().total_memory_bytes * 2)), Status::out_of_memory);
  const auto array = make_array<std::int32_t>(1000);
  run(kernels::Fill<std::int32_t>{array.data(), 7}, array.size(), stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(1000, 7));
}

TEST_P(Memory, FilledUpMemoryCanBeFreedAndUsedAgain) {
  const std::size_t quarter = device().memory_info().value().free_bytes / 4;
  Status last = Status::success;
  {
    std::vector<DeviceArray<std::uint8_t>> arrays;
    while (last == Status::success && arrays.size() < 6) {
      const auto pointer = device().allocate(quarter);
      last = status_of(pointer);
      if (last == Status::success) arrays.emplace_back(device(), pointer, quarter);
    }
    EXPECT_EQ(last, Status::out_of_memory);
    EXPECT_GE(arrays.size(), 3U);
  }
  const auto again = make_array<std::uint8_t>(quarter);
  EXPECT_NE(again.data(), nullptr);
}

TEST_P(Memory, PointerInfoKnowsDeviceMemoryFromStartToEnd) {
  const auto array = make_array<std::uint8_t>(10000);
  EXPECT_EQ(device().pointer_info(array.data()).value().kind, MemoryKind::device);
  EXPECT_EQ(device().pointer_info(array.data() + 5001).value().kind, MemoryKind::device);
  EXPECT_EQ(device().pointer_info(array.data() + 9999).value().kind, MemoryKind::device);
}

// cudaPointerGetAttributes: since CUDA 11.0 a plain host pointer is
// cudaMemoryTypeUnregistered and the call succeeds.
TEST_P(Memory, PointerInfoCallsPlainHostMemoryUnregistered) {
  const int on_stack = 0;
  const std::vector<int> on_heap(1000);
  EXPECT_EQ(device().pointer_info(&on_stack).value().kind, MemoryKind::unregistered);
  EXPECT_EQ(device().pointer_info(on_heap.data()).value().kind, MemoryKind::unregistered);
}

}  // namespace
}  // namespace gpucheck::device::contract
