#include <gtest/gtest.h>

#include "replay/tests/analysis/converted_events.hpp"
#include "replay/tests/snapshot_events.hpp"
#include "replay/tests/trace_events.hpp"

// Private pools of a recording, played in private pools again.
namespace gpucheck::replay {
namespace {

using enum SnapshotAction;

SnapshotEvent in_pool(SnapshotEvent event, PoolId pool = {0, 3}) {
  event.pool = pool;
  return event;
}

Event of_pool(Action action, std::uint32_t pool) { return {0, pool, 0, action, false}; }

TEST(Conversion, PlaysPrivatePoolsInPrivatePools) {
  const Conversion conversion = convert_events({event(alloc, 1, 10), in_pool(event(alloc, 2, 20)),
                                                in_pool(event(alloc, 3, 30)), in_pool(event(free_requested, 2, 20)),
                                                event(alloc, 4, 40), in_pool(event(alloc, 5, 50), {7, 0})});
  const std::vector<Event> expected{of_pool(Action::create_pool, 0),
                                    of_pool(Action::create_pool, 1),
                                    allocate(0, 10),
                                    of_pool(Action::begin_pool, 0),
                                    allocate(1, 20),
                                    allocate(2, 30),
                                    free_of(1),
                                    of_pool(Action::end_pool, 0),
                                    allocate(3, 40),
                                    of_pool(Action::begin_pool, 1),
                                    allocate(4, 50),
                                    of_pool(Action::end_pool, 1)};
  EXPECT_EQ(conversion.trace.events, expected);
  EXPECT_EQ(conversion.trace.pools.size(), 2U);
  EXPECT_EQ(conversion.report.private_pools, 2U);
  EXPECT_EQ(conversion.recorded_events.size(), expected.size());
  EXPECT_EQ(conversion.recorded_events[3], 1U) << "begins with the event that needs it";
  EXPECT_EQ(conversion.recorded_events.back(), 5U);
  EXPECT_EQ(conversion.stacks.size(), expected.size());
}

TEST(Conversion, APoolThatReleasesSegmentsHasEnded) {
  const Conversion conversion = convert_events({in_pool(event(alloc, 1, 10)), in_pool(event(free_requested, 1, 10)),
                                                in_pool(event(segment_free, 1, 512)), in_pool(event(alloc, 2, 20))});
  const std::vector<Event> expected{of_pool(Action::create_pool, 0),
                                    of_pool(Action::create_pool, 1),
                                    of_pool(Action::begin_pool, 0),
                                    allocate(0, 10),
                                    free_of(0),
                                    of_pool(Action::end_pool, 0),
                                    of_pool(Action::delete_pool, 0),
                                    of_pool(Action::begin_pool, 1),
                                    allocate(1, 20),
                                    of_pool(Action::end_pool, 1)};
  EXPECT_EQ(conversion.trace.events, expected);
  EXPECT_EQ(conversion.report.empty_caches, 0U) << "nothing of the default pools was released";
}

TEST(Conversion, EmptyingTheCacheAlsoEndsPoolsThatAreReleasedThen) {
  SnapshotEvent emptied = event(segment_free, 9, 512);
  emptied.in_empty_cache = true;
  const Conversion conversion = convert_events({in_pool(event(alloc, 1, 10)), in_pool(event(free_requested, 1, 10)),
                                                emptied, in_pool(event(segment_free, 1, 512))});
  const std::vector<Event> expected{of_pool(Action::create_pool, 0),
                                    of_pool(Action::begin_pool, 0),
                                    allocate(0, 10),
                                    free_of(0),
                                    of_pool(Action::end_pool, 0),
                                    empty_cache,
                                    of_pool(Action::delete_pool, 0)};
  EXPECT_EQ(conversion.trace.events, expected);
}

TEST(Conversion, BlocksFromBeforeTheFirstEventAreInTheirPools) {
  const SnapshotSegment segment{1000,   200,   0,     0,
                                {0, 3}, false, false, {{1000, 200, 150, SnapshotBlockState::active_allocated}}};
  // Releases that do not say the pools of events: the segments do.
  const Conversion conversion = convert_events({event(alloc, 5000, 10), event(alloc, 1100, 20)}, {segment});
  const std::vector<Event> expected{of_pool(Action::create_pool, 0),
                                    of_pool(Action::begin_pool, 0),
                                    allocate(2, 150),
                                    of_pool(Action::end_pool, 0),
                                    allocate(0, 10),
                                    of_pool(Action::begin_pool, 0),
                                    allocate(1, 20),
                                    of_pool(Action::end_pool, 0)};
  EXPECT_EQ(conversion.trace.events, expected);
  EXPECT_EQ(conversion.recorded_events[2], Conversion::no_event);
  EXPECT_EQ(conversion.recorded_events[4], 0U);
}

TEST(Conversion, WhatLayAtAPoolsAddressesBeforeIsNotThePools) {
  const SnapshotSegment segment{1000, 200, 0, 0, {0, 3}, false, false, {}};
  const Conversion conversion = convert_events(
      {event(segment_alloc, 900, 300), event(alloc, 1000, 10), event(free_requested, 1000, 10),
       event(segment_free, 900, 300), event(alloc, 5000, 30), event(segment_alloc, 1000, 200), event(alloc, 1000, 20)},
      {segment});
  const std::vector<Event> expected{of_pool(Action::create_pool, 0),
                                    allocate(0, 10),
                                    free_of(0),
                                    empty_cache,
                                    allocate(1, 30),
                                    of_pool(Action::begin_pool, 0),
                                    allocate(2, 20),
                                    of_pool(Action::end_pool, 0)};
  EXPECT_EQ(conversion.trace.events, expected);
}

TEST(Conversion, MergesPrivatePoolsWhereThatIsAskedFor) {
  Snapshot snapshot;
  snapshot.device_traces = {{in_pool(event(alloc, 1, 10)), in_pool(event(segment_free, 2, 512))}};
  const Conversion conversion = convert(snapshot, 0, PrivatePools::merged);
  EXPECT_EQ(conversion.trace.events, (std::vector<Event>{allocate(0, 10), empty_cache}));
  EXPECT_TRUE(conversion.trace.pools.empty());
  EXPECT_EQ(conversion.report.private_pools, 0U);
  EXPECT_EQ(conversion.report.private_pool_events, 2U);
}

// A small file can name any number of them.
TEST(Conversion, PlaysEveryPrivatePoolAsOne) {
  constexpr std::size_t count = 10'000;
  Snapshot recording;
  std::vector<SnapshotEvent>& events = recording.device_traces.emplace_back();
  for (std::size_t i = 1; i <= count; ++i) {
    events.push_back({.address = i * 4096, .size = 512, .pool = {0, i}, .action = SnapshotAction::alloc});
  }
  const Conversion conversion = convert(recording, 0);
  EXPECT_EQ(conversion.report.private_pool_events, count);
  EXPECT_EQ(conversion.report.private_pools, count);
  EXPECT_EQ(conversion.trace.pools.size(), count);
}

}  // namespace
}  // namespace gpucheck::replay
