#include "observe/device_trace/tracing_driver.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "device/owned.hpp"
#include "device/sim/sim_driver.hpp"
#include "observe/device_trace/chrome_trace.hpp"
#include "observe/device_trace/tests/trace_format.hpp"

namespace gpucheck::observe {
namespace {

using device::Activity;
using device::ActivityKind;
using device::Status;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;
using Fill = device::kernels::Fill<std::int32_t>;

std::unique_ptr<device::Driver> simulated() { return sim::make_driver({.profile = sim::profile("h100")}); }

/// A program on a traced device, and what was recorded of it.
template <typename Program>
DeviceTrace traced(std::unique_ptr<device::Driver> driver, Program program) {
  const auto recorder = std::make_shared<TraceRecorder>(*driver, "demo.case");
  driver = trace(std::move(driver), recorder);
  {
    const std::unique_ptr<device::Device> device = driver->open(0).value();
    program(*device);
  }
  return recorder->finish();
}

/// Without a recorder of its own: a tracing driver has none.
std::unique_ptr<device::Driver> without_recorder() {
  std::unique_ptr<device::Driver> driver = simulated();
  auto unused = std::make_shared<TraceRecorder>(*driver, "unused");
  return trace(std::move(driver), std::move(unused));
}

constexpr std::size_t elements = 1000;

void fill_and_copy(device::Device& device) {
  const auto stream =
      device::own<device::UniqueStream>(device, device.create_stream(device::StreamKind::non_blocking, 0));
  const auto memory = device::own<device::UniqueDeviceMemory>(device, device.allocate(elements * sizeof(std::int32_t)));
  const auto host =
      device::own<device::UniquePinnedMemory>(device, device.allocate_pinned(elements * sizeof(std::int32_t)));
  auto* const values = static_cast<std::int32_t*>(memory.get());
  ASSERT_EQ(device::launch(device, Fill{values, 3}, elements, stream.get()), Status::success);
  ASSERT_EQ(
      device.copy(host.get(), values, elements * sizeof(std::int32_t), device::CopyKind::device_to_host, stream.get()),
      Status::success);
  ASSERT_EQ(device.synchronize(stream.get()), Status::success);
}

std::vector<Activity> in_order(DeviceTrace& trace) {
  std::ranges::sort(trace.activities, {}, &Activity::start_ns);
  return trace.activities;
}

const HostCall* call_of(const DeviceTrace& trace, const Activity& activity) {
  const auto found = std::ranges::find(trace.calls, activity.call, &HostCall::number);
  return found == trace.calls.end() ? nullptr : &*found;
}

void expect_fill_and_copy(DeviceTrace& trace) {
  const std::vector<Activity> activities = in_order(trace);
  ASSERT_THAT(activities,
              ElementsAre(Field(&Activity::kind, ActivityKind::kernel), Field(&Activity::kind, ActivityKind::copy)));
  EXPECT_EQ(activities[0].stream, activities[1].stream);
  EXPECT_LT(activities[0].start_ns, activities[0].end_ns);
  EXPECT_LE(activities[0].end_ns, activities[1].start_ns);
  EXPECT_EQ(activities[1].bytes, elements * sizeof(std::int32_t));
  ASSERT_NE(call_of(trace, activities[0]), nullptr);
  EXPECT_EQ(call_of(trace, activities[0])->operation, "launch_kernel");
  EXPECT_EQ(call_of(trace, activities[0])->subject, Fill::name);
  ASSERT_NE(call_of(trace, activities[1]), nullptr);
  EXPECT_EQ(call_of(trace, activities[1])->operation, "copy");
  EXPECT_THAT(test::format_offences(nlohmann::json::parse(chrome_trace(trace))), IsEmpty());
}

TEST(TracingDriver, SeesWhatTheSimulatorDid) {
  DeviceTrace trace = traced(simulated(), fill_and_copy);
  EXPECT_EQ(trace.source, "simulator");
  EXPECT_EQ(trace.note, "");
  ASSERT_THAT(trace.devices, SizeIs(1));
  expect_fill_and_copy(trace);
}

TEST(TracingDriver, MeasuresWithEventsWithoutARecorder) {
  DeviceTrace trace = traced(without_recorder(), fill_and_copy);
  EXPECT_EQ(trace.source, "events");
  EXPECT_NE(trace.note, "");
  expect_fill_and_copy(trace);
}

void replay_twice(device::Device& device) {
  const auto stream =
      device::own<device::UniqueStream>(device, device.create_stream(device::StreamKind::non_blocking, 0));
  const auto memory = device::own<device::UniqueDeviceMemory>(device, device.allocate(elements * sizeof(std::int32_t)));
  auto* const values = static_cast<std::int32_t*>(memory.get());
  ASSERT_EQ(device.begin_capture(stream.get(), device::CaptureMode::global), Status::success);
  ASSERT_EQ(device::launch(device, Fill{values, 3}, elements, stream.get()), Status::success);
  ASSERT_EQ(device.fill(values, 0, elements, stream.get()), Status::success);
  const auto graph = device::own<device::UniqueGraph>(device, device.end_capture(stream.get()));
  const auto executable = device::own<device::UniqueGraphExec>(device, device.instantiate(graph.get()));
  for (int i = 0; i < 2; ++i) ASSERT_EQ(device.launch(executable.get(), stream.get()), Status::success);
  ASSERT_EQ(device.synchronize(stream.get()), Status::success);
}

TEST(TracingDriver, NodesOfAGraphBelongToItsLaunch) {
  DeviceTrace trace = traced(simulated(), replay_twice);
  const std::vector<Activity> activities = in_order(trace);
  ASSERT_THAT(activities, SizeIs(4));
  EXPECT_EQ(activities[0].call, activities[1].call);
  EXPECT_EQ(activities[2].call, activities[3].call);
  EXPECT_NE(activities[0].call, activities[2].call);
  EXPECT_EQ(call_of(trace, activities[0])->operation, "launch_graph");
}

TEST(TracingDriver, EventsLeaveCapturesAlone) {
  DeviceTrace trace = traced(without_recorder(), replay_twice);
  const auto is_graph = Field(&Activity::name, "graph");
  EXPECT_THAT(in_order(trace), ElementsAre(is_graph, is_graph));
}

TEST(TracingDriver, MemoryIsCountedByKind) {
  const DeviceTrace trace = traced(simulated(), fill_and_copy);
  constexpr std::size_t bytes = elements * sizeof(std::int32_t);
  std::vector<std::pair<MemoryKind, std::uint64_t>> levels;
  for (const MemoryLevel& level : trace.levels) levels.emplace_back(level.kind, level.bytes);
  EXPECT_THAT(levels, ElementsAre(std::pair(MemoryKind::device, bytes), std::pair(MemoryKind::pinned, bytes),
                                  std::pair(MemoryKind::pinned, 0U), std::pair(MemoryKind::device, 0U)));
}

TEST(TracingDriver, FailedCallsAreThere) {
  const DeviceTrace trace = traced(simulated(), [](device::Device& device) {
    EXPECT_EQ(device.allocate(std::size_t{1} << 50U).error(), Status::out_of_memory);
    static_cast<void>(device.last_error());
  });
  const auto failed = std::ranges::find(trace.calls, Status::out_of_memory, &HostCall::status);
  ASSERT_NE(failed, trace.calls.end());
  EXPECT_EQ(failed->operation, "allocate");
  EXPECT_THAT(trace.levels, IsEmpty());
}

TEST(TracingDriver, RacesAreNoticedAsEver) {
  std::unique_ptr<device::Driver> driver = simulated();
  const auto recorder = std::make_shared<TraceRecorder>(*driver, "demo.case");
  driver = trace(std::move(driver), recorder);
  const auto device = driver->open(0).value();
  const auto memory = device::own<device::UniqueDeviceMemory>(*device, device->allocate(64));
  for (int i = 0; i < 2; ++i) {
    const auto stream =
        device::own<device::UniqueStream>(*device, device->create_stream(device::StreamKind::non_blocking, 0));
    ASSERT_EQ(device->fill(memory.get(), 0, 64, stream.get()), Status::success);
  }
  EXPECT_EQ(device->synchronize(), Status::success);
  EXPECT_TRUE(driver->notices_races());
  EXPECT_THAT(driver->races(), SizeIs(1));
}

TEST(TracingDriver, TheSimulatorKeepsNothingUnasked) {
  const auto driver = simulated();
  const auto device = driver->open(0).value();
  fill_and_copy(*device);
  const auto recorder = driver->record_activity().recorder;
  EXPECT_THAT(recorder->finish(), IsEmpty());
}

}  // namespace
}  // namespace gpucheck::observe
