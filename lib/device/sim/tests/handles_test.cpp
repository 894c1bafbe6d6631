#include <array>
#include <gtest/gtest.h>
#include <string_view>

#include "device/sim/tests/fixture.hpp"

// Handles that do not name what a call is about: never created, destroyed, another device's,
// another kind's. On a GPU their use is undefined; here every call notices, does nothing and
// leaves a note.
namespace gpucheck::sim {
namespace {

using device::CaptureMode;
using device::CopyKind;
using device::Device;
using device::Event;
using device::Graph;
using device::GraphExec;
using device::Status;
using device::Stream;
using device::StreamKind;

/// Good handles and memory beside the bad handle.
struct Things {
  explicit Things(Fixture& fixture)
      : stream(fixture.stream()),
        event(fixture.device().create_event(device::EventKind::timing).value()),
        memory(fixture.memory(100)) {
    Device& device = fixture.device();
    check(device.begin_capture(stream, CaptureMode::global), "begin_capture");
    graph = device.end_capture(stream).value();
    executable = device.instantiate(graph).value();
    pooled = device.allocate_async(64, stream).value();
    fixture.record(event, stream);
    check(device.synchronize(), "synchronize");
  }

  Stream stream;
  Event event;
  std::int32_t* memory;
  void* pooled = nullptr;
  Graph graph;
  GraphExec executable;
};

template <typename Handle>
struct Use {
  std::string_view name;
  Status (*call)(Device& device, Handle bad, const Things& things);
};

constexpr std::array stream_uses{
    Use<Stream>{"destroy_stream", [](Device& device, Stream bad, const Things&) { return device.destroy_stream(bad); }},
    Use<Stream>{"query", [](Device& device, Stream bad, const Things&) { return device.query(bad); }},
    Use<Stream>{"synchronize", [](Device& device, Stream bad, const Things&) { return device.synchronize(bad); }},
    Use<Stream>{"record",
                [](Device& device, Stream bad, const Things& things) { return device.record(things.event, bad); }},
    Use<Stream>{"wait",
                [](Device& device, Stream bad, const Things& things) { return device.wait(bad, things.event); }},
    Use<Stream>{"copy",
                [](Device& device, Stream bad, const Things& things) {
                  return device.copy(things.memory, things.memory + 50, 8, CopyKind::device_to_device, bad);
                }},
    Use<Stream>{"fill",
                [](Device& device, Stream bad, const Things& things) { return device.fill(things.memory, 1, 8, bad); }},
    Use<Stream>{"launch", [](Device& device, Stream bad,
                             const Things&) { return device::launch(device, device::kernels::Spin{1}, 1, bad); }},
    Use<Stream>{"launch_graph",
                [](Device& device, Stream bad, const Things& things) { return device.launch(things.executable, bad); }},
    Use<Stream>{"host_callback",
                [](Device& device, Stream bad, const Things&) {
                  return device.host_callback(
                      bad, [](void*) {}, nullptr);
                }},
    Use<Stream>{"allocate_async",
                [](Device& device, Stream bad, const Things&) { return status_of(device.allocate_async(64, bad)); }},
    Use<Stream>{"free_async",
                [](Device& device, Stream bad, const Things& things) { return device.free_async(things.pooled, bad); }},
    Use<Stream>{"begin_capture", [](Device& device, Stream bad,
                                    const Things&) { return device.begin_capture(bad, CaptureMode::relaxed); }},
    Use<Stream>{"end_capture",
                [](Device& device, Stream bad, const Things&) { return status_of(device.end_capture(bad)); }},
    Use<Stream>{"capture_info",
                [](Device& device, Stream bad, const Things&) { return status_of(device.capture_info(bad)); }},
    Use<Stream>{"capture_dependencies",
                [](Device& device, Stream bad, const Things&) { return status_of(device.capture_dependencies(bad)); }},
};

constexpr std::array event_uses{
    Use<Event>{"destroy_event", [](Device& device, Event bad, const Things&) { return device.destroy_event(bad); }},
    Use<Event>{"record",
               [](Device& device, Event bad, const Things& things) { return device.record(bad, things.stream); }},
    Use<Event>{"wait", [](Device& device, Event bad, const Things& things) { return device.wait(things.stream, bad); }},
    Use<Event>{"query", [](Device& device, Event bad, const Things&) { return device.query(bad); }},
    Use<Event>{"synchronize", [](Device& device, Event bad, const Things&) { return device.synchronize(bad); }},
    Use<Event>{"elapsed_ms from it",
               [](Device& device, Event bad, const Things& things) {
                 return status_of(device.elapsed_ms(bad, things.event));
               }},
    Use<Event>{"elapsed_ms to it",
               [](Device& device, Event bad, const Things& things) {
                 return status_of(device.elapsed_ms(things.event, bad));
               }},
};

constexpr std::array graph_uses{
    Use<Graph>{"node_count",
               [](Device& device, Graph bad, const Things&) { return status_of(device.node_count(bad)); }},
    Use<Graph>{"instantiate",
               [](Device& device, Graph bad, const Things&) { return status_of(device.instantiate(bad)); }},
    Use<Graph>{"update",
               [](Device& device, Graph bad, const Things& things) { return device.update(things.executable, bad); }},
    Use<Graph>{"destroy_graph", [](Device& device, Graph bad, const Things&) { return device.destroy_graph(bad); }},
};

constexpr std::array executable_uses{
    Use<GraphExec>{"launch", [](Device& device, GraphExec bad,
                                const Things& things) { return device.launch(bad, things.stream); }},
    Use<GraphExec>{
        "update", [](Device& device, GraphExec bad, const Things& things) { return device.update(bad, things.graph); }},
    Use<GraphExec>{"destroy_executable",
                   [](Device& device, GraphExec bad, const Things&) { return device.destroy_executable(bad); }},
};

/// Every use of each bad handle is answered with `expected`, noted, and without effect.
template <typename Handle, std::size_t count>
void expect_noticed(Fixture& fixture, const Things& things, const std::array<Use<Handle>, count>& uses,
                    const std::vector<Handle>& bad_handles, Status expected) {
  Device& device = fixture.device();
  for (std::size_t which = 0; which < bad_handles.size(); ++which) {
    for (const Use<Handle>& use : uses) {
      SCOPED_TRACE(use.name);
      const std::uint64_t live = fixture.driver().live_bytes();
      EXPECT_EQ(use.call(device, bad_handles[which], things), expected) << "bad handle " << which;
      EXPECT_EQ(device.last_error(), expected);
      EXPECT_EQ(device.query(things.stream), Status::success);
      EXPECT_EQ(device.query(things.event), Status::success);
      EXPECT_EQ(fixture.driver().live_bytes(), live);
      EXPECT_EQ(device.capture_info(things.stream).value().status, device::CaptureStatus::none);
    }
  }
}

TEST(BadHandles, OfStreamsAreNoticedByEveryCall) {
  Fixture fixture;
  const Things things(fixture);
  const Stream destroyed = fixture.stream();
  check(fixture.device().destroy_stream(destroyed), "destroy_stream");
  const std::vector<Stream> bad{destroyed, Stream{things.event.value}, Stream{1}};
  expect_noticed(fixture, things, stream_uses, bad, Status::invalid_resource_handle);
}

TEST(BadHandles, OfAnotherDevicesStreamAreNoticedByWhatIsAboutADevicesOwn) {
  Fixture fixture(0, 2);
  const auto other = fixture.driver().open(1).value();
  const Stream stream = fixture.stream();
  auto* const memory = fixture.memory(10);
  const Event event = other->create_event(device::EventKind::no_timing).value();
  EXPECT_EQ(other->destroy_stream(stream), Status::invalid_resource_handle);
  EXPECT_EQ(other->query(stream), Status::invalid_resource_handle);
  EXPECT_EQ(other->synchronize(stream), Status::invalid_resource_handle);
  EXPECT_EQ(other->record(event, stream), Status::invalid_resource_handle);
  EXPECT_EQ(other->begin_capture(stream, CaptureMode::relaxed), Status::invalid_resource_handle);
  EXPECT_EQ(status_of(other->allocate_async(64, stream)), Status::invalid_resource_handle);
  fixture.iota(memory, 10, stream);  // it is as it was
  EXPECT_EQ(fixture.device().synchronize(stream), Status::success);
}

TEST(BadHandles, OfEventsAreNoticedByEveryCall) {
  Fixture fixture;
  const Things things(fixture);
  const Event destroyed = fixture.event();
  fixture.record(destroyed, things.stream);
  fixture.synchronize(things.stream);
  check(fixture.device().destroy_event(destroyed), "destroy_event");
  const std::vector<Event> bad{destroyed, Event{things.stream.value}, Event{1}, Event{}};
  expect_noticed(fixture, things, event_uses, bad, Status::invalid_resource_handle);
}

TEST(BadHandles, OfGraphsAreNoticedByEveryCall) {
  Fixture fixture;
  const Things things(fixture);
  check(fixture.device().begin_capture(things.stream, CaptureMode::global), "begin_capture");
  const Graph destroyed = fixture.device().end_capture(things.stream).value();
  const GraphExec destroyed_executable = fixture.device().instantiate(destroyed).value();
  check(fixture.device().destroy_graph(destroyed), "destroy_graph");
  check(fixture.device().launch(destroyed_executable, things.stream), "launch: it outlives its graph");
  check(fixture.device().destroy_executable(destroyed_executable), "destroy_executable");
  check(fixture.device().synchronize(), "synchronize");
  const std::vector<Graph> bad{destroyed, Graph{things.executable.value}, Graph{1}, Graph{}};
  expect_noticed(fixture, things, graph_uses, bad, Status::invalid_value);
  const std::vector<GraphExec> bad_executables{destroyed_executable, GraphExec{things.graph.value}, GraphExec{1},
                                               GraphExec{}};
  expect_noticed(fixture, things, executable_uses, bad_executables, Status::invalid_value);
}

TEST(BadHandles, AStreamDestroyedWhileItCapturesSpoilsTheCapture) {
  const Fixture fixture;
  const Stream origin = fixture.stream();
  const Stream branch = fixture.stream();
  check(fixture.device().begin_capture(origin, CaptureMode::global), "begin_capture");
  fixture.order(origin, branch);
  EXPECT_EQ(fixture.device().destroy_stream(origin), Status::success);
  EXPECT_EQ(status_of(fixture.device().end_capture(origin)), Status::invalid_resource_handle);
  EXPECT_EQ(fixture.device().capture_info(branch).value().status, device::CaptureStatus::none);
  EXPECT_EQ(fixture.device().synchronize(branch), Status::success);
}

TEST(BadHandles, ABranchDestroyedUnjoinedIsMissedAtTheEnd) {
  const Fixture fixture;
  const Stream origin = fixture.stream();
  const Stream branch = fixture.stream();
  std::int32_t* memory = fixture.memory(10);
  check(fixture.device().begin_capture(origin, CaptureMode::global), "begin_capture");
  fixture.order(origin, branch);
  fixture.iota(memory, 10, branch);
  EXPECT_EQ(fixture.device().destroy_stream(branch), Status::success);
  EXPECT_EQ(status_of(fixture.device().end_capture(origin)), Status::stream_capture_unjoined);
  EXPECT_EQ(fixture.device().synchronize(origin), Status::success);
}

}  // namespace
}  // namespace gpucheck::sim
