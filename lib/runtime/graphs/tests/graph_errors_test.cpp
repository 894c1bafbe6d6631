#include "runtime/allocator/errors.hpp"
#include "runtime/graphs/graph_capture.hpp"
#include "runtime/graphs/tests/faulty.hpp"

// Whatever breaks a capture leaves the runtime usable, and nothing behind.
namespace gpucheck::runtime::test {

namespace ops = tensor::ops;
namespace {

using device::DeviceError;
using device::Status;

/// What breaks a capture that is open, on a device on which nothing else goes wrong.
template <typename Break>
void expect_harmless(const std::string& what, Break break_capture) {
  Faulty machine;
  {
    const CurrentStreamGuard current(machine.runtime(), machine.side());
    Graph graph(machine.runtime());
    graph.capture_begin();
    break_capture(machine, graph);
    machine.expect_usable(what);
    EXPECT_NO_THROW(machine.capture(graph)) << what << ": this graph cannot try again";
  }
  machine.expect_nothing_left(what);
}

TEST(GraphErrors, OfTheDeviceLeaveNothingBehind) {
  for (const fault::Operation operation :
       {fault::Operation::begin_capture, fault::Operation::capture_info, fault::Operation::end_capture,
        fault::Operation::node_count, fault::Operation::instantiate}) {
    const std::string after(device::to_text(operation));
    const bool leaves_capture = operation == fault::Operation::end_capture;  // nobody ended it on the device
    Faulty machine(fault::failing(operation, Status::unknown, fault::nth_call(1)));
    {
      const CurrentStreamGuard current(machine.runtime(), machine.side());
      Graph graph(machine.runtime());
      EXPECT_THROW(machine.capture(graph), DeviceError) << after;
      EXPECT_EQ(error_of([&] { graph.replay(); }), "Called CUDAGraph::replay without a preceding successful capture.");
      if (leaves_capture) {
        const device::UniqueGraph ended(machine.device(), machine.device().end_capture(machine.side()).value());
      }
      machine.expect_usable(after);
      EXPECT_NO_THROW(machine.capture(graph)) << after;
    }
    machine.expect_nothing_left(after);
  }
}

TEST(GraphErrors, ALaunchThatFailsLeavesTheGraph) {
  Faulty machine(fault::failing(fault::Operation::launch_graph, Status::unknown, fault::nth_call(1)));
  const CurrentStreamGuard current(machine.runtime(), machine.side());
  Graph graph(machine.runtime());
  machine.capture(graph);
  EXPECT_THROW(graph.replay(), DeviceError);
  EXPECT_NO_THROW(graph.replay());
  machine.expect_usable("launch_graph");
}

TEST(GraphErrors, ANullGraphIsAnInvalidCapture) {
  Faulty machine(fault::broken(fault::Operation::end_capture, fault::Effect::drop, fault::nth_call(1)));
  const CurrentStreamGuard current(machine.runtime(), machine.side());
  Graph graph(machine.runtime());
  EXPECT_EQ(error_of([&] { machine.capture(graph); }), "Invalid capture.");
  const device::UniqueGraph ended(machine.device(), machine.device().end_capture(machine.side()).value());
  machine.expect_usable("a null graph");
}

TEST(GraphErrors, ACallThatIsForbidden) {
  expect_harmless("synchronize", [](Faulty& machine, Graph& graph) {
    EXPECT_EQ(machine.device().synchronize(machine.side()), Status::stream_capture_unsupported);
    static_cast<void>(machine.device().last_error());
    EXPECT_THROW(graph.capture_end(), DeviceError);
  });
}

TEST(GraphErrors, AStreamThatWasNotJoined) {
  expect_harmless("unjoined", [](Faulty& machine, Graph& graph) {
    device::Device& device = machine.device();
    Runtime& runtime = machine.runtime();
    const device::Stream other = runtime.streams().next();
    const auto event = device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::no_timing));
    device::check(device.record(event.get(), machine.side()), "record");
    device::check(device.wait(other, event.get()), "wait");
    Buffer<std::int64_t> value(runtime, 1, other);
    ops::fill(runtime, value.data(), 1, std::int64_t{1}, other);
    EXPECT_THROW(graph.capture_end(), DeviceError);
  });
}

TEST(GraphErrors, AGraphThatIsResetInItsCapture) {
  expect_harmless("reset", [](Faulty&, Graph& graph) { graph.reset(); });
}

TEST(GraphErrors, AGraphThatEndsInItsCapture) {
  Faulty machine;
  const CurrentStreamGuard current(machine.runtime(), machine.side());
  {
    Graph graph(machine.runtime());
    graph.capture_begin();
  }
  machine.expect_usable("end of the graph");
  machine.expect_nothing_left("end of the graph");
  EXPECT_TRUE(machine.runtime().warnings().empty());
}

TEST(GraphErrors, MemoryThatThereIsNot) {
  expect_harmless("out of memory", [](Faulty& machine, Graph& graph) {
    Runtime& runtime = machine.runtime();
    EXPECT_THROW(Buffer<std::uint8_t>(runtime, std::size_t{1} << 42U, machine.side()), OutOfMemoryError);
    EXPECT_NO_THROW(graph.capture_end()) << "the capture goes on";
    graph.reset();
  });
}

TEST(GraphErrors, AKernelThatIsNotLaunched) {
  Faulty machine(fault::failing(fault::Operation::launch_kernel, Status::unknown, fault::nth_call(1)));
  const CurrentStreamGuard current(machine.runtime(), machine.side());
  {
    Graph graph(machine.runtime());
    EXPECT_THROW(machine.capture(graph), DeviceError);
  }
  static_cast<void>(machine.device().last_error());
  machine.expect_usable("launch_kernel");
  machine.expect_nothing_left("launch_kernel");
}

TEST(GraphErrors, AnotherCurrentStreamEndsNoCapture) {
  expect_harmless("another stream", [](Faulty& machine, Graph& graph) {
    {
      const CurrentStreamGuard other(machine.runtime(), machine.runtime().streams().next());
      EXPECT_EQ(error_of([&] { graph.capture_end(); }), "Capture must end on the same stream it began on.");
    }
    EXPECT_NO_THROW(graph.capture_end());
    EXPECT_NO_THROW(graph.replay());
    graph.reset();
  });
}

TEST(GraphErrors, ASecondBeginChangesNothing) {
  expect_harmless("begun twice", [](Faulty& machine, Graph& graph) {
    EXPECT_NE(error_of([&] { graph.capture_begin(); }), "no error");
    Graph second(machine.runtime(), {.registers_default_generator = false});
    EXPECT_THROW(second.capture_begin(), DeviceError);
    EXPECT_NO_THROW(graph.capture_end());
    graph.reset();
  });
}

TEST(GraphErrors, ARefusedCaptureLeavesItsPoolToTheNextOne) {
  Faulty machine(fault::failing(fault::Operation::begin_capture, Status::unknown, fault::nth_call(1)));
  const CurrentStreamGuard current(machine.runtime(), machine.side());
  const PoolId pool = graph_pool_handle();
  Graph graph(machine.runtime());
  EXPECT_THROW(machine.capture(graph, pool), DeviceError);
  Graph next(machine.runtime());
  EXPECT_NO_THROW(machine.capture(next, pool));
  EXPECT_NO_THROW(machine.capture(graph, pool)) << "the use that it has goes over";
  EXPECT_EQ(machine.runtime().allocator().pool_use_count(pool), 2);
}

TEST(GraphErrors, AScopeThatIsLeftByAnErrorEndsItsCapture) {
  Faulty machine;
  const CurrentStreamGuard current(machine.runtime(), machine.side());
  {
    Graph graph(machine.runtime());
    EXPECT_EQ(error_of([&] {
                const GraphCapture scope(machine.runtime(), graph);
                throw Error("in the middle");
              }),
              "in the middle");
    EXPECT_EQ(machine.runtime().current_stream(), machine.side());
    machine.expect_usable("a scope left by an error");
  }
  machine.expect_nothing_left("a scope left by an error");
}

TEST(GraphErrors, AScopeThatCannotBeginLeavesTheCurrentStream) {
  Faulty machine(fault::failing(fault::Operation::begin_capture, Status::unknown, fault::nth_call(1)));
  const CurrentStreamGuard current(machine.runtime(), machine.side());
  Graph graph(machine.runtime());
  EXPECT_THROW(GraphCapture(machine.runtime(), graph), DeviceError);
  EXPECT_EQ(machine.runtime().current_stream(), machine.side());
  machine.expect_usable("a scope that cannot begin");
}

TEST(GraphErrors, AScopeOverABrokenCaptureSaysSo) {
  Faulty machine;
  const CurrentStreamGuard current(machine.runtime(), machine.side());
  Graph graph(machine.runtime());
  {
    const GraphCapture scope(machine.runtime(), graph);
    static_cast<void>(machine.device().synchronize(machine.runtime().current_stream()));
    static_cast<void>(machine.device().last_error());
  }
  ASSERT_EQ(machine.runtime().warnings().size(), 1U);
  EXPECT_NE(machine.runtime().warnings()[0].find("end_capture"), std::string::npos);
  EXPECT_EQ(machine.runtime().current_stream(), machine.side());
  machine.expect_usable("a scope over a broken capture");
}

}  // namespace
}  // namespace gpucheck::runtime::test
