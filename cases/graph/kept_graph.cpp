#include "cases/shared/graph_support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_graph::kept_graph {
namespace {

using runtime::Buffer;
using runtime::Graph;
using runtime::Runtime;

/// Counts how often a graph is made executable.
class CountingDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  [[nodiscard]] device::Result<device::GraphExec> instantiate(device::Graph graph) override {
    ++instantiations_;
    return ForwardingDevice::instantiate(graph);
  }
  [[nodiscard]] std::int64_t instantiations() const { return instantiations_; }

 private:
  std::int64_t instantiations_ = 0;
};

/// Captures "counter = counter + amount", and memory that comes and goes: of a graph with such there can be but one
/// executable at a time.
void capture_step(Runtime& runtime, Graph& graph, Buffer<std::int64_t>& counter, std::int64_t amount) {
  device::Device& device = runtime.device();
  const device::Stream stream = runtime.current_stream();
  graph.capture_begin();
  void* const memory = device::check_and_clear(device, device.allocate_async(1024, stream), "allocate_async");
  tensor::ops::add(runtime, counter.data(), counter.data(), 1, amount, stream);
  device::check(device, device.free_async(memory, stream), "free_async");
  graph.capture_end();
}

std::string error_of_instantiate(Graph& graph) {
  return error_text<Error>([&] { graph.instantiate(); });
}
std::string error_of_raw_graph(const Graph& graph) {
  return error_text<Error>([&] { static_cast<void>(graph.raw_graph()); });
}
std::string error_of_raw_executable(const Graph& graph) {
  return error_text<Error>([&] { static_cast<void>(graph.raw_executable()); });
}

void run(harness::Context& context) {
  CountingDevice device(context.driver().open(context.device().ordinal()).value());
  Runtime runtime(device);
  const runtime::CurrentStreamGuard on_side(runtime, runtime.streams().next());
  Buffer<std::int64_t> counter(runtime, 1, runtime.current_stream());
  tensor::ops::fill(runtime, counter.data(), 1, std::int64_t{0}, runtime.current_stream());

  Graph kept(runtime, {.keep_graph = true});
  context.observe("instantiate_before_the_capture_error", error_of_instantiate(kept));
  context.observe("raw_graph_before_the_capture_error", error_of_raw_graph(kept));
  context.observe("pool_before_the_capture_error", error_text<Error>([&] { static_cast<void>(kept.pool()); }));
  capture_step(runtime, kept, counter, 1);
  context.observe("nodes_of_the_raw_graph", static_cast<std::int64_t>(device.node_count(kept.raw_graph()).value()));
  context.observe("raw_executable_after_the_capture_error", error_of_raw_executable(kept));
  kept.replay();
  kept.replay();
  context.observe("instantiations_by_two_replays", device.instantiations());
  context.observe("instantiate_again_error", error_of_instantiate(kept));
  context.observe("instantiations_with_one_asked_for", device.instantiations());
  kept.replay();
  context.observe("sum_of_three_replays", read_one(runtime, counter.data(), runtime.current_stream()));
  kept.reset();
  capture_step(runtime, kept, counter, 10);
  kept.replay();
  context.observe("sum_after_another_capture", read_one(runtime, counter.data(), runtime.current_stream()));

  Graph plain(runtime);
  capture_step(runtime, plain, counter, 1);
  context.observe("instantiate_of_a_graph_not_kept_error", error_of_instantiate(plain));
  context.observe("raw_graph_of_a_graph_not_kept_error", error_of_raw_graph(plain));
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.kept_graph",
      .summary = "A graph that is kept becomes executable when asked or by its first replay, and only then",
      .source = "test_cuda.py::TestCuda::test_cuda_graph_raw_graph_exec of PyTorch 2.11",
      .faults = {{.name = "second_instantiation_fails",
                  .summary = "the device fails to make the graph executable once more",
                  .plan = fault::failing(fault::Operation::instantiate, device::Status::unknown, fault::nth_call(2))},
                 {.name = "no_nodes",
                  .summary = "the device counts no node in the raw graph",
                  .plan = fault::broken(fault::Operation::node_count, fault::Effect::wrong_answer, fault::nth_call(2))},
                 {.name = "no_replay",
                  .summary = "launching a graph does nothing",
                  .plan = fault::replay_lost(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::kept_graph
