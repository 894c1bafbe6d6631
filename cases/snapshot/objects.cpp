#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string>
#include <vector>

#include "base/text/units.hpp"
#include "cases/snapshot/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "observe/snapshot/named_objects.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/streams/stream.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_snapshot::objects {
namespace {

using namespace literals;

constexpr std::size_t element_count = 1000;

/// Captures work on memory of the graph's pool.
runtime::Buffer<std::int64_t> capture(runtime::Graph& graph, runtime::Runtime& runtime, runtime::PoolId pool) {
  const runtime::Stream stream = runtime::Stream::current(runtime);
  graph.capture_begin(pool);
  runtime::Buffer<std::int64_t> result(runtime, element_count, stream.raw());
  tensor::ops::fill(runtime, result.data(), element_count, std::int64_t{1}, stream.raw());
  graph.capture_end();
  return result;
}

/// The snapshot as its file's readers see it.
replay::Snapshot written_and_read(observe::MemoryHistory& history, runtime::Runtime& runtime) {
  observe::MemorySnapshot snapshot = history.snapshot();
  observe::name_objects(snapshot, runtime);
  return read_back(pickle_of(snapshot));
}

std::vector<std::string> streams_of(const replay::Snapshot& snapshot) {
  std::vector<std::string> streams;
  for (const replay::SnapshotStream& each : snapshot.streams) {
    streams.push_back(fmt::format("{}: {}", each.id, each.name));
  }
  return streams;
}

/// Each pool with who uses it; graphs are counted from the case's first. Pools have other
/// numbers in each process.
std::vector<std::string> pools_of(const replay::Snapshot& snapshot, std::uint64_t first_graph) {
  std::vector<std::string> pools;
  for (const replay::SnapshotPool& each : snapshot.pools) {
    std::vector<std::uint64_t> graphs;
    for (const std::uint64_t graph : each.graphs) graphs.push_back(graph - first_graph + 1);
    pools.push_back(fmt::format("{}: uses {}, graphs {}", each.pool.first == 0 ? "shared" : "own", each.use_count,
                                fmt::join(graphs, " ")));
  }
  return pools;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  // No event names its stream: it is there before anything is recorded.
  const runtime::Stream high = runtime::Stream::from_pool(runtime, -1);
  std::optional<runtime::Buffer<std::uint8_t>> block;
  observe_error_of(context, "error", [&] { block.emplace(runtime, 1000, high.raw()); });
  history.record({.stacks = observe::StackKind::brief});

  const runtime::PoolId shared = runtime::graph_pool_handle();
  std::array<runtime::Graph, 3> graphs{runtime::Graph(runtime), runtime::Graph(runtime), runtime::Graph(runtime)};
  std::vector<runtime::Buffer<std::int64_t>> results;  // in use until the end
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    errors.push_back(
        error_text<Error>([&] { results.push_back(capture(graphs[i], runtime, i < 2 ? shared : runtime::PoolId{})); }));
  }
  context.observe("capture_errors", errors);
  const replay::Snapshot before = written_and_read(history, runtime);
  context.observe("streams", streams_of(before));
  context.observe("pools", pools_of(before, graphs[0].number()));
  graphs[0].reset();
  graphs[2].reset();
  context.observe("pools_after_resets", pools_of(written_and_read(history, runtime), graphs[0].number()));
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.objects",
      .summary = "A snapshot says its streams' ids and names, and which graphs hold which pools",
      .source = "ids of c10::cuda::CUDAStream and pools of at::cuda::CUDAGraph in PyTorch 2.11",
      .needs = {.memory_bytes = 128_MiB, .caching_allocator = true},
      .faults = {{.name = "second_capture_fails",
                  .summary = "the device fails to capture a second time",
                  .plan = fault::failing(fault::Operation::begin_capture, device::Status::stream_capture_unsupported,
                                         fault::nth_call(2))},
                 {.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::every_call)}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::objects
