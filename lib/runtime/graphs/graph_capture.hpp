#pragma once

#include <optional>

#include "runtime/graphs/graph.hpp"

namespace gpucheck::runtime {

struct CaptureOptions {
  PoolId pool{};                           ///< the default one: a new one
  std::optional<device::Stream> stream{};  ///< none: the runtime's `capture_stream`
  device::CaptureMode mode = device::CaptureMode::global;
};

/// Captures what a scope gives to the current stream: PyTorch's `torch.cuda.graph(...)`.
/// Used by one thread. Runtime and graph must outlive it.
class GraphCapture {
 public:
  /// Waits for the device, empties the caches, makes the side stream current and begins.
  /// @throws as `Graph::capture_begin`; the current stream is then as before.
  explicit GraphCapture(Runtime& runtime, Graph& graph, const CaptureOptions& options = {});
  /// Ends the capture unless that was done; a failure is kept as a warning of the runtime.
  ~GraphCapture();
  GraphCapture(const GraphCapture&) = delete;
  GraphCapture& operator=(const GraphCapture&) = delete;

  /// Ends the capture and makes the stream from before current again, without waiting for
  /// anything. @throws as `Graph::capture_end`; the stream is restored all the same.
  void end();

 private:
  Runtime& runtime_;
  Graph& graph_;
  std::optional<CurrentStreamGuard> on_side_;  ///< until the capture is ended
};

}  // namespace gpucheck::runtime
