#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "observe/history/memory_history.hpp"
#include "observe/history/scope.hpp"
#include "observe/snapshot/snapshot_file.hpp"
#include "simulated.hpp"

namespace gpucheck::observe::test {
namespace {

using runtime::MemoryAction;

constexpr int thread_count = 8;

/// Allocates and frees on its own stream; every allocation has another size.
void churn(Simulated& machine, MemoryHistory& history, device::Stream stream, std::size_t first_size, int rounds) {
  std::vector<void*> live;
  for (int i = 0; i < rounds; ++i) {
    const Scope scope(history, i % 2 == 0 ? "even" : "odd");
    live.push_back(machine.allocator.allocate(first_size + static_cast<std::size_t>(i), stream));
    if (live.size() < 8) continue;
    machine.allocator.free(live.front());
    live.erase(live.begin());
  }
  for (void* block : live) machine.allocator.free(block);
}

/// Requested sizes by address.
using LiveBlocks = std::map<std::uintptr_t, std::uint64_t>;

LiveBlocks blocks_in_use(const MemorySnapshot& snapshot) {
  LiveBlocks result;
  for (const SnapshotSegment& segment : snapshot.segments) {
    for (const runtime::BlockInfo& block : segment.info.blocks) {
      if (block.state == runtime::BlockState::active_allocated) result.emplace(block.address, block.requested_size);
    }
  }
  return result;
}

/// What a snapshot's events say is in use must be what its segments say; and at the mark
/// of each earlier snapshot, what that one's said.
void expect_consistent(const MemorySnapshot& snapshot, const std::vector<LiveBlocks>& earlier) {
  LiveBlocks live;
  std::int64_t last_time = 0;
  std::size_t marks = 0;
  for (const TraceEntry& entry : snapshot.trace) {
    EXPECT_GE(entry.time_us, last_time);
    last_time = entry.time_us;
    const bool is_new = entry.action != MemoryAction::alloc || live.emplace(entry.address, entry.size).second;
    const bool was_live = entry.action != MemoryAction::free_requested || live.erase(entry.address) == 1;
    EXPECT_TRUE(is_new && was_live) << runtime::name_of(entry.action) << " of " << entry.address;
    if (entry.action == MemoryAction::snapshot) {
      EXPECT_EQ(live, earlier.at(marks++));
    }
  }
  EXPECT_EQ(marks, earlier.size());
  EXPECT_EQ(live, blocks_in_use(snapshot));
}

class Threads : public testing::TestWithParam<ContextLevel> {};

TEST_P(Threads, SnapshotsTakenMeanwhileAreOfOneMoment) {
  Simulated machine;
  MemoryHistory history(machine.allocator, 0);
  history.record({.context = GetParam()});
  std::vector<std::thread> threads;
  std::atomic<int> running = thread_count;
  const int rounds = GetParam() == ContextLevel::none ? 1000 : 200;
  for (int i = 0; i < thread_count; ++i) {
    threads.emplace_back([&, stream = machine.runtime.streams().next(), i] {
      churn(machine, history, stream, 1000 + 10'000 * static_cast<std::size_t>(i), rounds);
      --running;
    });
  }
  std::vector<LiveBlocks> earlier;
  do {
    const MemorySnapshot snapshot = history.snapshot();
    expect_consistent(snapshot, earlier);
    earlier.push_back(blocks_in_use(snapshot));
  } while (running > 0);
  for (std::thread& thread : threads) thread.join();
  const MemorySnapshot last = history.snapshot();
  expect_consistent(last, earlier);
  std::set<std::uint64_t> sizes;
  for (const TraceEntry& entry : last.trace) {
    if (entry.action == MemoryAction::alloc) sizes.insert(entry.size);
  }
  EXPECT_EQ(sizes.size(), static_cast<std::size_t>(thread_count * rounds));
}

INSTANTIATE_TEST_SUITE_P(Contexts, Threads, testing::Values(ContextLevel::none, ContextLevel::all));

TEST(HistoryThreads, RecordingIsSwitchedWhileThreadsAllocate) {
  Simulated machine;
  MemoryHistory history(machine.allocator, 0);
  std::vector<std::thread> threads;
  std::atomic<int> running = thread_count;
  for (int i = 0; i < thread_count; ++i) {
    threads.emplace_back([&, stream = machine.runtime.streams().next()] {
      churn(machine, history, stream, 1000, 400);
      --running;
    });
  }
  for (int i = 0; running > 0; ++i) {
    history.record({.recording = static_cast<Recording>(i % 3),
                    .context = static_cast<ContextLevel>(i % 4),
                    .stacks = i % 2 == 0 ? StackKind::brief : StackKind::full,
                    .max_entries = static_cast<std::size_t>(i % 100)});
    history.set_user_metadata(i % 2 == 0 ? "even" : "odd");
    std::ostringstream file;
    write_pickle(history.snapshot(), file);
    EXPECT_FALSE(file.str().empty());
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace gpucheck::observe::test
