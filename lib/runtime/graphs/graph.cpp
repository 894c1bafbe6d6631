#include "runtime/graphs/graph.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/files/output_file.hpp"
#include "device/check.hpp"
#include "runtime/graphs/dot.hpp"

namespace gpucheck::runtime {
namespace {

std::uint64_t next_graph_number() noexcept {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

Graph::Graph(Runtime& runtime, GraphOptions options) noexcept
    : runtime_(runtime), options_(options), number_(next_graph_number()) {}

Graph::~Graph() {
  for (const DrawnState& drawn : drawn_states_) drawn.state->unregister_graph(*this);
  give_up();
}

/// Resets where something else has gone wrong already.
void Graph::give_up() noexcept {
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
  if (captured_) {
    throw Error(
        "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance.");
  }
  if (capturing_) throw Error("This CUDAGraph instance is capturing already. End that capture first.");
  if (options_.registers_default_generator) register_generator_state(default_generator(runtime_));
  if (runtime_.current_stream() == runtime_.device().default_stream()) {
    throw Error(
        "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on the "
        "default stream.)");
  }
  capture_stream_ = runtime_.current_stream();
  start_routing(pool.is_default() ? next_capture_pool_id() : pool);
  for (const DrawnState& drawn : drawn_states_) drawn.state->begin_capture();
  try {
    open_capture(mode);
  } catch (...) {
    stop_routing();
    throw;
  }
  capturing_ = true;
}

void Graph::start_routing(PoolId pool) {
  device::Device& device = runtime_.device();
  const auto id = std::make_shared<std::atomic<std::uint64_t>>(0);
  PoolFilter in_this_capture = [&device, id](device::Stream asked) {
    if (asked == device.default_stream()) return false;  // cannot be captured
    const auto info = device.capture_info(asked);
    return *id != 0 && info.has_value() && info->id == *id;
  };
  runtime_.allocator().begin_allocate_to_pool(pool, in_this_capture);
  runtime_.pinned_allocator().begin_allocate_to_pool(pool, std::move(in_this_capture));
  capture_id_ = id;
  hold_pool(pool);
}

/// The allocators count the use already. The pool of a capture that failed is given up last:
/// it may be the same one.
void Graph::hold_pool(PoolId pool) {
  runtime_.pool_owners().add(pool, number_);
  const PoolId before = std::exchange(pool_, pool);
  if (std::exchange(holds_pool_, true)) release_pool(before);
}

void Graph::open_capture(device::CaptureMode mode) {
  device::Device& device = runtime_.device();
  device::check_and_clear(device, device.begin_capture(capture_stream_, mode), "begin_capture");
  const device::Result<device::CaptureInfo> info = device.capture_info(capture_stream_);
  if (!info) {
    drop_capture();
    device::check_and_clear(device, info.error(), "capture_info");
  }
  *capture_id_ = info->id;
}

void Graph::drop_capture() {
  device::Device& device = runtime_.device();
  const device::Result<device::Graph> graph = device.end_capture(capture_stream_);
  static_cast<void>(graph && *graph ? device.destroy_graph(*graph) : device.last_error());
}

void Graph::abandon_capture() {
  capturing_ = false;
  drop_capture();
  stop_routing();
}

void Graph::capture_end() {
  if (runtime_.current_stream() != capture_stream_ || !capturing_) {
    throw Error("Capture must end on the same stream it began on.");
  }
  device::Device& device = runtime_.device();
  try {
    runtime_.allocator().join_capture(capture_stream_);
  } catch (...) {
    abandon_capture();
    throw;
  }
  capturing_ = false;
  const device::Result<device::Graph> ended = device.end_capture(capture_stream_);
  stop_routing();
  const device::Graph captured = device::check_and_clear(device, ended, "end_capture");
  if (!captured) throw Error("Invalid capture.");
  device::UniqueGraph graph(device, captured);
  if (device::check_and_clear(device, device.node_count(graph.get()), "node_count") == 0) {
    runtime_.warn(
        "The CUDA Graph is empty. This usually means that the graph was attempted to be captured on wrong device or "
        "stream.");
  }
  if (!options_.keep_graph) make_executable(graph.get());
  captured_ = true;
  if (options_.keep_graph) graph_ = std::move(graph);
}

void Graph::make_executable(device::Graph graph) {
  device::Device& device = runtime_.device();
  executable_.reset();  // of a graph that allocates there can be but one
  executable_ =
      device::UniqueGraphExec(device, device::check_and_clear(device, device.instantiate(graph), "instantiate"));
}

void Graph::instantiate() {
  if (!captured_) throw Error("capture_end() must have been called before calling instantiate");
  if (!options_.keep_graph) throw Error("instantiate() is intended to be called by the user only when keep_graph=true");
  make_executable(graph_.get());
}

void Graph::replay() {
  if (!captured_) throw Error("Called CUDAGraph::replay without a preceding successful capture.");
  if (!executable_) make_executable(graph_.get());
  device::Device& device = runtime_.device();
  for (const DrawnState& drawn : drawn_states_) drawn.state->begin_replay(drawn.increment);
  device::check_and_clear(device, device.launch(executable_.get(), runtime_.current_stream()), "launch graph");
}

void Graph::reset() {
  captured_ = false;
  graph_.reset();
  executable_.reset();
  if (capturing_) abandon_capture();
  if (std::exchange(holds_pool_, false)) release_pool(pool_);
}

PoolId Graph::pool() const {
  if (!captured_) throw Error("Called CUDAGraph::pool() without a preceding successful capture.");
  return pool_;
}

device::Graph Graph::raw_graph() const {
  if (!options_.keep_graph) {
    throw Error("You cannot access the raw cudaGraph_t instance unless CUDAGraph was initialized with keep_graph=true");
  }
  if (!captured_) throw Error("You cannot access the raw cudaGraph_t instance until capture_end() has been called");
  return graph_.get();
}

device::GraphExec Graph::raw_executable() const {
  if (executable_) return executable_.get();
  throw Error("You cannot access the raw cudaGraphExec_t instance until instantiate() has been called");
}

void Graph::debug_dump(const std::string& path) {
  if (!debug_ && !options_.keep_graph) {
    return runtime_.warn("CUDA Graphs debug not enabled, set with [graph].enable_debug_mode()");
  }
  runtime_.warn("DEBUG: calling debug_dump()");
  if (!graph_) return;
  runtime_.warn(fmt::format("DEBUG: calling cudaGraphDebugDotPrint() with {}", path));
  device::Device& device = runtime_.device();
  OutputFile file(path, "graph");
  file.commit(dot_text(device::check_and_clear(device, device.nodes(graph_.get()), "nodes")));
}

void Graph::stop_routing() {
  for (DrawnState& drawn : drawn_states_) drawn.increment = drawn.state->end_capture();
  runtime_.pinned_allocator().end_allocate_to_pool(pool_);
  runtime_.allocator().end_allocate_to_pool(pool_);
}

void Graph::release_pool(PoolId pool) {
  runtime_.pool_owners().remove(pool, number_);
  runtime_.pinned_allocator().release_pool(pool);
  runtime_.allocator().release_pool(pool);
}

}  // namespace gpucheck::runtime
