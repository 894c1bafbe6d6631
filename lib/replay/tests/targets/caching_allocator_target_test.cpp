#include "replay/targets/caching_allocator_target.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/units.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "device/sim/sim_driver.hpp"
#include "replay/analysis/compare.hpp"
#include "replay/analysis/what_if.hpp"
#include "replay/formats/file.hpp"
#include "replay/targets/async_allocator_target.hpp"
#include "replay/targets/make_target.hpp"
#include "replay/targets/player.hpp"
#include "replay/targets/runtime_calls.hpp"
#include "replay/tests/test_files.hpp"
#include "runtime/allocator/errors.hpp"

namespace gpucheck::replay {
namespace {

using namespace literals;

/// Counts how often a single stream is waited for.
class CountingWaits final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  using ForwardingDevice::synchronize;
  device::Status synchronize(device::Stream stream) override {
    ++waits;
    return ForwardingDevice::synchronize(stream);
  }
  std::size_t waits = 0;
};

/// Each of so many streams uses a block, and is done with it at the next call.
Trace trace_of_used_streams(std::uint16_t count, MemoryKind memory) {
  Trace trace;
  trace.memory = memory;
  trace.stream_count = count + 1U;
  trace.allocation_count = count;
  for (std::uint16_t i = 0; i < count; ++i) {
    trace.events.push_back({512, i, 0, Action::allocate, false});
    trace.events.push_back({0, i, static_cast<std::uint16_t>(i + 1), Action::record_stream, false});
    trace.events.push_back({0, i, 0, Action::free, false});
  }
  return trace;
}

class CachingAllocatorReplay : public testing::Test {
 protected:
  std::unique_ptr<sim::Driver> driver_ = sim::make_driver({sim::profile("h100"), 0, 1});
  std::unique_ptr<device::Device> device_ = driver_->open(0).value();

  Comparison play(const Trace& trace) {
    CachingAllocatorTarget target(*device_, options_of(trace));
    return compare(trace, target);
  }
};

/// On a device that has far more.
TEST(AsyncAllocatorReplay, KeepsToALimitOfWhatIsAllocated) {
  const std::unique_ptr<sim::Driver> driver = sim::make_driver({sim::profile("h100"), 0, 1});
  const std::unique_ptr<device::Device> device = driver->open(0).value();
  AsyncAllocatorTarget target(*device, {.settings = "", .memory_limit_bytes = 40_MiB});
  EXPECT_THAT(target.remarks(), testing::ElementsAre(testing::HasSubstr("holds the memory limit")));
  const TraceTarget::Allocation first = target.allocate(30_MiB, 0);
  EXPECT_NE(first.address, nullptr);
  EXPECT_TRUE(target.allocate(11_MiB, 0).out_of_memory);
  EXPECT_FALSE(target.allocate(9_MiB, 0).out_of_memory);
  EXPECT_EQ(target.usage().allocated_bytes, static_cast<std::int64_t>(39_MiB));
}

// The worked sequence of PyTorch's statistics: 1000 B and 512 B share a small segment
// of 2 MiB; freed, both merge with its rest.
constexpr std::string_view worked_sequence = R"({"name": "worked", "streams": 1,
  "ops": [{"op": "alloc", "id": 0, "size": 1000, "stream": 0}, {"op": "alloc", "id": 1, "size": 512, "stream": 0},
          {"op": "free", "id": 0}, {"op": "free", "id": 1}],
  "stat_keys": ["segment.all.current", "reserved_bytes.all.current", "inactive_split.all.current",
                "inactive_split_bytes.all.current", "allocated_bytes.all.current", "requested_bytes.all.current"],
  "stats_after_op": [[1, 2097152, 1, 2096128, 1024, 1000], [1, 2097152, 1, 2095616, 1536, 1512],
                     [1, 2097152, 2, 2096640, 512, 512], [1, 2097152, 0, 0, 0, 0]]})";

TEST_F(CachingAllocatorReplay, PlaysTheWorkedSequence) {
  const Comparison result = play(std::get<std::vector<Trace>>(read_bytes("worked", worked_sequence)).at(0));
  EXPECT_TRUE(result.equal());
  EXPECT_EQ(result.equal_steps, 4U);
}

TEST_F(CachingAllocatorReplay, GivesPyTorchsStatisticsAfterEveryStep) {
  const auto traces = std::get<std::vector<Trace>>(read_file(test_file("pytorch_traces.json")));
  ASSERT_EQ(traces.size(), 3U);
  for (const Trace& trace : traces) {
    const Comparison result = play(trace);
    EXPECT_TRUE(result.equal()) << trace.name;
    EXPECT_EQ(result.equal_steps, trace.events.size()) << trace.name;
  }
}

TEST_F(CachingAllocatorReplay, NoticesAStatisticThatIsOneOff) {
  auto traces = std::get<std::vector<Trace>>(read_file(test_file("pytorch_traces.json")));
  ++traces[0].expected_statistics[11 * 50 + 4];
  const Comparison result = play(traces[0]);
  EXPECT_EQ(result.equal_steps + 1, result.steps);
  ASSERT_EQ(result.first_differences.size(), 1U);
  EXPECT_EQ(result.first_differences[0].step, 50U);
  EXPECT_EQ(result.first_differences[0].statistic, statistic_names[4]);
}

TEST_F(CachingAllocatorReplay, ReportsSegmentsAndStatistics) {
  CachingAllocatorTarget target(*device_, {"", std::nullopt, 2});
  void* const address = target.allocate(3_MiB, 1).address;
  EXPECT_EQ(target.segments(),
            (std::vector<SegmentLayout>{
                {20_MiB, false, true, {{3_MiB, 3_MiB, "active_allocated"}, {17_MiB, 0, "inactive"}}}}));
  const auto statistics = target.statistics();
  EXPECT_NE(std::ranges::find(statistics, NamedStatistic{"reserved_bytes.all.current", 20_MiB}), statistics.end());
  target.free(address);
}

TEST_F(CachingAllocatorReplay, WhatIsFreedLaterIsReusedWhenItsUsesEnd) {
  CachingAllocatorTarget target(*device_, {"", std::nullopt, 1});
  void* const first = target.allocate(20_MiB, 0).address;
  target.free_later(first, 3);
  EXPECT_EQ(target.usage().allocated_bytes, 0) << "the program has given it up";
  void* const second = target.allocate(20_MiB, 0).address;
  EXPECT_NE(second, first);
  EXPECT_EQ(target.usage().reserved_bytes, std::int64_t{40_MiB});
  target.free_later(second, 0);
  target.end_of_uses(0);
  EXPECT_EQ(target.allocate(20_MiB, 0).address, second) << "the other one is still used";
  target.end_of_uses(3);
  EXPECT_EQ(target.allocate(20_MiB, 0).address, first);
}

TEST_F(CachingAllocatorReplay, UsesAreWaitedForWhereMemoryIsShort) {
  CachingAllocatorTarget target(*device_, {"", 50_MiB, 1});
  void* const first = target.allocate(30_MiB, 0).address;
  target.free_later(first, 0);
  EXPECT_FALSE(target.allocate(40_MiB, 0).out_of_memory);
  EXPECT_EQ(target.retry_count(), 1);
  EXPECT_EQ(target.usage().reserved_bytes, std::int64_t{40_MiB});
  target.end_of_uses(0);
}

TEST_F(CachingAllocatorReplay, KeepsToTheMemoryLimit) {
  Trace trace;
  trace.allocation_count = 3;
  for (std::uint32_t id = 0; id < 3; ++id) trace.events.push_back({100_MiB, id, 0, Action::allocate, false});
  CachingAllocatorTarget target(*device_, {"", 250_MiB, 1});
  const WhatIf result = what_if(trace, target);
  EXPECT_EQ(result.out_of_memory_count, 1U);
  ASSERT_TRUE(result.first_out_of_memory);
  EXPECT_EQ(result.first_out_of_memory->step, 2U);
  EXPECT_EQ(result.peak_reserved.value().reserved_bytes, static_cast<std::int64_t>(200_MiB));
  EXPECT_EQ(result.retry_count, 1);
}

TEST_F(CachingAllocatorReplay, HoldsToALimitToTheByte) {
  for (const char* profile : {"h100", "h200", "small"}) {
    const auto driver = sim::make_driver({sim::profile(profile), 0, 1});
    const auto device = driver->open(0).value();
    const std::uint64_t total = device->properties().total_memory_bytes;
    for (std::uint64_t limit = 0; limit <= total; limit += total / 997) {
      EXPECT_EQ(static_cast<std::uint64_t>(fraction_of(limit, *device) * static_cast<double>(total)), limit) << profile;
    }
    EXPECT_EQ(fraction_of(total, *device), 1.0);
  }
}

TEST_F(CachingAllocatorReplay, RejectsOptionsThatCannotBe) {
  const std::uint64_t total = device_->properties().total_memory_bytes;
  EXPECT_THROW(CachingAllocatorTarget(*device_, {"", total + 1, 1}), UsageError);
  EXPECT_THROW(CachingAllocatorTarget(*device_, {"no_such_setting:1", std::nullopt, 1}), runtime::SettingsError);
}

// Traces name up to 65,535 streams. Those that are idle must not be waited for at each call.
TEST_F(CachingAllocatorReplay, WaitsForStreamsThatGotWorkAndForNoOthers) {
  using Kind = runtime::AllocatorChoice::Kind;
  for (const auto& [memory, kind] :
       {std::pair(MemoryKind::device, Kind::caching), std::pair(MemoryKind::pinned, Kind::caching),
        std::pair(MemoryKind::device, Kind::async)}) {
    constexpr std::uint16_t count = 200;
    CountingWaits device(*device_);
    const Trace trace = trace_of_used_streams(count, memory);
    runtime::AllocatorChoice choice;
    choice.kind = kind;
    const auto target = make_target(trace, choice, device, true, options_of(trace));
    Player player(trace, *target);
    player.play_all([](std::size_t, const Player::Step&) {});
    EXPECT_GE(device.waits, count - 1U) << "each was used, and freed from";
    // Once when it is first used, once after the free, and of the asynchronous allocator the block's own.
    EXPECT_LE(device.waits, 4U * count);
  }
}

}  // namespace
}  // namespace gpucheck::replay
