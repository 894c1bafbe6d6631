#include "observe/snapshot/named_objects.hpp"

#include <gtest/gtest.h>

#include "base/text/units.hpp"
#include "observe/history/memory_history.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/streams/stream.hpp"
#include "simulated.hpp"

namespace gpucheck::observe::test {
namespace {

using namespace literals;

class NamedObjects : public ::testing::Test {
 protected:
  [[nodiscard]] MemorySnapshot named() {
    MemorySnapshot snapshot = history_.snapshot();
    name_objects(snapshot, machine_.runtime);
    return snapshot;
  }
  void capture(runtime::Graph& graph, runtime::PoolId pool = {}) {
    const runtime::StreamScope current = runtime::Stream::from_pool(machine_.runtime).make_current();
    graph.capture_begin(pool);
    graph.capture_end();
  }

  Simulated machine_;
  MemoryHistory history_{machine_.allocator, 0};
};

TEST_F(NamedObjects, StreamsOfSegmentsAndEventsByIdAndName) {
  const device::Stream high = machine_.runtime.streams().next(-1);
  const device::Stream low = machine_.runtime.streams().next();
  static_cast<void>(machine_.allocator.allocate(1000, high));
  static_cast<void>(machine_.allocator.allocate(1000, machine_.runtime.device().default_stream()));
  const device::Stream foreign = machine_.runtime.device().create_stream(device::StreamKind::non_blocking, 0).value();
  static_cast<void>(machine_.allocator.allocate(1000, foreign));
  history_.record({});
  machine_.allocator.free(machine_.allocator.allocate(1000, low));
  machine_.allocator.empty_cache();  // of the low stream only events are left
  const MemorySnapshot snapshot = named();
  ASSERT_EQ(snapshot.streams.size(), 4U);
  EXPECT_EQ(snapshot.streams[0].id, 0);
  EXPECT_EQ(snapshot.streams[0].name, "default");
  EXPECT_EQ(snapshot.streams[1].id, 3);
  EXPECT_EQ(snapshot.streams[1].name, "priority 0, stream 0");
  EXPECT_EQ(snapshot.streams[1].stream, low);
  EXPECT_EQ(snapshot.streams[2].id, 5);
  EXPECT_EQ(snapshot.streams[2].name, "priority -1, stream 0");
  EXPECT_EQ(snapshot.streams[3].id, static_cast<std::int64_t>(foreign.value));
  EXPECT_EQ(snapshot.streams[3].name, "external");
}

TEST_F(NamedObjects, PoolsByTheGraphsThatHoldThem) {
  const runtime::PoolId shared = runtime::graph_pool_handle();
  runtime::Graph first(machine_.runtime);
  runtime::Graph second(machine_.runtime);
  runtime::Graph alone(machine_.runtime);
  capture(first, shared);
  capture(second, shared);
  capture(alone);
  machine_.allocator.retain_pool(shared);
  MemorySnapshot snapshot = named();
  ASSERT_EQ(snapshot.pools.size(), 2U);
  EXPECT_EQ(snapshot.pools[0].pool, shared);
  EXPECT_EQ(snapshot.pools[0].graphs, (std::vector{first.number(), second.number()}));
  EXPECT_EQ(snapshot.pools[0].use_count, 3);
  EXPECT_EQ(snapshot.pools[1].pool, alone.pool());
  EXPECT_EQ(snapshot.pools[1].graphs, std::vector{alone.number()});

  first.reset();
  alone.reset();
  snapshot = named();
  ASSERT_EQ(snapshot.pools.size(), 1U);
  EXPECT_EQ(snapshot.pools[0].graphs, std::vector{second.number()});
  EXPECT_EQ(snapshot.pools[0].use_count, 2);
}

TEST_F(NamedObjects, APoolThatWasReleasedKeepsItsMemoryAndHasNoUser) {
  const runtime::PoolId pool = runtime::graph_pool_handle();
  machine_.allocator.begin_allocate_to_pool(pool, runtime::on_this_thread());
  void* const block = machine_.allocator.allocate(1000, machine_.stream);
  machine_.allocator.end_allocate_to_pool(pool);
  machine_.allocator.release_pool(pool);
  const MemorySnapshot snapshot = named();
  ASSERT_EQ(snapshot.pools.size(), 1U);
  EXPECT_EQ(snapshot.pools[0].use_count, 0);
  EXPECT_TRUE(snapshot.pools[0].graphs.empty());
  machine_.allocator.free(block);
}

TEST_F(NamedObjects, ACaptureThatFailedLetsGoOfThePoolBefore) {
  runtime::Graph graph(machine_.runtime);
  const runtime::PoolId first = runtime::graph_pool_handle();
  const runtime::PoolId second = runtime::graph_pool_handle();
  for (const runtime::PoolId pool : {first, second}) {
    const runtime::StreamScope current = runtime::Stream::from_pool(machine_.runtime).make_current();
    graph.capture_begin(pool);
    static_cast<void>(machine_.runtime.device().synchronize());  // breaks the capture
    EXPECT_THROW(graph.capture_end(), Error);
  }
  const MemorySnapshot snapshot = named();
  ASSERT_EQ(snapshot.pools.size(), 1U);
  EXPECT_EQ(snapshot.pools[0].pool, second);
  EXPECT_EQ(snapshot.pools[0].graphs, std::vector{graph.number()});
}

}  // namespace
}  // namespace gpucheck::observe::test
