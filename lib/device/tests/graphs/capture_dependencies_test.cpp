#include <algorithm>

#include "device/tests/suites.hpp"

// cudaStreamGetCaptureInfo: "The next node to be captured in the stream will depend on
// this set of nodes"; cudaGraphNodeGetDependencies.
namespace gpucheck::device::contract {
namespace {

using Nodes = std::vector<GraphNode>;

/// A capture, and what to ask about it. Every stream that joins it must be led back.
class Fork {
 public:
  explicit Fork(Device& device, Stream origin) : device_(device), origin_(origin) {
    check(device.begin_capture(origin, CaptureMode::global), "begin_capture");
  }
  ~Fork() {
    const auto graph = device_.end_capture(origin_);
    EXPECT_EQ(status_of(graph), Status::success);
    if (graph.has_value()) static_cast<void>(device_.destroy_graph(*graph));
  }
  Fork(const Fork&) = delete;
  Fork& operator=(const Fork&) = delete;

  /// What `to` is given from now on comes after what `from` was given.
  void lead(Stream from, Stream to) {
    const auto event = own<UniqueEvent>(device_, device_.create_event(EventKind::no_timing));
    EXPECT_EQ(device_.record(event.get(), from), Status::success);
    EXPECT_EQ(device_.wait(to, event.get()), Status::success);
  }
  /// Captures a kernel; returns its node.
  GraphNode work(Stream stream) {
    check(device::launch(device_, kernels::Spin{1}, 1, stream), "spin");
    const Nodes nodes = before(stream);
    EXPECT_EQ(nodes.size(), 1U);
    return nodes.at(0);
  }
  /// What the next work in `stream` would depend on.
  Nodes before(Stream stream) { return sorted(device_.capture_dependencies(stream).value()); }
  Nodes before(GraphNode node) { return sorted(device_.node_dependencies(node).value()); }
  static Nodes sorted(Nodes nodes) {
    std::ranges::sort(nodes);
    return nodes;
  }

 private:
  Device& device_;
  Stream origin_;
};

TEST_P(CaptureDependencies, AreNoneWhereNothingIsCaptured) {
  const auto stream = make_stream();
  EXPECT_EQ(device().capture_dependencies(stream.get()).value(), Nodes{});
  static_cast<void>(capture(stream.get(), [&] {
    EXPECT_EQ(device().capture_dependencies(stream.get()).value(), Nodes{});
    spin(stream.get());
  }));
  EXPECT_EQ(device().capture_dependencies(stream.get()).value(), Nodes{});
}

TEST_P(CaptureDependencies, AreTheLastNodeOfTheStream) {
  const auto origin = make_stream();
  Fork fork(device(), origin.get());
  const GraphNode first = fork.work(origin.get());
  const GraphNode second = fork.work(origin.get());
  EXPECT_NE(first, second);
  EXPECT_TRUE(first);
  EXPECT_EQ(fork.before(first), Nodes{});
  EXPECT_EQ(fork.before(second), Nodes{first});
}

TEST_P(CaptureDependencies, FollowAFork) {
  const auto origin = make_stream();
  const auto branch = make_stream();
  Fork fork(device(), origin.get());
  const GraphNode root = fork.work(origin.get());
  fork.lead(origin.get(), branch.get());
  EXPECT_EQ(fork.before(branch.get()), Nodes{root});
  const GraphNode left = fork.work(origin.get());
  const GraphNode right = fork.work(branch.get());
  EXPECT_NE(left, right);
  EXPECT_EQ(fork.before(left), Nodes{root});
  EXPECT_EQ(fork.before(right), Nodes{root});
  EXPECT_EQ(fork.before(origin.get()), Nodes{left});
  fork.lead(branch.get(), origin.get());
}

TEST_P(CaptureDependencies, AreSeveralAfterAJoin) {
  const auto origin = make_stream();
  const auto branch = make_stream();
  Fork fork(device(), origin.get());
  fork.work(origin.get());
  fork.lead(origin.get(), branch.get());
  const GraphNode left = fork.work(origin.get());
  const GraphNode right = fork.work(branch.get());
  fork.lead(branch.get(), origin.get());
  const Nodes both = Fork::sorted({left, right});
  EXPECT_EQ(fork.before(origin.get()), both);
  EXPECT_EQ(fork.before(branch.get()), Nodes{right});
  EXPECT_EQ(fork.before(fork.work(origin.get())), both);
}

TEST_P(CaptureDependencies, AreNoneInAnInvalidatedCapture) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::global), "begin_capture");
  spin(stream.get());
  EXPECT_EQ(device().synchronize(stream.get()), Status::stream_capture_unsupported);
  EXPECT_EQ(device().capture_dependencies(stream.get()).value(), Nodes{});
  EXPECT_EQ(status_of(device().end_capture(stream.get())), Status::stream_capture_invalidated);
}

TEST_P(CaptureDependencies, AreNotToldOfTheLegacyStreamWhileABlockingOneCaptures) {
  const auto stream = make_stream(StreamKind::blocking);
  const auto graph = capture(stream.get(), [&] {
    EXPECT_EQ(status_of(device().capture_dependencies(legacy_default_stream)), Status::stream_capture_implicit);
  });
}

}  // namespace
}  // namespace gpucheck::device::contract
