#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>

#include "base/text/units.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/allocator/storage.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/tests/simulated.hpp"
#include "runtime/tests/tested_allocator.hpp"
#include "tensor/ops.hpp"

// What every device allocator of the runtime must do, whichever it is.
namespace gpucheck::runtime::test {

namespace ops = tensor::ops;
namespace {

using namespace literals;

class AllocatorContract : public testing::TestWithParam<TestedAllocator> {
 protected:
  void SetUp() override {
    runtime_ = std::make_unique<Runtime>(machine_.device(), parse_allocator_choice(GetParam().allocator));
    runtime_->set_settings(GetParam().settings);
  }
  void TearDown() override { EXPECT_TRUE(machine_.driver().races().empty()); }

  DeviceAllocator& allocator() { return runtime_->allocator(); }
  void keep_busy(device::Stream stream) {
    ASSERT_EQ(device::launch(machine_.device(), device::kernels::Spin{50'000'000}, 1, stream), device::Status::success);
  }
  std::int64_t wrong(const Buffer<std::int32_t>& buffer, std::int32_t value, device::Stream stream) {
    std::vector<std::int32_t> seen(buffer.size());
    device::check(machine_.device().copy(seen.data(), buffer.data(), buffer.size_bytes(),
                                         device::CopyKind::device_to_host, stream),
                  "copy");
    device::check(machine_.device().synchronize(stream), "synchronize");
    return std::ssize(seen) - std::ranges::count(seen, value);
  }
  std::uint64_t free_bytes() {
    device::check(machine_.device().synchronize(), "synchronize");
    return machine_.device().memory_info().value().free_bytes;
  }

  Simulated machine_;
  std::unique_ptr<Runtime> runtime_;
  device::Stream main_ = machine_.default_stream();
};

TEST_P(AllocatorContract, KeepsWhyAFreeInADestructorWasRejected) {
  {
    const Storage owner(allocator(), 512, main_);
    EXPECT_TRUE(allocator().failed_frees().empty());
    allocator().free(owner.data());
  }
  EXPECT_EQ(allocator().failed_frees().size(), 1U);
  { const Storage other(allocator(), 512, main_); }
  EXPECT_EQ(allocator().failed_frees().size(), 1U);
}

TEST_P(AllocatorContract, NoBytesAreNull) {
  EXPECT_EQ(allocator().allocate(0, main_), nullptr);
  EXPECT_NO_THROW(allocator().free(nullptr));
  EXPECT_EQ(allocator().live_allocations().count, 0);
}

TEST_P(AllocatorContract, BlocksAreAlignedAndShareNoByte) {
  std::vector<std::pair<std::uintptr_t, std::uint64_t>> blocks;
  for (std::uint64_t bytes = 1; bytes < 64_MiB; bytes = bytes * 3 + 1) {
    blocks.emplace_back(reinterpret_cast<std::uintptr_t>(allocator().allocate(bytes, main_)), bytes);
  }
  EXPECT_EQ(allocator().live_allocations().count, blocks.size());
  std::ranges::sort(blocks);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].first % 256, 0);
    if (i > 0) {
      EXPECT_GE(blocks[i].first, blocks[i - 1].first + blocks[i - 1].second);
    }
  }
  for (const auto& [address, bytes] : blocks) allocator().free(reinterpret_cast<void*>(address));
  EXPECT_EQ(allocator().live_allocations().count, 0);
  EXPECT_EQ(allocator().live_allocations().bytes, 0);
}

TEST_P(AllocatorContract, ABlockKeepsItsContentsWhileOthersComeAndGo) {
  Buffer<std::int32_t> kept(*runtime_, 100'000, main_);
  ops::fill(*runtime_, kept.data(), kept.size(), 42, main_);
  for (std::size_t i = 1; i < 30; ++i) {
    Buffer<std::int32_t> other(*runtime_, i * 7919, main_);
    ops::fill(*runtime_, other.data(), other.size(), -1, main_);
  }
  EXPECT_EQ(wrong(kept, 42, main_), 0);
}

TEST_P(AllocatorContract, RejectsWhatIsNotInUse) {
  int on_stack = 0;
  EXPECT_THROW(allocator().free(&on_stack), Error);
  void* pointer = allocator().allocate(4096, main_);
  EXPECT_TRUE(allocator().block_info(pointer).has_value());
  allocator().free(pointer);
  EXPECT_THROW(allocator().free(pointer), Error);
  EXPECT_FALSE(allocator().block_info(pointer).has_value());
}

TEST_P(AllocatorContract, ReuseWithinAStreamKeepsTheOrder) {
  const device::Stream stream = runtime_->streams().next();
  for (std::int32_t i = 0; i < 5; ++i) {
    Buffer<std::int32_t> block(*runtime_, 50'000, stream);
    keep_busy(stream);
    ops::fill(*runtime_, block.data(), block.size(), i, stream);
    EXPECT_EQ(wrong(block, i, stream), 0);
  }
}

TEST_P(AllocatorContract, WhatAStreamStillWritesToServesNoOther) {
  const device::Stream busy = runtime_->streams().next();
  const device::Stream quick = runtime_->streams().next();
  {
    Buffer<std::int32_t> block(*runtime_, 50'000, busy);
    keep_busy(busy);
    ops::fill(*runtime_, block.data(), block.size(), 1, busy);
  }
  Buffer<std::int32_t> next(*runtime_, 50'000, quick);
  ops::fill(*runtime_, next.data(), next.size(), 2, quick);
  device::check(machine_.device().synchronize(busy), "synchronize");
  EXPECT_EQ(wrong(next, 2, quick), 0);
}

TEST_P(AllocatorContract, AStreamThatWasRecordedIsWaitedFor) {
  if (GetParam().is_library) GTEST_SKIP() << "this allocator does not hear of other streams";
  const device::Stream side = runtime_->streams().next();
  {
    Buffer<std::int32_t> block(*runtime_, 50'000, main_);
    device::check(machine_.device().synchronize(), "synchronize");
    keep_busy(side);
    ops::fill(*runtime_, block.data(), block.size(), 1, side);
    block.record_stream(side);
  }
  Buffer<std::int32_t> next(*runtime_, 50'000, main_);
  ops::fill(*runtime_, next.data(), next.size(), 2, main_);
  device::check(machine_.device().synchronize(side), "synchronize");
  EXPECT_EQ(wrong(next, 2, main_), 0);
}

TEST_P(AllocatorContract, TooMuchIsAnOutOfMemoryErrorAndDoesNoHarm) {
  Buffer<std::int32_t> before(*runtime_, 1000, main_);
  ops::fill(*runtime_, before.data(), before.size(), 3, main_);
  EXPECT_THROW(static_cast<void>(allocator().allocate(1024_GiB, main_)), OutOfMemoryError);
  EXPECT_EQ(machine_.device().last_error(), device::Status::success);
  EXPECT_EQ(wrong(before, 3, main_), 0);
  EXPECT_EQ(allocator().live_allocations().count, 1);
  EXPECT_NO_THROW(allocator().free(allocator().allocate(1_MiB, main_)));
}

TEST_P(AllocatorContract, WhatWasFreedServesALargeRequestOfAnotherStream) {
  const std::uint64_t most = machine_.device().properties().total_memory_bytes / 5 * 3;
  allocator().free(allocator().allocate(most, main_));
  void* again = allocator().allocate(most, runtime_->streams().next());
  EXPECT_NE(again, nullptr);
  EXPECT_THROW(static_cast<void>(allocator().allocate(most, main_)), OutOfMemoryError);
  allocator().free(again);
}

TEST_P(AllocatorContract, EmptyingTheCacheGivesTheDeviceItsMemoryBack) {
  void* first = allocator().allocate(1, main_);  // whatever is kept for good
  allocator().free(first);
  allocator().empty_cache();
  const std::uint64_t before = free_bytes();
  void* pointer = allocator().allocate(512_MiB, main_);
  EXPECT_LE(free_bytes(), before - 512_MiB);
  allocator().free(pointer);
  allocator().empty_cache();
  EXPECT_EQ(free_bytes(), before);
}

TEST_P(AllocatorContract, ItsEndLeavesNothingOnTheDevice) {
  const std::uint64_t before = free_bytes();
  allocator().free(allocator().allocate(100_MiB, main_));
  runtime_.reset();
  EXPECT_EQ(free_bytes(), before);
}

TEST_P(AllocatorContract, KeepsItsFraction) {
  EXPECT_EQ(allocator().memory_fraction(), 1.0);
  allocator().set_memory_fraction(0.5);
  EXPECT_EQ(allocator().memory_fraction(), 0.5);
  EXPECT_THROW(allocator().set_settings("no_such_key:1"), SettingsError);
}

TEST_P(AllocatorContract, ThreadsNeverHoldTheSameBlock) {
  std::mutex mutex;
  std::set<void*> held;
  std::atomic<int> shared = 0;
  const auto work = [&](std::size_t number) {
    const device::Stream stream = runtime_->streams().next();
    for (std::size_t i = 0; i < 200; ++i) {
      void* pointer = allocator().allocate(std::size_t{512} << ((i * 5 + number) % 12), stream);
      {
        const std::scoped_lock lock(mutex);
        if (!held.insert(pointer).second) ++shared;
      }
      {
        const std::scoped_lock lock(mutex);
        held.erase(pointer);
      }
      allocator().free(pointer);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t number = 0; number < 4; ++number) threads.emplace_back(work, number);
  }
  EXPECT_EQ(shared, 0);
  EXPECT_EQ(allocator().live_allocations().count, 0);
}

INSTANTIATE_TEST_SUITE_P(Runtime, AllocatorContract,
                         testing::Values(TestedAllocator{"caching", "caching"},
                                         TestedAllocator{"caching_expandable", "caching", "expandable_segments:True"},
                                         TestedAllocator{"async", "async"},
                                         TestedAllocator{"library", GPUCHECK_GOOD_ALLOCATOR, "", true}),
                         [](const auto& information) { return std::string(information.param.label); });

}  // namespace
}  // namespace gpucheck::runtime::test
