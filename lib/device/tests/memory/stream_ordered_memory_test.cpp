#include <limits>

#include "base/text/units.hpp"
#include "device/tests/suites.hpp"

// cudaMallocAsync and cudaFreeAsync; programming guide, "Stream-ordered memory allocator".
namespace gpucheck::device::contract {
namespace {

using namespace literals;

/// Stream-ordered memory is freed explicitly: on which stream is what is tested.
std::int32_t* allocate(Device& device, std::size_t size, Stream stream) {
  return static_cast<std::int32_t*>(device.allocate_async(size * sizeof(std::int32_t), stream).value());
}

TEST_P(StreamOrderedMemory, IsUsableAtOnceOnItsStream) {
  const auto stream = make_stream();
  const auto result = make_array<std::int32_t>(large_size);
  std::int32_t* const memory = allocate(device(), large_size, stream.get());
  run(kernels::Fill<std::int32_t>{memory, 3}, large_size, stream.get());
  run(kernels::AddScalar<std::int32_t>{memory, result.data(), 4}, large_size, stream.get());
  EXPECT_EQ(device().free_async(memory, stream.get()), Status::success);
  EXPECT_EQ(read(result, stream.get()), std::vector<std::int32_t>(large_size, 7));
}

TEST_P(StreamOrderedMemory, IsDeviceMemoryToPointerInfo) {
  const auto stream = make_stream();
  std::int32_t* const memory = allocate(device(), large_size, stream.get());
  EXPECT_EQ(device().pointer_info(memory).value().kind, MemoryKind::device);
  EXPECT_EQ(device().free_async(memory, stream.get()), Status::success);
}

TEST_P(StreamOrderedMemory, IsUsableOnAnotherStreamBehindAnEvent) {
  const auto owner = make_stream();
  const auto user = make_stream();
  const auto allocated = make_event();
  const auto used = make_event();
  const auto result = make_array<std::int32_t>(large_size);
  std::int32_t* const memory = allocate(device(), large_size, owner.get());
  record(allocated, owner.get());
  wait(user.get(), allocated);
  run(kernels::Fill<std::int32_t>{memory, 11}, large_size, user.get());
  run(kernels::AddScalar<std::int32_t>{memory, result.data(), 0}, large_size, user.get());
  record(used, user.get());
  wait(owner.get(), used);
  EXPECT_EQ(device().free_async(memory, owner.get()), Status::success);
  synchronize(owner.get());
  EXPECT_EQ(read(result, user.get()), std::vector<std::int32_t>(large_size, 11));
}

TEST_P(StreamOrderedMemory, MayBeFreedOnAnotherStreamBehindAnEvent) {
  const auto owner = make_stream();
  const auto other = make_stream();
  const auto used = make_event();
  std::int32_t* const memory = allocate(device(), large_size, owner.get());
  run(kernels::Fill<std::int32_t>{memory, 1}, large_size, owner.get());
  record(used, owner.get());
  wait(other.get(), used);
  EXPECT_EQ(device().free_async(memory, other.get()), Status::success);
  synchronize(other.get());
}

TEST_P(StreamOrderedMemory, AllocatingAndFreeingDoNotWaitForTheStream) {
  const auto stream = make_stream();
  std::int32_t* const memory = allocate(device(), large_size, stream.get());
  spin(stream.get());
  run(kernels::Fill<std::int32_t>{memory, 1}, large_size, stream.get());
  EXPECT_EQ(device().free_async(memory, stream.get()), Status::success);
  EXPECT_EQ(device().query(stream.get()), Status::not_ready);
  synchronize(stream.get());
}

// Reuse within one stream needs no synchronisation: the new user runs after the old.
TEST_P(StreamOrderedMemory, ReuseInOneStreamKeepsTheOrder) {
  const auto stream = make_stream();
  const auto results = make_array<std::int32_t>(20 * large_size);
  for (std::int32_t i = 0; i < 20; ++i) {
    std::int32_t* const memory = allocate(device(), large_size, stream.get());
    run(kernels::Fill<std::int32_t>{memory, i}, large_size, stream.get());
    run(kernels::AddScalar<std::int32_t>{memory, results.data() + std::size_t(i) * large_size, 0}, large_size,
        stream.get());
    ASSERT_EQ(device().free_async(memory, stream.get()), Status::success);
  }
  const auto seen = read(results, stream.get());
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], std::int32_t(i / large_size)) << "element " << i;
}

TEST_P(StreamOrderedMemory, TooMuchGivesOutOfMemoryAndIsRecoverable) {
  const auto stream = make_stream();
  const auto too_much = device().allocate_async(device().properties().total_memory_bytes * 2, stream.get());
  EXPECT_EQ(status_of(too_much), Status::out_of_memory);
  std::int32_t* const memory = allocate(device(), large_size, stream.get());
  run(kernels::Fill<std::int32_t>{memory, 1}, large_size, stream.get());
  EXPECT_EQ(device().free_async(memory, stream.get()), Status::success);
  EXPECT_EQ(device().synchronize(stream.get()), Status::success);
}

// cudaFree: "which must have been returned by ... cudaMallocAsync() ..."; it does not
// synchronise for such memory, so the caller does.
TEST_P(StreamOrderedMemory, MayBeFreedByTheOrdinaryFree) {
  const auto stream = make_stream();
  std::int32_t* const memory = allocate(device(), large_size, stream.get());
  run(kernels::Fill<std::int32_t>{memory, 1}, large_size, stream.get());
  synchronize(stream.get());
  EXPECT_EQ(device().free(memory), Status::success);
}

TEST_P(StreamOrderedMemory, FreeOfAnAddressNeverAllocatedIsAnInvalidValue) {
  const auto stream = make_stream();
  int on_stack = 0;
  EXPECT_EQ(device().free_async(&on_stack, stream.get()), Status::invalid_value);
}

constexpr std::uint64_t plenty = 64_MiB;

/// What the pool holds once `plenty` was allocated, freed and waited for.
AsyncPoolUsage usage_after_use(Device& device, Stream stream) {
  void* const memory = device.allocate_async(plenty, stream).value();
  check(device.free_async(memory, stream), "free_async");
  check(device.synchronize(stream), "synchronize");
  return device.async_pool_usage().value();
}

TEST_P(StreamOrderedMemory, ThePoolSaysWhatItHoldsAndHeldAtMost) {
  const auto stream = make_stream();
  const AsyncPoolUsage before = device().async_pool_usage().value();
  void* const memory = device().allocate_async(plenty, stream.get()).value();
  const AsyncPoolUsage during = device().async_pool_usage().value();
  EXPECT_EQ(during.used_bytes, before.used_bytes + plenty);
  EXPECT_GE(during.reserved_bytes, plenty);
  EXPECT_GE(during.used_peak_bytes, during.used_bytes);
  EXPECT_GE(during.reserved_peak_bytes, during.reserved_bytes);
  EXPECT_EQ(device().free_async(memory, stream.get()), Status::success);
  synchronize(stream.get());
  const AsyncPoolUsage after = device().async_pool_usage().value();
  EXPECT_EQ(after.used_bytes, before.used_bytes);
  EXPECT_GE(after.used_peak_bytes, during.used_bytes);
  EXPECT_EQ(device().reset_async_pool_peaks(), Status::success);
  EXPECT_LT(device().async_pool_usage().value().used_peak_bytes, during.used_bytes);
}

TEST_P(StreamOrderedMemory, ThePoolCountsWhatWasAskedForToTheByte) {
  const auto stream = make_stream();
  const AsyncPoolUsage before = device().async_pool_usage().value();
  void* const memory = device().allocate_async(1001, stream.get()).value();
  EXPECT_EQ(device().async_pool_usage().value().used_bytes, before.used_bytes + 1001);
  EXPECT_EQ(device().free_async(memory, stream.get()), Status::success);
  synchronize(stream.get());
}

// cudaMemPoolAttrReleaseThreshold, "Physical page caching behavior" in the guide.
TEST_P(StreamOrderedMemory, UnusedMemoryGoesBackUnlessThePoolMayKeepIt) {
  const auto stream = make_stream();
  ASSERT_EQ(device().trim_async_pool(0), Status::success);
  const AsyncPoolUsage before = device().async_pool_usage().value();
  EXPECT_EQ(usage_after_use(device(), stream.get()).reserved_bytes, before.reserved_bytes);
  EXPECT_EQ(device().set_async_pool_threshold(std::numeric_limits<std::uint64_t>::max()), Status::success);
  EXPECT_GE(usage_after_use(device(), stream.get()).reserved_bytes, before.reserved_bytes + plenty);
  EXPECT_EQ(device().trim_async_pool(0), Status::success);
  EXPECT_EQ(device().async_pool_usage().value().reserved_bytes, before.reserved_bytes);
  EXPECT_EQ(device().set_async_pool_threshold(0), Status::success);
}

TEST_P(StreamOrderedMemory, WhatThePoolKeepsStillServesAPlainAllocation) {
  const auto stream = make_stream();
  EXPECT_EQ(device().set_async_pool_threshold(std::numeric_limits<std::uint64_t>::max()), Status::success);
  const std::uint64_t most = device().memory_info().value().free_bytes / 4 * 3;
  void* const memory = device().allocate_async(most, stream.get()).value();
  EXPECT_EQ(device().free_async(memory, stream.get()), Status::success);
  synchronize(stream.get());
  const auto plain = own<UniqueDeviceMemory>(device(), device().allocate(most));
  EXPECT_NE(plain.get(), nullptr);
  EXPECT_EQ(device().set_async_pool_threshold(0), Status::success);
}

}  // namespace
}  // namespace gpucheck::device::contract
