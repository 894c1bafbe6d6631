#include <gtest/gtest.h>
#include <thread>

#include "base/text/units.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/tests/simulated.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::runtime::test {

namespace ops = tensor::ops;
namespace {

void keep_busy(Simulated& machine, device::Stream stream) {
  ASSERT_EQ(device::launch(machine.device(), device::kernels::Spin{long_time_ns}, 1, stream), device::Status::success);
}

TEST(StreamPool, HandsOut32StreamsInTurn) {
  Simulated machine;
  StreamPool& pool = machine.runtime().streams();
  std::vector<device::Stream> streams;
  for (int i = 0; i < 33; ++i) streams.push_back(pool.next());
  for (std::size_t i = 1; i < 32; ++i) EXPECT_NE(streams[i], streams[0]);
  EXPECT_EQ(streams[32], streams[0]);
}

// Ids and priorities: PyTorch 2.11 on an H100, recorded.
TEST(StreamPool, IdsAndPriorities) {
  Simulated machine;
  StreamPool& pool = machine.runtime().streams();
  EXPECT_EQ(pool.stream_id(machine.default_stream()), 0);
  EXPECT_EQ(pool.stream_id(pool.next()), 3);
  EXPECT_EQ(pool.stream_id(pool.next()), 35);
  EXPECT_EQ(pool.stream_id(pool.next(-1)), 5);
  EXPECT_EQ(pool.stream_id(pool.next(-2)), 7);
  EXPECT_EQ(pool.stream_id(pool.next(-3)), 9);
  const device::Stream clamped = pool.next(-10);
  EXPECT_EQ(pool.stream_id(clamped), 41);
  EXPECT_EQ(pool.priority(clamped), -3);
  EXPECT_EQ(pool.stream_id(pool.next(1)), 67);
  EXPECT_EQ(pool.greatest_priority(), -3);
}

TEST(CurrentStream, IsEachThreadsOwn) {
  Simulated machine;
  const device::Stream side = machine.side_stream();
  {
    const CurrentStreamGuard guard(machine.runtime(), side);
    EXPECT_EQ(machine.runtime().current_stream(), side);
    std::thread([&] { EXPECT_EQ(machine.runtime().current_stream(), machine.default_stream()); }).join();
  }
  EXPECT_EQ(machine.runtime().current_stream(), machine.default_stream());
}

TEST(RecordStream, ABlockIsNotReusedBeforeTheOtherStreamIsDone) {
  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  const device::Stream side = machine.side_stream();
  void* pointer = allocator.allocate(1_MiB, machine.default_stream());
  keep_busy(machine, side);
  allocator.record_stream(pointer, side);
  allocator.record_stream(pointer, side);
  allocator.free(pointer);
  MemoryStatistics stats = allocator.stats();
  EXPECT_EQ(stats.allocation.all.current, 0);
  EXPECT_EQ(stats.active.all.current, 1);
  EXPECT_EQ(allocator.snapshot()[0].blocks[0].state, BlockState::active_pending_free);
  void* other = allocator.allocate(1_MiB, machine.default_stream());
  EXPECT_NE(other, pointer);
  ASSERT_EQ(machine.device().synchronize(side), device::Status::success);
  EXPECT_EQ(allocator.allocate(1_MiB, machine.default_stream()), pointer);
  EXPECT_EQ(allocator.stats().active.all.current, 2);
}

TEST(RecordStream, ABlockWhoseFreeIsPendingCountsInThePeakOfActiveOnes) {
  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  const device::Stream side = machine.side_stream();
  void* pending = allocator.allocate(1_MiB, machine.default_stream());
  keep_busy(machine, side);
  allocator.record_stream(pending, side);
  allocator.free(pending);
  allocator.free(allocator.allocate(1_MiB, machine.default_stream()));
  allocator.empty_cache();
  const MemoryStatistics stats = allocator.stats();
  EXPECT_EQ(stats.allocation.all.peak, 1);
  EXPECT_EQ(stats.active.all.peak, 2);
  EXPECT_EQ(stats.active_bytes.all.peak, std::int64_t{2_MiB});
  EXPECT_EQ(stats.active.all.current, 0);
}

TEST(RecordStream, TheBlocksOwnStreamNeedsNoRecord) {
  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  void* pointer = allocator.allocate(1_MiB, machine.default_stream());
  keep_busy(machine, machine.default_stream());
  allocator.record_stream(pointer, machine.default_stream());
  allocator.free(pointer);
  EXPECT_EQ(allocator.stats().active.all.current, 0);
}

TEST(RecordStream, AnUnfinishedStreamHoldsUpNoOther) {
  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  const device::Stream busy = machine.side_stream();
  const device::Stream idle = machine.side_stream();
  void* first = allocator.allocate(1_MiB, machine.default_stream());
  void* second = allocator.allocate(1_MiB, machine.default_stream());
  keep_busy(machine, busy);
  allocator.record_stream(first, busy);
  allocator.record_stream(second, idle);
  allocator.free(first);
  allocator.free(second);
  ASSERT_EQ(machine.device().synchronize(idle), device::Status::success);
  EXPECT_EQ(allocator.allocate(1_MiB, machine.default_stream()), second);
  EXPECT_EQ(allocator.stats().active.all.current, 2);
}

TEST(RecordStream, EmptyCacheWaits) {
  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  const device::Stream side = machine.side_stream();
  void* pointer = allocator.allocate(1_MiB, machine.default_stream());
  keep_busy(machine, side);
  allocator.record_stream(pointer, side);
  allocator.free(pointer);
  allocator.empty_cache();
  EXPECT_EQ(machine.device().query(side), device::Status::success);
  EXPECT_EQ(allocator.stats().reserved_bytes.all.current, 0);
  EXPECT_EQ(allocator.stats().active.all.current, 0);
}

TEST(RecordStream, DuringRoutingTheFreeIsPutOff) {
  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  const device::Stream side = machine.side_stream();
  void* before = allocator.allocate(1_MiB, machine.default_stream());
  void* during = allocator.allocate(1_MiB, machine.default_stream());
  keep_busy(machine, side);
  allocator.record_stream(before, side);
  const PoolId pool = graph_pool_handle();
  allocator.begin_allocate_to_pool(pool, on_stream(side));
  allocator.record_stream(during, side);
  allocator.free(before);
  allocator.free(during);
  EXPECT_EQ(allocator.stats().active.all.current, 2);
  allocator.end_allocate_to_pool(pool);
  // What was recorded during the routing needs no event; what was recorded before does.
  EXPECT_EQ(allocator.allocate(1_MiB, machine.default_stream()), during);
  EXPECT_EQ(allocator.stats().active.all.current, 2);
}

/// Writes on one stream, reads on another, frees and writes anew: safe only because the
/// block is kept from reuse until the reader is done.
void reuse_after_reader(Simulated& machine, bool record) {
  Runtime& runtime = machine.runtime();
  device::Device& device = machine.device();
  const device::Stream writer = machine.side_stream();
  const device::Stream reader = machine.side_stream();
  Buffer<std::int64_t> total(runtime, 1, reader);
  for (std::int64_t round = 0; round < 2; ++round) {
    Buffer<std::int64_t> data(runtime, 4096, writer);
    ops::fill(runtime, data.data(), data.size(), round, writer);
    const auto written = device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::no_timing));
    ASSERT_EQ(device.record(written.get(), writer), device::Status::success);
    ASSERT_EQ(device.wait(reader, written.get()), device::Status::success);
    keep_busy(machine, reader);
    ops::sum(runtime, data.data(), data.size(), total.data(), reader);
    if (record) data.record_stream(reader);
  }
  ASSERT_EQ(device.synchronize(), device::Status::success);
}

TEST(RecordStream, KeepsReuseFreeOfRaces) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Simulated machine(seed);
    reuse_after_reader(machine, true);
    EXPECT_TRUE(machine.driver().races().empty()) << "seed " << seed;
  }
}

TEST(RecordStream, ForgettingItIsARace) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Simulated machine(seed);
    reuse_after_reader(machine, false);
    const std::vector<sim::Race> races = machine.driver().races();
    ASSERT_FALSE(races.empty()) << "seed " << seed;
    // The reader is late: what is written next reaches the memory before it.
    EXPECT_EQ(races[0].earlier, "fill_vectors");
    EXPECT_EQ(races[0].later, "sum_integers");
  }
}

}  // namespace
}  // namespace gpucheck::runtime::test
