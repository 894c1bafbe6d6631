#include "runtime/graphs/graph_capture.hpp"

#include "device/check.hpp"

namespace gpucheck::runtime {

GraphCapture::GraphCapture(Runtime& runtime, Graph& graph, const CaptureOptions& options)
    : runtime_(runtime), graph_(graph) {
  device::check_and_clear(runtime.device(), runtime.device().synchronize(), "synchronize");
  runtime.allocator().empty_cache();
  runtime.pinned_allocator().empty_cache();
  on_side_.emplace(runtime, options.stream ? *options.stream : runtime.capture_stream());
  graph.capture_begin(options.pool, options.mode);
}

GraphCapture::~GraphCapture() {
  if (!on_side_) return;
  try {
    end();
  } catch (const Error& error) {
    runtime_.warn(error.what());
  }
}

void GraphCapture::end() {
  struct Restored {
    std::optional<CurrentStreamGuard>& on_side;
    ~Restored() { on_side.reset(); }
  };
  const Restored restored{on_side_};
  graph_.capture_end();
}

}  // namespace gpucheck::runtime
