#include "cases/shared/graph_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_graph::empty_graph_warning {
namespace {

using runtime::CurrentStreamGuard;

/// Warnings that a capture of `work` gives.
template <typename Work>
std::vector<std::string> warnings_for(runtime::Runtime& runtime, Work&& work) {
  const std::size_t before = runtime.warnings().size();
  {
    runtime::Graph graph(runtime);
    const CurrentStreamGuard on_side(runtime, runtime.streams().next());
    graph.capture_begin();
    work();
    graph.capture_end();
  }
  std::vector<std::string> all = runtime.warnings();
  return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const std::vector<std::string> warnings = warnings_for(runtime, [] {});
  context.observe("warnings_for_an_empty_capture", static_cast<std::int64_t>(warnings.size()));
  context.observe("warning", harness::Value(warnings.empty() ? std::string() : warnings.front()));

  runtime::Buffer<std::int32_t> memory(runtime, 1, runtime.current_stream());
  device::check(runtime.device(), runtime.device().synchronize(), "synchronize");
  const auto one_kernel = [&] {
    tensor::ops::fill(runtime, memory.data(), 1, std::int32_t{1}, runtime.current_stream());
  };
  context.observe("warnings_for_one_kernel", static_cast<std::int64_t>(warnings_for(runtime, one_kernel).size()));
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.empty_graph_warning",
      .summary = "Ending a capture in which nothing was launched gives a warning, and only then",
      .source = "test_cuda.py::TestCuda::test_graph_warn_if_has_zero_nodes",
      .faults = {{.name = "empty_graph_counted_as_full",
                  .summary = "the device counts a node in an empty graph",
                  .plan = fault::broken(fault::Operation::node_count, fault::Effect::wrong_answer, fault::nth_call(1))},
                 {.name = "full_graph_counted_as_empty",
                  .summary = "the device counts no node in a graph that has one",
                  .plan = fault::broken(fault::Operation::node_count, fault::Effect::wrong_answer, fault::nth_call(2))},
                 {.name = "lost_node",
                  .summary = "a launch does not get into the graph",
                  .plan = fault::kernel_lost(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::empty_graph_warning
