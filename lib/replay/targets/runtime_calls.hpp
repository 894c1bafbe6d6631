#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "replay/formats/trace/trace.hpp"
#include "replay/targets/streams/trace_streams.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::replay {

/// The limit as a share of the device's memory, as torch.cuda.set_per_process_memory_fraction
/// takes it. @throws UsageError for one above the device's memory.
double fraction_of(std::uint64_t limit_bytes, const device::Device& device);

/// A trace's calls that are about neither one allocation nor one kind of memory: settings
/// and limits, private pools, graphs, occupied streams. Runtime and streams must outlive it.
class RuntimeCalls {
 public:
  RuntimeCalls(runtime::Runtime& runtime, TraceStreams& streams) : runtime_(runtime), streams_(streams) {}

  /// @throws UnsupportedError for what the runtime's allocator cannot do; Error for an
  /// event that is none of these; what the runtime throws.
  void carry_out(const Trace& trace, const Event& event);

 private:
  void create_pool(const TracePool& pool);
  void begin_capture(const TraceGraph& graph, const Event& event);
  void end_capture(const Event& event);
  void replay(std::uint32_t graph);
  [[nodiscard]] runtime::DeviceAllocator& allocator() { return runtime_.allocator(); }

  struct CapturedGraph {
    std::unique_ptr<runtime::Graph> graph;
    device::Stream stream;  ///< captured on
  };
  runtime::Runtime& runtime_;
  TraceStreams& streams_;
  std::vector<runtime::PoolId> pools_;
  std::vector<CapturedGraph> graphs_;
};

}  // namespace gpucheck::replay
