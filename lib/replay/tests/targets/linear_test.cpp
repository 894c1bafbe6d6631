#include <algorithm>
#include <ctime>
#include <gtest/gtest.h>

#include "replay/advice/search/play.hpp"
#include "replay/tests/simulated_devices.hpp"

// Traces come from files that nobody vouches for: what they name thousands of must not cost the square of it. Processor
// times of one process are compared, which other processes hardly change; four times what is proportional is allowed,
// where a square would be sixteen times.
namespace gpucheck::replay {
namespace {

/// The fastest of five plays on a device of that size, in units of std::clock().
std::clock_t time_of(const Trace& trace, const std::string& settings, std::uint64_t device_bytes) {
  const auto once = [&] {
    DeviceSource devices = simulated_devices();
    devices.sizes = DeviceSource::Sizes{device_bytes, 2 * device_bytes};
    const std::clock_t begin = std::clock();
    const PlayFigures figures = play(trace, {.settings = settings}, devices);
    EXPECT_TRUE(figures.runs_to_its_end()) << figures.problem;
    return std::clock() - begin;
  };
  return std::min({once(), once(), once(), once(), once()});
}

/// Each pool gets a block while those before it still have theirs, so that every allocation is a new peak.
Trace trace_of_pools(std::uint32_t count) {
  Trace trace;
  trace.pools.resize(count);
  trace.allocation_count = count;
  for (std::uint32_t pool = 0; pool < count; ++pool) trace.events.push_back({0, pool, 0, Action::create_pool, false});
  for (std::uint32_t pool = 0; pool < count; ++pool) {
    trace.events.push_back({0, pool, 0, Action::begin_pool, false});
    trace.events.push_back({512, pool, 0, Action::allocate, false});
    trace.events.push_back({0, pool, 0, Action::end_pool, false});
  }
  for (std::uint32_t pool = 0; pool < count; ++pool) trace.events.push_back({0, pool, 0, Action::free, false});
  for (std::uint32_t pool = 0; pool < count; ++pool) trace.events.push_back({0, pool, 0, Action::delete_pool, false});
  return trace;
}

/// All blocks are freed while other streams use them, which goes on until the end.
Trace trace_of_waiting_frees(std::uint16_t count) {
  Trace trace;
  trace.allocation_count = count;
  for (std::uint16_t id = 0; id < count; ++id) {
    trace.events.push_back({512, id, 0, Action::allocate, false});
    trace.events.push_back({0, id, id, Action::free_later, false});
  }
  for (std::uint16_t id = 0; id < count; ++id) trace.events.push_back({0, 0, id, Action::end_of_uses, false});
  return trace;
}

TEST(LinearTime, InFreesThatWaitForOtherStreams) {
  EXPECT_LT(time_of(trace_of_waiting_frees(32000), "", 64_GiB),
            16L * 4 * time_of(trace_of_waiting_frees(2000), "", 64_GiB));
}

TEST(LinearTime, InPrivatePools) {
  EXPECT_LT(time_of(trace_of_pools(8000), "", 64_GiB), 16L * 4 * time_of(trace_of_pools(500), "", 64_GiB));
}

TEST(LinearTime, InPrivatePoolsOfExpandableSegments) {
  // Each pool reserves addresses for the whole device; the thread sanitizer leaves about 1.5 TiB of them.
  const std::string settings = "expandable_segments:True";
  EXPECT_LT(time_of(trace_of_pools(400), settings, 1_GiB), 16L * 4 * time_of(trace_of_pools(25), settings, 1_GiB));
  EXPECT_LT(time_of(trace_of_pools(50), settings, 16_GiB), 4 * time_of(trace_of_pools(50), settings, 1_GiB));
}

}  // namespace
}  // namespace gpucheck::replay
