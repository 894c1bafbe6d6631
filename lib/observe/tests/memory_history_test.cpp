#include "observe/history/memory_history.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/text/units.hpp"
#include "observe/history/scope.hpp"
#include "simulated.hpp"

namespace application {

using gpucheck::observe::test::Simulated;

[[gnu::noinline]] void* the_allocation(Simulated& machine, std::size_t bytes) {
  void* pointer = machine.allocator.allocate(bytes, machine.stream);
  asm volatile("" ::: "memory");
  return pointer;
}
[[gnu::noinline]] void the_free(Simulated& machine, void* pointer) {
  machine.allocator.free(pointer);
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void the_release(Simulated& machine) {
  machine.allocator.empty_cache();
  asm volatile("" ::: "memory");
}

}  // namespace application

namespace gpucheck::observe::test {
namespace {

using namespace literals;
using runtime::MemoryAction;
using Texts = std::vector<std::string>;

class MemoryHistoryTest : public testing::Test {
 protected:
  Simulated machine;
  MemoryHistory history{machine.allocator, 0};
};

/// "action size" of each event.
Texts events(const MemorySnapshot& snapshot) {
  Texts result;
  for (const TraceEntry& entry : snapshot.trace) {
    result.push_back(std::string(runtime::name_of(entry.action)) + " " + std::to_string(entry.size));
  }
  return result;
}

bool contains(const MemorySnapshot& snapshot, StackNumber stack, std::string_view function) {
  return std::ranges::any_of(snapshot.stacks[stack],
                             [function](const Frame& frame) { return frame.name.find(function) != std::string::npos; });
}

/// Which of the three functions the stack of each event names; "" for none of them.
Texts callers(const MemorySnapshot& snapshot) {
  Texts result;
  for (const TraceEntry& entry : snapshot.trace) {
    std::string& found = result.emplace_back();
    for (const char* function : {"the_allocation", "the_free", "the_release"}) {
      if (contains(snapshot, entry.stack, function)) found = function;
    }
  }
  return result;
}

void allocate_free_and_release(Simulated& machine) {
  application::the_free(machine, application::the_allocation(machine, 1000));
  application::the_release(machine);
}

TEST_F(MemoryHistoryTest, RecordsNothingUntilToldTo) {
  allocate_free_and_release(machine);
  EXPECT_TRUE(history.snapshot().trace.empty());
}

TEST_F(MemoryHistoryTest, KeepsEventsInOrderWithTheBytesAskedFor) {
  history.record({});
  allocate_free_and_release(machine);
  EXPECT_EQ(events(history.snapshot()), (Texts{"segment_alloc 2097152", "alloc 1000", "free_requested 1000",
                                               "free_completed 1000", "segment_free 2097152"}));
}

TEST_F(MemoryHistoryTest, TheContextLevelSaysWhichEventsHaveWhichStacks) {
  const auto callers_at = [this](ContextLevel level) {
    history.record({.context = level, .clear_history = true});
    allocate_free_and_release(machine);
    return callers(history.snapshot());
  };
  EXPECT_EQ(callers_at(ContextLevel::none), Texts(5, ""));
  EXPECT_EQ(callers_at(ContextLevel::state), Texts(5, ""));
  // The segment was split, so that where it was obtained is not known any more.
  EXPECT_EQ(callers_at(ContextLevel::alloc),
            (Texts{"the_allocation", "the_allocation", "the_allocation", "the_allocation", ""}));
  EXPECT_EQ(callers_at(ContextLevel::all),
            (Texts{"the_allocation", "the_allocation", "the_free", "the_free", "the_release"}));
}

TEST_F(MemoryHistoryTest, ReleasingAWholeSegmentShowsWhereItWasObtained) {
  history.record({.context = ContextLevel::alloc});
  application::the_free(machine, application::the_allocation(machine, 32_MiB));
  application::the_release(machine);
  EXPECT_EQ(callers(history.snapshot()).back(), "the_allocation");
}

TEST_F(MemoryHistoryTest, LiveBlocksAndSegmentsShowWhereTheyWereAllocated) {
  history.record({.recording = Recording::state, .context = ContextLevel::state});
  void* small = application::the_allocation(machine, 1000);
  void* large = application::the_allocation(machine, 32_MiB);
  MemorySnapshot snapshot = history.snapshot();
  ASSERT_EQ(snapshot.segments.size(), 2U);
  for (const SnapshotSegment& segment : snapshot.segments) {
    EXPECT_TRUE(contains(snapshot, segment.block_stacks[0], "the_allocation"));
    // The small one was split.
    EXPECT_EQ(contains(snapshot, segment.stack, "the_allocation"), segment.info.is_large);
  }
  machine.allocator.free(small);
  machine.allocator.free(large);
  snapshot = history.snapshot();
  for (const SnapshotSegment& segment : snapshot.segments) EXPECT_EQ(segment.block_stacks[0], 0U);
}

TEST_F(MemoryHistoryTest, ABlockThatAnotherStreamStillUsesKeepsItsStack) {
  history.record({.context = ContextLevel::alloc});
  void* block = application::the_allocation(machine, 1000);
  machine.allocator.record_stream(block, machine.runtime.streams().next());
  application::the_free(machine, block);
  const MemorySnapshot snapshot = history.snapshot();
  ASSERT_EQ(snapshot.segments[0].info.blocks[0].state, runtime::BlockState::active_pending_free);
  EXPECT_TRUE(contains(snapshot, snapshot.segments[0].block_stacks[0], "the_allocation"));
}

TEST_F(MemoryHistoryTest, BlocksKeepTheirStacksAfterRecordingEnds) {
  history.record({.context = ContextLevel::state});
  void* kept = application::the_allocation(machine, 1000);
  void* freed = application::the_allocation(machine, 2000);
  history.record({.recording = Recording::off});
  machine.allocator.free(freed);
  machine.allocator.free(machine.allocator.allocate(2000, machine.stream));
  void* unknown = machine.allocator.allocate(2000, machine.stream);
  const MemorySnapshot snapshot = history.snapshot();
  EXPECT_TRUE(snapshot.trace.empty());
  EXPECT_TRUE(contains(snapshot, snapshot.segments[0].block_stacks[0], "the_allocation"));
  EXPECT_EQ(snapshot.segments[0].block_stacks[1], 0U);
  machine.allocator.free(kept);
  machine.allocator.free(unknown);
}

TEST_F(MemoryHistoryTest, BriefStacksHaveOnlyTheUsersFunctionsAndScopes) {
  history.record({.stacks = StackKind::brief});
  const Scope outer(history, "epoch");
  const Scope inner(history, "step");
  machine.allocator.free(application::the_allocation(machine, 1000));
  const MemorySnapshot snapshot = history.snapshot();
  const Stack& stack = snapshot.stacks[snapshot.trace[1].stack];
  ASSERT_GE(stack.size(), 3U);
  EXPECT_EQ(stack[0].name, "step");
  EXPECT_EQ(stack[1].name, "epoch");
  EXPECT_NE(stack[0].filename.find("memory_history_test.cpp"), std::string::npos);
  EXPECT_EQ(stack[0].line, stack[1].line + 1);
  EXPECT_NE(stack[2].name.find("the_allocation"), std::string::npos);
  EXPECT_FALSE(contains(snapshot, snapshot.trace[1].stack, "gpucheck::runtime::CachingAllocator::allocate"));
}

TEST_F(MemoryHistoryTest, FullStacksHaveTheLibrarysFunctionsToo) {
  history.record({});
  machine.allocator.free(application::the_allocation(machine, 1000));
  const MemorySnapshot snapshot = history.snapshot();
  EXPECT_TRUE(contains(snapshot, snapshot.trace[1].stack, "gpucheck::observe::unwind"));
  EXPECT_TRUE(contains(snapshot, snapshot.trace[1].stack, "gpucheck::runtime::CachingAllocator::allocate"));
}

TEST_F(MemoryHistoryTest, StateKeepsOnlyTheLastEvent) {
  history.record({.recording = Recording::state});
  allocate_free_and_release(machine);
  EXPECT_EQ(events(history.snapshot()), Texts{"segment_free 2097152"});
}

TEST_F(MemoryHistoryTest, KeepsTheLastEventsOfAllStreamsTogether) {
  history.record({.max_entries = 5});
  std::vector<device::Stream> streams{machine.stream, machine.runtime.streams().next(),
                                      machine.runtime.streams().next()};
  for (std::size_t i = 0; i < 9; ++i) {
    machine.allocator.free(machine.allocator.allocate(100 + i, streams[i % streams.size()]));
  }
  EXPECT_EQ(events(history.snapshot()), (Texts{"free_requested 107", "free_completed 107", "alloc 108",
                                               "free_requested 108", "free_completed 108"}));
}

TEST_F(MemoryHistoryTest, ASmallerLimitKeepsWhatThereIs) {
  history.record({});
  allocate_free_and_release(machine);
  history.record({.max_entries = 2});
  EXPECT_EQ(history.snapshot().trace.size(), 5U);
  machine.allocator.free(machine.allocator.allocate(64_MiB, machine.stream));
  EXPECT_EQ(history.snapshot().trace.size(), 5U);
  history.record({.max_entries = 2, .clear_history = true});
  allocate_free_and_release(machine);
  EXPECT_EQ(events(history.snapshot()), (Texts{"segment_free 67108864", "segment_free 2097152"}));
}

TEST_F(MemoryHistoryTest, OffForgetsTheEvents) {
  history.record({});
  allocate_free_and_release(machine);
  history.record({.recording = Recording::off});
  EXPECT_TRUE(history.snapshot().trace.empty());
  history.record({});
  EXPECT_TRUE(history.snapshot().trace.empty());
}

TEST_F(MemoryHistoryTest, ASnapshotIsSeenByTheNextOne) {
  history.record({});
  void* block = machine.allocator.allocate(1000, machine.stream);
  EXPECT_EQ(history.snapshot().trace.size(), 2U);
  const TraceEntry last = history.snapshot().trace.back();
  EXPECT_EQ(last.action, MemoryAction::snapshot);
  EXPECT_EQ(last.size, 1024U);
  EXPECT_EQ(last.address, 0U);
  EXPECT_EQ(last.stream, device::Stream{});
  machine.allocator.free(block);
}

TEST_F(MemoryHistoryTest, SkippedActionsAreNotKept) {
  history.record({.skip_actions = {MemoryAction::free_requested, MemoryAction::segment_alloc}});
  allocate_free_and_release(machine);
  EXPECT_EQ(events(history.snapshot()), (Texts{"alloc 1000", "free_completed 1000", "segment_free 2097152"}));
}

TEST_F(MemoryHistoryTest, EventsCarryTheLabelsOfTheirTime) {
  history.record({.context = ContextLevel::none});
  void* blocks[4] = {};
  blocks[0] = machine.allocator.allocate(1000, machine.stream);
  history.set_user_metadata("step 1");
  history.push_compile_context("graph 0");
  history.push_compile_context("graph 1");
  blocks[1] = machine.allocator.allocate(1001, machine.stream);
  history.pop_compile_context();
  blocks[2] = machine.allocator.allocate(1002, machine.stream);
  history.pop_compile_context();
  history.set_user_metadata("");
  blocks[3] = machine.allocator.allocate(1003, machine.stream);
  EXPECT_THROW(history.pop_compile_context(), Error);
  const std::vector<TraceEntry> trace = history.snapshot().trace;
  Texts labels;
  for (std::size_t i = 1; i < trace.size(); ++i)
    labels.push_back(trace[i].compile_context + "/" + trace[i].user_metadata);
  EXPECT_EQ(labels, (Texts{"N/A/", "graph 1/step 1", "graph 0/step 1", "N/A/"}));
  for (void* block : blocks) machine.allocator.free(block);
}

TEST_F(MemoryHistoryTest, ScopesAreAnnotationsWhileRecording) {
  { const Scope before(history, "before"); }
  history.record({});
  { const Scope recorded(history, "forward"); }
  const std::vector<Annotation> annotations = history.snapshot().annotations;
  ASSERT_EQ(annotations.size(), 2U);
  EXPECT_EQ(annotations[0].name, "forward");
  EXPECT_EQ(annotations[0].stage, AnnotationStage::start);
  EXPECT_EQ(annotations[1].stage, AnnotationStage::end);
  EXPECT_LE(annotations[0].time_us, annotations[1].time_us);
}

TEST_F(MemoryHistoryTest, AClearedHistoryHasNoScopesEither) {
  history.record({});
  { const Scope recorded(history, "forward"); }
  history.record({.clear_history = true});
  EXPECT_TRUE(history.snapshot().annotations.empty());
}

TEST_F(MemoryHistoryTest, AScopeThatHasEndedIsInNoStack) {
  history.record({});
  {
    const Scope outer(history, "epoch");
    { const Scope inner(history, "step"); }
    machine.allocator.free(machine.allocator.allocate(1000, machine.stream));
  }
  machine.allocator.free(machine.allocator.allocate(1000, machine.stream));
  const MemorySnapshot snapshot = history.snapshot();
  ASSERT_GE(snapshot.trace.size(), 4U);
  EXPECT_TRUE(contains(snapshot, snapshot.trace.front().stack, "epoch"));
  for (const TraceEntry& entry : snapshot.trace) EXPECT_FALSE(contains(snapshot, entry.stack, "step"));
  const auto last =
      std::ranges::find(snapshot.trace.rbegin(), snapshot.trace.rend(), MemoryAction::alloc, &TraceEntry::action);
  ASSERT_NE(last, snapshot.trace.rend());
  EXPECT_FALSE(contains(snapshot, last->stack, "epoch"));
}

TEST_F(MemoryHistoryTest, AFailureIsAnEventWithItsStack) {
  history.record({});
  EXPECT_THROW(application::the_allocation(machine, 800_GiB), runtime::OutOfMemoryError);
  const MemorySnapshot snapshot = history.snapshot();
  ASSERT_EQ(events(snapshot), Texts{"oom 858993459200"});
  EXPECT_TRUE(contains(snapshot, snapshot.trace[0].stack, "the_allocation"));
}

TEST_F(MemoryHistoryTest, AMemorySnapshotIsOfOneMoment) {
  history.record({});
  void* block = machine.allocator.allocate(1000, machine.stream);
  const MemorySnapshot snapshot = history.snapshot();
  EXPECT_EQ(snapshot.segments[0].info, machine.allocator.snapshot()[0]);
  machine.allocator.free(block);
}

}  // namespace
}  // namespace gpucheck::observe::test
