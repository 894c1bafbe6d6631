#include "runtime/graphs/graph.hpp"

#include <algorithm>
#include <utility>

#include "device/check.hpp"

namespace gpucheck::runtime {

Graph::~Graph() {
  for (const DrawnState& drawn : drawn_states_) drawn.state->unregister_graph(*this);
  try {
    reset();
  } catch (const Error& error) {
    runtime_.warn(error.what());
  }
}

void Graph::register_generator_state(const Generator& generator) {
  const std::shared_ptr<GeneratorState>& state = generator.shared_state();
  state->register_graph(*this);
  if (std::ranges::find(drawn_states_, state, &DrawnState::state) == drawn_states_.end())
    drawn_states_.push_back({state});
}

void Graph::capture_begin(PoolId pool, device::CaptureMode mode) {
  if (executable_) {
    throw Error(
        "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance.");
  }
  device::Device& device = runtime_.device();
  if (default_generator_ == DefaultGenerator::registered) register_generator_state(runtime_.default_generator());
  const device::Stream stream = runtime_.current_stream();
  if (stream == device.default_stream()) {
    throw Error(
        "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on the "
        "default stream.)");
  }
  release_pool();  // of a capture that failed
  pool_ = pool.is_default() ? next_capture_pool_id() : pool;
  capture_stream_ = stream;
  capture_id_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  const PoolFilter in_this_capture = [&device, id = capture_id_](device::Stream asked) {
    if (asked == device.default_stream()) return false;  // cannot be captured
    const auto info = device.capture_info(asked);
    return *id != 0 && info.has_value() && info->id == *id;
  };
  runtime_.allocator().begin_allocate_to_pool(pool_, in_this_capture);
  runtime_.pinned_allocator().begin_allocate_to_pool(pool_, in_this_capture);
  holds_pool_ = routing_ = true;
  for (const DrawnState& drawn : drawn_states_) drawn.state->begin_capture();
  if (const device::Status status = device.begin_capture(stream, mode); status != device::Status::success) {
    stop_routing();
    device::check_and_clear(device, status, "begin_capture");
  }
  const device::Result<device::CaptureInfo> info = device.capture_info(stream);
  if (!info) {
    if (const device::Result<device::Graph> unknown = device.end_capture(stream)) {
      static_cast<void>(device::UniqueGraph(device, *unknown));
    }
    stop_routing();
    device::check_and_clear(device, info.error(), "capture_info");
  }
  *capture_id_ = info->id;
}

void Graph::capture_end() {
  if (runtime_.current_stream() != capture_stream_ || !routing_) {
    throw Error("Capture must end on the same stream it began on.");
  }
  device::Device& device = runtime_.device();
  runtime_.allocator().join_capture(capture_stream_);
  const device::Result<device::Graph> captured = device.end_capture(capture_stream_);
  stop_routing();
  const device::UniqueGraph graph(device, device::check_and_clear(device, captured, "end_capture"));
  if (device::check_and_clear(device, device.node_count(graph.get()), "node_count") == 0) {
    runtime_.warn(
        "The CUDA Graph is empty. This usually means that the graph was attempted to be captured on wrong device or "
        "stream.");
  }
  executable_ =
      device::UniqueGraphExec(device, device::check_and_clear(device, device.instantiate(graph.get()), "instantiate"));
}

void Graph::replay() {
  if (!executable_) throw Error("Called CUDAGraph::replay without a preceding successful capture.");
  device::Device& device = runtime_.device();
  for (const DrawnState& drawn : drawn_states_) drawn.state->begin_replay(drawn.increment);
  device::check_and_clear(device, device.launch(executable_.get(), runtime_.current_stream()), "launch graph");
}

void Graph::reset() {
  if (routing_) stop_routing();
  release_pool();
  executable_.reset();
}

PoolId Graph::pool() const {
  if (!executable_) throw Error("Called CUDAGraph::pool() without a preceding successful capture.");
  return pool_;
}

void Graph::stop_routing() {
  routing_ = false;
  for (DrawnState& drawn : drawn_states_) drawn.increment = drawn.state->end_capture();
  runtime_.pinned_allocator().end_allocate_to_pool(pool_);
  runtime_.allocator().end_allocate_to_pool(pool_);
}

void Graph::release_pool() {
  if (!std::exchange(holds_pool_, false)) return;
  runtime_.pinned_allocator().release_pool(pool_);
  runtime_.allocator().release_pool(pool_);
}

}  // namespace gpucheck::runtime
