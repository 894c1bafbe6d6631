#include <gtest/gtest.h>
#include <memory>
#include <sstream>

#include "base/text/units.hpp"
#include "device/sim/sim_driver.hpp"
#include "observe/history/memory_history.hpp"
#include "observe/snapshot/named_objects.hpp"
#include "observe/snapshot/snapshot_file.hpp"
#include "replay/formats/file.hpp"
#include "replay/formats/snapshot/snapshot.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::replay {
namespace {

using namespace literals;
using observe::MemorySnapshot;

/// A snapshot of blocks in two streams and a private pool, with stacks, after a failure.
MemorySnapshot observed_snapshot() {
  const auto driver = sim::make_driver({.profile = sim::profile("h100")});
  const auto device = driver->open(0).value();
  runtime::Runtime runtime(*device);
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  observe::MemoryHistory history(allocator, 0);
  const device::Stream side = runtime.streams().next();
  history.record({.context = observe::ContextLevel::none});
  for (int i = 0; i < 700; ++i) allocator.free(allocator.allocate(1000, side));
  history.record({});
  const runtime::PoolId pool = runtime::graph_pool_handle();
  allocator.begin_allocate_to_pool(pool, runtime::on_stream(side));
  static_cast<void>(allocator.allocate(32_MiB, side));
  allocator.end_allocate_to_pool(pool);
  static_cast<void>(allocator.allocate(1000, device->default_stream()));
  void* pending = allocator.allocate(2000, device->default_stream());
  allocator.record_stream(pending, side);
  allocator.free(pending);
  EXPECT_THROW(static_cast<void>(allocator.allocate(800_GiB, side)), runtime::OutOfMemoryError);
  static_cast<void>(history.snapshot());
  MemorySnapshot snapshot = history.snapshot();
  observe::name_objects(snapshot, runtime);
  snapshot.pools.front().graphs = {11, 12};
  return snapshot;
}

std::string json_of(const MemorySnapshot& snapshot) {
  std::ostringstream text;
  observe::write_json(snapshot, text);
  return text.str();
}

std::string pickle_of(const MemorySnapshot& snapshot) {
  std::ostringstream bytes;
  observe::write_pickle(snapshot, bytes);
  return bytes.str();
}

/// Both formats of it, as gpucheck's own readers see them.
void expect_read_back(const MemorySnapshot& snapshot, const std::string& bytes) {
  const Snapshot read = read_snapshot_bytes("snapshot", bytes);
  ASSERT_EQ(read.segments.size(), snapshot.segments.size());
  for (std::size_t i = 0; i < read.segments.size(); ++i) {
    const runtime::SegmentInfo& expected = snapshot.segments[i].info;
    EXPECT_EQ(read.segments[i].address, expected.address);
    EXPECT_EQ(read.segments[i].total_size, expected.total_size);
    EXPECT_EQ(read.segments[i].stream, expected.stream.value);
    EXPECT_EQ(read.segments[i].pool, (PoolId{expected.pool.first, expected.pool.second}));
    EXPECT_EQ(read.segments[i].is_large, expected.is_large);
    ASSERT_EQ(read.segments[i].blocks.size(), expected.blocks.size());
    for (std::size_t k = 0; k < expected.blocks.size(); ++k) {
      EXPECT_EQ(read.segments[i].blocks[k].size, expected.blocks[k].size);
      EXPECT_EQ(read.segments[i].blocks[k].requested_size, expected.blocks[k].requested_size);
    }
  }
  ASSERT_EQ(read.device_traces.size(), 1U);
  ASSERT_EQ(read.device_traces[0].size(), snapshot.trace.size());
  for (std::size_t i = 0; i < snapshot.trace.size(); ++i) {
    EXPECT_EQ(read.device_traces[0][i].address, snapshot.trace[i].address);
    EXPECT_EQ(read.device_traces[0][i].size, snapshot.trace[i].size);
    EXPECT_EQ(read.device_traces[0][i].stream, snapshot.trace[i].stream.value);
    EXPECT_EQ(read.device_traces[0][i].time_us, snapshot.trace[i].time_us);
  }
  ASSERT_EQ(snapshot.streams.size(), 2U);
  ASSERT_EQ(read.streams.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.streams[i].device, 0U);
    EXPECT_EQ(read.streams[i].handle, snapshot.streams[i].stream.value);
    EXPECT_EQ(read.streams[i].id, snapshot.streams[i].id);
    EXPECT_EQ(read.streams[i].name, snapshot.streams[i].name);
  }
  ASSERT_EQ(snapshot.pools.size(), 1U);
  ASSERT_EQ(read.pools.size(), 1U);
  EXPECT_EQ(read.pools[0].pool, (PoolId{snapshot.pools[0].pool.first, snapshot.pools[0].pool.second}));
  EXPECT_EQ(read.pools[0].use_count, 1U);
  EXPECT_EQ(read.pools[0].graphs, (std::vector<std::uint64_t>{11, 12}));
}

TEST(ObservedSnapshot, IsReadBackFromBothFormats) {
  const MemorySnapshot snapshot = observed_snapshot();
  expect_read_back(snapshot, json_of(snapshot));
  expect_read_back(snapshot, pickle_of(snapshot));
}

}  // namespace
}  // namespace gpucheck::replay
