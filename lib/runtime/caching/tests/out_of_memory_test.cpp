#include <gtest/gtest.h>

#include "base/text/units.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {
namespace {

class OutOfMemory : public testing::Test {
 protected:
  void* allocate(std::size_t bytes) { return allocator.allocate(bytes, stream); }
  std::string failure_of(std::size_t bytes) {
    try {
      static_cast<void>(allocate(bytes));
    } catch (const OutOfMemoryError& error) {
      return error.what();
    }
    return "allocated";
  }
  /// Limits what may be reserved to `bytes`.
  void limit(std::uint64_t bytes) {
    const auto total = static_cast<double>(machine.device().properties().total_memory_bytes);
    allocator.set_memory_fraction(static_cast<double>(bytes + 1) / total);
  }

  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  device::Stream stream = machine.default_stream();
};

constexpr std::string_view advice =
    "If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
    "fragmentation.  See documentation for Memory Management  "
    "(https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)";

std::string start_of_text(Simulated& machine, const std::string& wanted) {
  const device::MemoryInfo memory = machine.device().memory_info().value();
  return "CUDA out of memory. Tried to allocate " + wanted + ". GPU 0 has a total capacity of " +
         format_bytes(memory.total_bytes) + " of which " + format_bytes(memory.free_bytes) + " is free. ";
}

TEST_F(OutOfMemory, SaysWhatPyTorchSays) {
  EXPECT_EQ(failure_of(1024_GiB * 781'250),
            start_of_text(machine, "800000000.00 GiB") +
                "Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is "
                "reserved by PyTorch but unallocated. " +
                std::string(advice));
  EXPECT_EQ(failure_of(std::size_t{1} << 60U), "CUDA out of memory. Tried to allocate more than 1EB memory.");
  EXPECT_EQ(allocator.stats().num_ooms, 1);
}

TEST_F(OutOfMemory, SaysTheLimitTheProcessAndPrivatePools) {
  const PoolId pool = graph_pool_handle();
  allocator.begin_allocate_to_pool(pool, on_this_thread());
  allocator.free(allocate(3_MiB));
  allocator.end_allocate_to_pool(pool);
  static_cast<void>(allocate(1_MiB));
  limit(40_GiB);
  allocator.set_process_memory_query([] { return std::optional<std::uint64_t>(610_MiB); });
  EXPECT_EQ(failure_of(41_GiB),
            start_of_text(machine, "41.00 GiB") +
                "Including non-PyTorch memory, this process has 610.00 MiB memory in use. 40.00 GiB "
                "allowed; Of the allocated memory 21.00 MiB is allocated by PyTorch, with 20.00 MiB "
                "allocated in private pools (e.g., CUDA Graphs), and 1024.00 KiB is reserved by PyTorch "
                "but unallocated. " +
                std::string(advice));
}

TEST_F(OutOfMemory, ReleasesTheCacheAndTriesAgain) {
  limit(100_MiB);
  allocator.free(allocate(60_MiB));
  EXPECT_NE(allocate(80_MiB), nullptr);
  const MemoryStatistics stats = allocator.stats();
  EXPECT_EQ(stats.num_alloc_retries, 1);
  EXPECT_EQ(stats.num_sync_all_streams, 1);
  EXPECT_EQ(stats.num_ooms, 0);
  EXPECT_EQ(stats.num_device_free, 1);
  EXPECT_EQ(failure_of(80_MiB).substr(0, 52), "CUDA out of memory. Tried to allocate 80.00 MiB. GPU");
  EXPECT_EQ(allocator.stats().num_alloc_retries, 2);
  EXPECT_EQ(allocator.stats().num_sync_all_streams, 2);
  EXPECT_EQ(allocator.stats().num_ooms, 1);
}

TEST_F(OutOfMemory, HoldsOnTheDevicesOwnMemoryToo) {
  const std::uint64_t most = machine.device().memory_info().value().free_bytes / 2_MiB * 2_MiB;
  void* all = allocate(most);
  EXPECT_THROW(static_cast<void>(allocate(2_MiB)), OutOfMemoryError);
  allocator.free(all);
  EXPECT_NE(allocate(2_MiB), nullptr);  // from the cache
  EXPECT_EQ(machine.device().last_error(), device::Status::success);
}

TEST_F(OutOfMemory, DoesNotRetryWhileAllocationsAreRouted) {
  limit(100_MiB);
  allocator.free(allocate(60_MiB));
  const PoolId pool = graph_pool_handle();
  allocator.begin_allocate_to_pool(pool, on_stream(machine.side_stream()));
  EXPECT_NE(failure_of(80_MiB), "allocated");
  const MemoryStatistics stats = allocator.stats();
  EXPECT_EQ(stats.num_alloc_retries, 0);
  EXPECT_EQ(stats.num_sync_all_streams, 0);
  EXPECT_EQ(stats.num_ooms, 1);
}

TEST_F(OutOfMemory, AsksCallbacksFirstAndTellsObserversLast) {
  limit(40_MiB);
  void* kept = allocate(30_MiB);
  int asked = 0;
  allocator.add_free_memory_callback([&] {
    ++asked;
    if (kept == nullptr) return false;
    allocator.free(std::exchange(kept, nullptr));
    return true;
  });
  std::vector<OutOfMemoryReport> reports;
  allocator.add_out_of_memory_observer([&](const OutOfMemoryReport& report) { reports.push_back(report); });
  void* pointer = allocate(30_MiB);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(allocator.stats().num_alloc_retries, 0);
  EXPECT_TRUE(reports.empty());
  EXPECT_NE(failure_of(35_MiB), "allocated");
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].segment_bytes, 36_MiB);
  EXPECT_EQ(reports[0].limit_bytes / 1_MiB, 40U);
  allocator.free(pointer);
}

TEST_F(OutOfMemory, TakesFromPoolsThatOfferIt) {
  const PoolId pool = graph_pool_handle();
  allocator.retain_pool(pool, {.use_on_out_of_memory = true});
  allocator.begin_allocate_to_pool(pool, on_this_thread());
  void* pooled = allocate(30_MiB);
  allocator.end_allocate_to_pool(pool);
  allocator.free(pooled);
  limit(31_MiB);
  EXPECT_EQ(allocate(30_MiB), pooled);
  EXPECT_EQ(allocator.stats().num_alloc_retries, 0);
}

TEST_F(OutOfMemory, GivesBigBlocksBackBeforeEverythingElse) {
  allocator.set_settings("max_split_size_mb:32");
  limit(200_MiB);
  allocator.free(allocate(20_MiB));
  allocator.free(allocate(100_MiB));
  allocator.free(allocate(70_MiB));
  static_cast<void>(allocate(150_MiB));
  const MemoryStatistics stats = allocator.stats();
  EXPECT_EQ(stats.num_alloc_retries, 0);
  EXPECT_EQ(stats.num_device_free, 2);
  EXPECT_EQ(stats.reserved_bytes.all.current, static_cast<std::int64_t>(170_MiB));
  EXPECT_EQ(stats.oversize_segments, (Statistic{1, 2, 3, 2}));
}

/// As PyTorch: the bound itself is big.
TEST_F(OutOfMemory, BlocksOfTheBoundAreGivenBackToo) {
  allocator.set_settings("max_split_size_mb:32");
  limit(100_MiB);
  void* const first = allocate(32_MiB);
  void* const second = allocate(32_MiB);
  void* const smaller = allocate(30_MiB);
  allocator.free(first);
  allocator.free(second);
  allocator.free(smaller);
  static_cast<void>(allocate(64_MiB));
  const MemoryStatistics stats = allocator.stats();
  EXPECT_EQ(stats.num_alloc_retries, 0);
  EXPECT_EQ(stats.num_device_free, 2);
  EXPECT_EQ(stats.reserved_bytes.all.current, static_cast<std::int64_t>(94_MiB));
}

TEST_F(OutOfMemory, FractionsOutsideTheRangeAreRejected) {
  for (const auto& [fraction, text] : {std::pair{-0.1, "Invalid fraction value: -0.1. Allowed range: 0~1"},
                                       std::pair{-1.0, "Invalid fraction value: -1.0. Allowed range: 0~1"},
                                       std::pair{1.5, "Invalid fraction value: 1.5. Allowed range: 0~1"},
                                       std::pair{2.0, "Invalid fraction value: 2.0. Allowed range: 0~1"},
                                       std::pair{1e300, "Invalid fraction value: 1e+300. Allowed range: 0~1"}}) {
    try {
      allocator.set_memory_fraction(fraction);
      ADD_FAILURE();
    } catch (const UsageError& error) {
      EXPECT_STREQ(error.what(), text);
    }
  }
  allocator.set_memory_fraction(0.5);
  EXPECT_EQ(allocator.memory_fraction(), 0.5);
}

// What is released first is then looked for among small blocks, of which none is so large.
TEST(SmallRequest, RunsOutOfMemoryWithALimitOnSplittingToo) {
  Simulated machine;
  machine.allocator().set_settings("max_split_size_mb:20");
  machine.allocator().set_memory_fraction(0.0);
  EXPECT_THROW(static_cast<void>(machine.allocator().allocate(512, machine.default_stream())), OutOfMemoryError);
}

}  // namespace
}  // namespace gpucheck::runtime::test
