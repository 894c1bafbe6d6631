#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "device/device.hpp"
#include "device/sim/sim_driver.hpp"
#include "observe/device_trace/tracing_driver.hpp"

// What a traced device says of memory and of work, call by call.
namespace gpucheck::observe {
namespace {

using device::ActivityKind;
using device::Status;
using device::Stream;
using testing::ElementsAre;
using testing::IsEmpty;

using Level = std::tuple<int, MemoryKind, std::uint64_t>;

/// Two traced devices; without a recorder of their own, so that events time what they do.
class TracedMemory : public testing::Test {
 protected:
  TracedMemory() {
    std::unique_ptr<device::Driver> made = sim::make_driver({.profile = sim::profile("small"), .device_count = 2});
    auto unused = std::make_shared<TraceRecorder>(*made, "inner");
    made = trace(std::move(made), std::move(unused));
    recorder = std::make_shared<TraceRecorder>(*made, "outer");
    driver = trace(std::move(made), recorder);
    for (int ordinal = 0; ordinal < 2; ++ordinal) devices.push_back(driver->open(ordinal).value());
  }
  DeviceTrace finish() {
    devices.clear();
    return recorder->finish();
  }
  std::vector<Level> levels() {
    std::vector<Level> seen;
    for (const MemoryLevel& level : finish().levels) seen.emplace_back(level.device, level.kind, level.bytes);
    return seen;
  }

  std::shared_ptr<TraceRecorder> recorder;
  std::unique_ptr<device::Driver> driver;
  std::vector<std::unique_ptr<device::Device>> devices;
};

TEST_F(TracedMemory, OfEachDeviceIsCountedApart) {
  void* const first = devices[0]->allocate(1'000).value();
  void* const second = devices[1]->allocate(300).value();
  void* const third = devices[1]->allocate(20).value();
  EXPECT_EQ(devices[1]->free(second), Status::success);
  EXPECT_EQ(devices[0]->free(first), Status::success);
  EXPECT_EQ(devices[1]->free(third), Status::success);
  EXPECT_THAT(levels(), ElementsAre(Level(0, MemoryKind::device, 1'000), Level(1, MemoryKind::device, 300),
                                    Level(1, MemoryKind::device, 320), Level(1, MemoryKind::device, 20),
                                    Level(0, MemoryKind::device, 0), Level(1, MemoryKind::device, 0)));
}

TEST_F(TracedMemory, InStreamOrderIsTheDevicesToo) {
  const Stream stream = devices[0]->default_stream();
  void* const memory = devices[0]->allocate_async(512, stream).value();
  EXPECT_EQ(devices[0]->free_async(memory, stream), Status::success);
  EXPECT_THAT(levels(), ElementsAre(Level(0, MemoryKind::device, 512), Level(0, MemoryKind::device, 0)));
}

TEST_F(TracedMemory, OfTheHostIsPinnedWhoeverAllocatedIt) {
  std::vector<std::byte> own(4'096);
  void* const pinned = devices[0]->allocate_pinned(100).value();
  EXPECT_EQ(devices[0]->register_host(own.data(), own.size()), Status::success);
  EXPECT_EQ(devices[0]->register_host(own.data(), own.size()), Status::host_memory_already_registered);
  EXPECT_EQ(devices[0]->unregister_host(own.data()), Status::success);
  EXPECT_EQ(devices[0]->unregister_host(own.data()), Status::host_memory_not_registered);
  EXPECT_EQ(devices[0]->free_pinned(pinned), Status::success);
  EXPECT_THAT(levels(), ElementsAre(Level(0, MemoryKind::pinned, 100), Level(0, MemoryKind::pinned, 4'196),
                                    Level(0, MemoryKind::pinned, 100), Level(0, MemoryKind::pinned, 0)));
}

// Reserved addresses alone do not count; memory is what is mapped behind them.
TEST_F(TracedMemory, MappedIsTheDevices) {
  constexpr std::size_t piece = device::mapping_granularity;
  auto* const addresses = static_cast<std::byte*>(devices[1]->reserve_addresses(3 * piece).value());
  EXPECT_EQ(devices[1]->map_memory(addresses, piece), Status::success);
  EXPECT_EQ(devices[1]->map_memory(addresses + piece, 2 * piece), Status::success);
  EXPECT_EQ(devices[1]->map_memory(addresses, piece), Status::invalid_value);
  EXPECT_EQ(devices[1]->unmap_memory(addresses, piece), Status::success);
  EXPECT_EQ(devices[1]->unmap_memory(addresses + piece, 2 * piece), Status::success);
  EXPECT_EQ(devices[1]->release_addresses(addresses, 3 * piece), Status::success);
  EXPECT_THAT(levels(), ElementsAre(Level(1, MemoryKind::device, piece), Level(1, MemoryKind::device, 3 * piece),
                                    Level(1, MemoryKind::device, 2 * piece), Level(1, MemoryKind::device, 0)));
}

// A free that failed, one of nothing, and an allocation of nothing.
TEST_F(TracedMemory, DoesNotChangeWhereNothingWasDone) {
  int unknown = 0;
  EXPECT_EQ(devices[0]->free(&unknown), Status::invalid_value);
  EXPECT_EQ(devices[0]->free(nullptr), Status::success);
  EXPECT_EQ(devices[0]->allocate(0).value(), nullptr);
  EXPECT_EQ(devices[0]->allocate(std::size_t{1} << 50U).error(), Status::out_of_memory);
  EXPECT_THAT(levels(), IsEmpty());
}

// Each kind of work, with the bytes of copies and fills, its device, its stream and the call that asked for it.
TEST_F(TracedMemory, WorkIsTimedByItsKind) {
  device::Device& device = *devices[1];
  const Stream stream = device.create_stream(device::StreamKind::non_blocking, 0).value();
  void* const memory = device.allocate(4'096).value();
  void* const pinned = device.allocate_pinned(4'096).value();
  EXPECT_EQ(device.fill(memory, 1, 3'000, stream), Status::success);
  EXPECT_EQ(device.copy(pinned, memory, 2'000, device::CopyKind::device_to_host, stream), Status::success);
  EXPECT_EQ(device.host_callback(
                stream, [](void*) {}, nullptr),
            Status::success);
  EXPECT_EQ(device.fill(nullptr, 1, 10, stream), Status::invalid_value);  // what failed is not timed
  EXPECT_EQ(device.synchronize(stream), Status::success);
  EXPECT_EQ(device.free(memory), Status::success);
  EXPECT_EQ(device.free_pinned(pinned), Status::success);
  EXPECT_EQ(device.destroy_stream(stream), Status::success);
  const DeviceTrace trace = finish();
  std::vector<std::tuple<ActivityKind, std::string, std::uint64_t, std::string>> seen;
  for (const device::Activity& activity : trace.activities) {
    EXPECT_EQ(activity.device, 1);
    EXPECT_EQ(activity.stream, stream.value);
    EXPECT_LT(activity.start_ns, activity.end_ns);
    const auto call = std::ranges::find(trace.calls, activity.call, &HostCall::number);
    ASSERT_NE(call, trace.calls.end());
    EXPECT_EQ(call->device, 1);
    seen.emplace_back(activity.kind, activity.name, activity.bytes, call->operation);
  }
  EXPECT_THAT(seen, ElementsAre(std::tuple(ActivityKind::fill, "fill", 3'000U, "fill"),
                                std::tuple(ActivityKind::copy, "copy", 2'000U, "copy"),
                                std::tuple(ActivityKind::host_function, "host function", 0U, "host_callback")));
}

// Captures of two streams at once: work is timed again when the last of them has ended.
TEST_F(TracedMemory, WorkOfCapturesIsNotTimed) {
  device::Device& device = *devices[0];
  void* const memory = device.allocate(256).value();
  std::vector<Stream> streams;
  for (int i = 0; i < 2; ++i) {
    streams.push_back(device.create_stream(device::StreamKind::non_blocking, 0).value());
    EXPECT_EQ(device.begin_capture(streams.back(), device::CaptureMode::relaxed), Status::success);
  }
  EXPECT_NE(device.begin_capture(streams[0], device::CaptureMode::relaxed), Status::success);  // opens none
  const Stream free = device.create_stream(device::StreamKind::non_blocking, 0).value();
  EXPECT_EQ(device.fill(memory, 1, 1, streams[0]), Status::success);
  EXPECT_EQ(device.destroy_graph(device.end_capture(streams[0]).value()), Status::success);
  EXPECT_EQ(device.fill(memory, 1, 2, free), Status::success);
  EXPECT_EQ(device.destroy_graph(device.end_capture(streams[1]).value()), Status::success);
  EXPECT_EQ(device.fill(memory, 1, 3, free), Status::success);
  EXPECT_EQ(device.synchronize(free), Status::success);
  EXPECT_EQ(device.free(memory), Status::success);
  const DeviceTrace trace = finish();
  EXPECT_THAT(trace.activities, ElementsAre(testing::Field(&device::Activity::bytes, 3U)));
}

// As each was opened, whichever closes first.
TEST_F(TracedMemory, DevicesIntroduceThemselves) {
  devices.clear();
  const DeviceTrace trace = recorder->finish();
  ASSERT_EQ(trace.devices.size(), 2U);
  EXPECT_EQ(trace.devices[0].ordinal, 0);
  EXPECT_EQ(trace.devices[1].ordinal, 1);
  EXPECT_EQ(trace.devices[0].name, sim::profile("small").properties.name);
}

TEST_F(TracedMemory, ADeviceThatIsNotThereIsNotOpened) { EXPECT_EQ(driver->open(2).error(), Status::invalid_device); }

}  // namespace
}  // namespace gpucheck::observe
