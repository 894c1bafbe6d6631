#include <memory>

#include "cases/shared/graph_support.hpp"
#include "cases/shared/mathlib_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/products/products.hpp"

namespace gpucheck::cases::in_graph::repeat_capture_cublas_workspace {
namespace {

constexpr int graph_count = 100;

struct Extent {
  std::int64_t rows;
  std::int64_t depth;
  std::int64_t columns;
};

/// A reference multiplies a hundred thousand times as slowly as a GPU.
Extent extent_on(std::string_view kind) { return kind == "sim" ? Extent{64, 32, 16} : Extent{1024, 512, 64}; }

std::int64_t used_bytes(device::Device& device) {
  const device::MemoryInfo info = device::check_and_clear(device, device.memory_info(), "memory_info");
  return static_cast<std::int64_t>(info.total_bytes - info.free_bytes);
}

/// Captures the product on the side stream of captures, as `torch.cuda.graph` does, and replays it.
tensor::Tensor capture_and_replay(runtime::Runtime& runtime, const tensor::Tensor& a, const tensor::Tensor& b) {
  runtime.synchronize();
  runtime.allocator().empty_cache();
  const device::Stream side = runtime.capture_stream();
  runtime::Graph graph(runtime);
  tensor::Tensor product;
  {
    const runtime::CurrentStreamGuard on_side(runtime, side);
    graph.capture_begin();
    product = tensor::mm(a, b);
    graph.capture_end();
  }
  wait_for(runtime, side);
  graph.replay();
  return product;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Extent extent = extent_on(context.driver().kind());
  const tensor::Tensor a = tensor::ones({extent.rows, extent.depth}, DType::float32, runtime);
  const tensor::Tensor b = tensor::ones({extent.depth, extent.columns}, DType::float32, runtime);
  static_cast<void>(tensor::mm(a, b));
  runtime.synchronize();
  const std::int64_t before = used_bytes(context.device());
  std::int64_t wrong = 0;
  for (int i = 0; i < graph_count; ++i) {
    const tensor::Tensor product = capture_and_replay(runtime, a, b);
    wrong += in_mathlib::elements_unlike(product, static_cast<double>(extent.depth));
  }
  context.observe("bytes_grown", used_bytes(context.device()) - before);
  context.observe("wrong_elements", wrong);
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.repeat_capture_cublas_workspace",
      .summary = "Workspaces of products that are captured again and again go with their graphs",
      .source = "test_cuda.py::TestCuda::test_repeat_graph_capture_cublas_workspace_memory",
      .needs = {.exclusive = true, .caching_allocator = true},
      .faults = {{.name = "no_replay",
                  .summary = "launching a graph does nothing",
                  .plan = fault::replay_lost(fault::every_call)},
                 {.name = "lost_replay",
                  .summary = "launching the first graph does nothing",
                  .plan = fault::replay_lost(fault::nth_call(1))}},
      .deadline = std::chrono::milliseconds(30'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::repeat_capture_cublas_workspace
