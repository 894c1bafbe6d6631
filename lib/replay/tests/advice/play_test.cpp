#include "replay/advice/search/play.hpp"

#include <gtest/gtest.h>

#include "advice_traces.hpp"
#include "base/error.hpp"
#include "replay/analysis/conversion.hpp"
#include "replay/tests/simulated_devices.hpp"

namespace gpucheck::replay {
namespace {

PlayFigures play_fragmenting(const char* settings, std::optional<std::uint64_t> limit = std::nullopt,
                             bool stops = false) {
  return play(fragmenting_trace(), {settings, limit, stops}, simulated_devices());
}

TEST(Play, TellsWhatWasReservedAndWhatLayUnused) {
  const PlayFigures figures = play_fragmenting("");
  EXPECT_EQ(figures.peak_reserved_bytes, 170_MiB);
  EXPECT_EQ(figures.peak_step, 6U) << "when the 50 MiB get a segment of their own";
  EXPECT_EQ(figures.allocated_at_peak_bytes, 120_MiB);
  EXPECT_EQ(figures.unused_at_peak_bytes(), 50_MiB);
  EXPECT_EQ(figures.peak_allocated_bytes, 120_MiB);
  EXPECT_EQ(figures.device_allocations, 3);
  EXPECT_EQ(figures.retries, 0);
  EXPECT_TRUE(figures.runs_to_its_end());
}

TEST(Play, HeedsSettings) {
  const PlayFigures figures = play_fragmenting("expandable_segments:True");
  EXPECT_EQ(figures.peak_reserved_bytes, 120_MiB);
  EXPECT_EQ(figures.peak_step, 1U) << "the first with that much";
  EXPECT_EQ(figures.unused_at_peak_bytes(), 0U);
}

TEST(Play, HeedsALimit) {
  EXPECT_TRUE(play_fragmenting("", 170_MiB).runs_to_its_end());
  const PlayFigures figures = play_fragmenting("", 170_MiB - 1);
  EXPECT_EQ(figures.out_of_memory_count, 1U);
  EXPECT_EQ(figures.first_out_of_memory_step, 6U);
  EXPECT_EQ(figures.retries, 1) << "it releases the cache, which has nothing whole";
  EXPECT_EQ(figures.peak_reserved_bytes, 120_MiB);
}

TEST(Play, StopsAtTheFirstFailureWhereThatIsAskedFor) {
  EXPECT_EQ(play_fragmenting("", 50_MiB).out_of_memory_count, 4U);
  EXPECT_EQ(play_fragmenting("", 50_MiB, true).out_of_memory_count, 1U);
  EXPECT_EQ(play_fragmenting("", 50_MiB, true).first_out_of_memory_step, 0U);
}

/// Devices that tell how large they were asked for.
DeviceSource counted_devices(std::vector<std::uint64_t>& sizes) {
  DeviceSource devices = simulated_devices();
  devices.open = [&sizes, open = devices.open](std::optional<std::uint64_t> bytes) {
    sizes.push_back(bytes.value());
    return open(bytes);
  };
  return devices;
}

TEST(Play, TakesADeviceThatIsLargeEnoughWhereThereIsNoLimit) {
  std::vector<std::uint64_t> sizes;
  play(fragmenting_trace(), {}, counted_devices(sizes));
  EXPECT_EQ(sizes, std::vector{64_GiB});

  // The cached 40 GiB are released rather than 50 more taken, on one of 64 GiB.
  TraceMaker maker;
  maker.free(maker.allocate(40_GiB));
  maker.free(maker.allocate(50_GiB));
  sizes.clear();
  PlayFigures figures = play(maker.trace(), {}, counted_devices(sizes));
  EXPECT_EQ(sizes, (std::vector{64_GiB, 128_GiB}));
  EXPECT_EQ(figures.peak_reserved_bytes, 90_GiB);
  EXPECT_EQ(figures.retries, 0);

  maker.free(maker.allocate(100_GiB));
  figures = play(maker.trace(), {}, counted_devices(sizes));
  EXPECT_EQ(figures.retries, 1) << "more than any device has, as far as these go";
  EXPECT_EQ(figures.peak_reserved_bytes, 100_GiB);
  maker.allocate(130_GiB);
  maker.free(maker.allocate(1_GiB));
  EXPECT_EQ(play(maker.trace(), {}, counted_devices(sizes)).out_of_memory_count, 1U);
}

TEST(Play, RejectsSettingsInPyTorchsWords) { EXPECT_THROW(play_fragmenting("max_split_size_mb:2"), Error); }

TEST(Play, MemoryOfAPrivatePoolServesNobodyElse) {
  Snapshot snapshot;
  const auto add = [&snapshot](SnapshotAction action, std::uint64_t address, std::uint64_t size, PoolId pool) {
    SnapshotEvent event;
    event.address = address;
    event.size = size;
    event.pool = pool;
    event.action = action;
    snapshot.device_traces.resize(1);
    snapshot.device_traces[0].push_back(event);
  };
  add(SnapshotAction::alloc, 1, 30_MiB, {1, 0});
  add(SnapshotAction::free_requested, 1, 30_MiB, {1, 0});
  add(SnapshotAction::alloc, 2, 30_MiB, {0, 0});
  add(SnapshotAction::alloc, 1, 30_MiB, {1, 0});
  EXPECT_EQ(play(convert(snapshot, 0).trace, {}, simulated_devices()).peak_reserved_bytes, 60_MiB);
  const Trace merged = convert(snapshot, 0, PrivatePools::merged).trace;
  EXPECT_EQ(play(merged, {}, simulated_devices()).device_allocations, 2);
  // With a limit a cached block of a pool that goes on cannot be released.
  EXPECT_EQ(play(convert(snapshot, 0).trace, {"", 58_MiB, false}, simulated_devices()).out_of_memory_count, 1U);
  add(SnapshotAction::free_requested, 1, 30_MiB, {1, 0});
  add(SnapshotAction::segment_free, 1, 30_MiB, {1, 0});
  add(SnapshotAction::alloc, 3, 30_MiB, {0, 0});
  EXPECT_EQ(play(convert(snapshot, 0).trace, {}, simulated_devices()).peak_reserved_bytes, 60_MiB)
      << "the pool has ended, and given its memory back";
}

TEST(Play, NeedsNoMoreNumbersThanAllocationsThatLiveAtOnce) {
  TraceMaker maker;
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t first = maker.allocate(30_MiB);
    const std::uint32_t second = maker.allocate(512);
    maker.free(first);
    maker.try_allocate(20_MiB);
    maker.free(second);
  }
  Trace trace = maker.trace();
  reuse_allocation_numbers(trace);
  EXPECT_EQ(trace.allocation_count, 2U);
  EXPECT_EQ(play(trace, {}, simulated_devices()), play(maker.trace(), {}, simulated_devices()));
}

}  // namespace
}  // namespace gpucheck::replay
