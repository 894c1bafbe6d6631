#include "replay/targets/runtime_calls.hpp"

#include <cmath>
#include <fmt/format.h>

#include "base/error.hpp"
#include "replay/formats/trace/operations.hpp"

namespace gpucheck::replay {

double fraction_of(std::uint64_t limit_bytes, const device::Device& device) {
  const std::uint64_t total = device.properties().total_memory_bytes;
  if (limit_bytes > total) {
    throw UsageError(
        fmt::format("a memory limit of {} bytes is more than the device has ({} bytes): lower it, or choose a larger "
                    "device",
                    limit_bytes, total));
  }
  // An allocator multiplies again and cuts off what is behind the point.
  double fraction = static_cast<double>(limit_bytes) / static_cast<double>(total);
  while (static_cast<std::uint64_t>(fraction * static_cast<double>(total)) < limit_bytes) {
    fraction = std::nextafter(fraction, 1.0);
  }
  return fraction;
}

void RuntimeCalls::carry_out(const Trace& trace, const Event& event) {
  switch (event.action) {
    case Action::occupy_stream:
      return streams_.occupy(event.stream);
    case Action::reset_peak_stats:
      return allocator().reset_peak_stats();
    case Action::reset_accumulated_stats:
      return allocator().reset_accumulated_stats();
    case Action::set_memory_limit:
      return allocator().set_memory_fraction(event.size == 0 ? 1.0 : fraction_of(event.size, runtime_.device()));
    case Action::set_settings:
      return runtime_.set_settings(trace.later_settings[event.id]);
    case Action::create_pool:
      return create_pool(trace.pools[event.id]);
    case Action::delete_pool:
      allocator().release_pool(pools_[event.id]);
      return allocator().empty_cache(pools_[event.id]);
    case Action::begin_pool:
      return allocator().begin_allocate_to_pool(pools_[event.id], runtime::on_this_thread());
    case Action::end_pool:
      allocator().end_allocate_to_pool(pools_[event.id]);
      return allocator().release_pool(pools_[event.id]);
    case Action::begin_capture:
      return begin_capture(trace.graphs[event.id], event);
    case Action::end_capture:
      return end_capture(event);
    case Action::replay_graph:
      return replay(event.id);
    case Action::delete_graph:
      graphs_[event.id].graph.reset();
      return;
    default:
      throw Error(fmt::format("{} is not a call of the runtime", shape_of(event.action).name));
  }
}

void RuntimeCalls::create_pool(const TracePool& pool) {
  pools_.push_back(runtime::graph_pool_handle());
  allocator().retain_pool(pools_.back(),
                          {.use_on_out_of_memory = pool.use_on_out_of_memory, .no_split = pool.no_split});
}

void RuntimeCalls::begin_capture(const TraceGraph& graph, const Event& event) {
  CapturedGraph& captured = graphs_.emplace_back(CapturedGraph{
      .graph = std::make_unique<runtime::Graph>(runtime_, runtime::GraphOptions{.registers_default_generator = false}),
      .stream = streams_[event.stream]});
  const runtime::CurrentStreamGuard on_its_stream(runtime_, captured.stream);
  const auto pool = graph.shares_pool_of ? graphs_[*graph.shares_pool_of].graph->pool() : runtime::PoolId{};
  captured.graph->capture_begin(pool, device::CaptureMode::relaxed);
  streams_.set_capturing(true);
}

void RuntimeCalls::end_capture(const Event& event) {
  const CapturedGraph& captured = graphs_[event.id];
  const runtime::CurrentStreamGuard on_its_stream(runtime_, captured.stream);
  streams_.set_capturing(false);
  captured.graph->capture_end();
}

void RuntimeCalls::replay(std::uint32_t graph) {
  graphs_[graph].graph->replay();
  streams_.wait_for_all();
}

}  // namespace gpucheck::replay
