#include "runtime/allocator/memory_recorder.hpp"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "base/text/units.hpp"
#include "runtime/tests/simulated.hpp"
#include "runtime/trace/gpu_trace_sink.hpp"

namespace gpucheck::runtime::test {
namespace {

using namespace literals;
using Events = std::vector<std::string>;

/// Writes down what it hears: action, size and the call that it came from.
class Recorder : public MemoryRecorder {
 public:
  CallContext context_of(MemoryCall call) noexcept override { return {.caller = static_cast<CallerNumber>(call) + 1}; }
  void prepare_shards(std::size_t count) override { shards = count; }
  void record(std::size_t shard, const MemoryEvent& event, CallContext context) noexcept override {
    EXPECT_LT(shard, shards);
    static const std::map<CallerNumber, std::string> calls{{1, "allocate"}, {2, "free"}, {3, "empty_cache"}};
    events.push_back(std::string(name_of(event.action)) + " " + std::to_string(event.size) + " in " +
                     calls.at(context.caller) + (event.was_split ? " split" : ""));
    last = event;
  }
  void record_free(std::size_t shard, const MemoryEvent& requested, CallContext context) noexcept override {
    record(shard, requested, context);
    MemoryEvent completed = requested;
    completed.action = MemoryAction::free_completed;
    record(shard, completed, context);
  }

  std::size_t shards = 0;
  Events events;
  MemoryEvent last;
};

class ObservedAllocator : public testing::Test {
 protected:
  ObservedAllocator() { allocator.set_memory_recorder(&recorder); }
  ~ObservedAllocator() override { allocator.set_memory_recorder(nullptr); }

  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  device::Stream stream = machine.default_stream();
  Recorder recorder;
};

TEST_F(ObservedAllocator, TellsOfSegmentsBlocksAndFrees) {
  allocator.free(allocator.allocate(1000, stream));
  allocator.free(allocator.allocate(700, stream));
  allocator.empty_cache();
  EXPECT_EQ(recorder.events,
            (Events{"segment_alloc 2097152 in allocate", "alloc 1000 in allocate", "free_requested 1000 in free",
                    "free_completed 1000 in free", "alloc 700 in allocate", "free_requested 700 in free",
                    "free_completed 700 in free", "segment_free 2097152 in empty_cache split"}));
}

TEST_F(ObservedAllocator, ASegmentThatWasNeverCutIsNotCalledSplit) {
  allocator.free(allocator.allocate(32_MiB, stream));
  allocator.empty_cache();
  EXPECT_EQ(recorder.events.back(), "segment_free 33554432 in empty_cache");
}

TEST_F(ObservedAllocator, ABlockThatAnotherStreamUsesIsCompletedWhenItsEventIs) {
  void* block = allocator.allocate(1000, stream);
  allocator.record_stream(block, machine.side_stream());
  recorder.events.clear();
  allocator.free(block);
  EXPECT_EQ(recorder.events, (Events{"free_requested 1000 in free"}));
  static_cast<void>(machine.device().synchronize());
  allocator.free(allocator.allocate(512, stream));
  EXPECT_EQ(recorder.events[1], "free_completed 1000 in allocate");
}

TEST_F(ObservedAllocator, TellsOfAFailureWithTheRoundedSizeAndTheBytesLeft) {
  EXPECT_THROW(static_cast<void>(allocator.allocate(800_GiB - 1, stream)), OutOfMemoryError);
  EXPECT_EQ(recorder.events, (Events{"oom 858993459200 in allocate"}));
  EXPECT_EQ(recorder.last.address, machine.device().memory_info().value().free_bytes);
}

TEST_F(ObservedAllocator, NamesTheStreamAndThePool) {
  const device::Stream side = machine.side_stream();
  const PoolId pool = graph_pool_handle();
  allocator.begin_allocate_to_pool(pool, on_stream(side));
  void* block = allocator.allocate(1000, side);
  allocator.end_allocate_to_pool(pool);
  EXPECT_EQ(recorder.last.stream, side);
  EXPECT_EQ(recorder.last.pool, pool);
  allocator.free(block);
  EXPECT_EQ(recorder.last.stream, side);
  EXPECT_EQ(recorder.last.pool, pool);
  allocator.release_pool(pool);
}

TEST_F(ObservedAllocator, IsToldNothingOnceReplacedNorInUncachedMode) {
  allocator.set_caching(false);
  allocator.free(allocator.allocate(1000, stream));
  allocator.set_caching(true);
  allocator.set_memory_recorder(nullptr);
  allocator.free(allocator.allocate(1000, stream));
  EXPECT_EQ(recorder.events, Events{});
}

TEST_F(ObservedAllocator, IsToldOfANewShardBeforeItsFirstEvent) {
  allocator.free(allocator.allocate(1000, machine.side_stream()));
  EXPECT_EQ(recorder.shards, 1U);
  allocator.free(allocator.allocate(1000, machine.side_stream()));
  EXPECT_EQ(recorder.shards, 2U);
}

class SinkOfAddresses : public GpuTraceSink {
 public:
  void memory_allocation(std::uintptr_t address) noexcept override { allocated.push_back(address); }
  void memory_deallocation(std::uintptr_t address) noexcept override { freed.push_back(address); }
  std::vector<std::uintptr_t> allocated, freed;
};

TEST(GpuTraceSink, IsToldOfMemoryHandedOutAndGivenUpCachedOrNot) {
  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  SinkOfAddresses sink;
  allocator.set_gpu_trace_sink(&sink);
  std::vector<std::uintptr_t> expected;
  for (const bool caching : {true, false}) {
    allocator.set_caching(caching);
    void* block = allocator.allocate(1000, machine.default_stream());
    expected.push_back(reinterpret_cast<std::uintptr_t>(block));
    allocator.free(block);
  }
  EXPECT_EQ(allocator.allocate(0, machine.default_stream()), nullptr);
  allocator.free(nullptr);
  int unknown = 0;
  EXPECT_THROW(allocator.free(&unknown), Error);
  allocator.set_caching(true);
  void* freed = allocator.allocate(1000, machine.default_stream());
  expected.push_back(reinterpret_cast<std::uintptr_t>(freed));
  allocator.free(freed);
  EXPECT_THROW(allocator.free(freed), Error) << "it is not in use any more";
  EXPECT_EQ(sink.allocated, expected);
  EXPECT_EQ(sink.freed, expected);
  allocator.set_gpu_trace_sink(nullptr);
}

}  // namespace
}  // namespace gpucheck::runtime::test
