#include "replay/formats/trace/live_objects.hpp"

#include <utility>

namespace gpucheck::replay {

std::string_view LiveObjects::add(Operation operation) {
  const std::string_view problem = check(operation);
  if (problem.empty()) trace_.events.push_back(operation.event);
  return problem;
}

std::string_view LiveObjects::check(Operation& operation) {
  Event& event = operation.event;
  switch (event.action) {
    case Action::allocate:
      return allocate(operation);
    case Action::free:
    case Action::record_stream:
      if (event.id >= live_.size() || !live_[event.id]) return "expected an id that is allocated at this step";
      if (event.action == Action::free) live_[event.id] = false;
      return "";
    case Action::set_settings:
      event.id = static_cast<std::uint32_t>(trace_.later_settings.size());
      trace_.later_settings.push_back(std::move(operation.settings));
      return "";
    case Action::create_pool:
      if (event.id != pools_.size()) return "expected pools to be numbered 0, 1, 2, ... in order";
      pools_.push_back(Pool::idle);
      trace_.pools.push_back(operation.pool);
      return "";
    case Action::delete_pool:
      return change_pool(event.id, Pool::idle, Pool::deleted);
    case Action::begin_pool:
      return change_pool(event.id, Pool::idle, Pool::routed);
    case Action::end_pool:
      return change_pool(event.id, Pool::routed, Pool::idle);
    case Action::begin_capture:
      return begin_capture(operation);
    case Action::end_capture:
      return end_capture(event.id);
    case Action::replay_graph:
    case Action::delete_graph:
      if (!is_ready(event.id)) return "expected a graph that is captured and not deleted";
      if (event.action == Action::delete_graph) graphs_[event.id] = Graph::deleted;
      return "";
    default:
      return "";
  }
}

std::string_view LiveObjects::allocate(const Operation& operation) {
  const Event& event = operation.event;
  if (event.id != live_.size()) return "expected allocations to be numbered 0, 1, 2, ... in order";
  const std::uint32_t same = operation.same_address_as;
  if (same != Trace::no_expectation && same > event.id) {
    return "expected same_address_as to name this or an earlier allocation";
  }
  live_.push_back(!event.expect_out_of_memory);
  trace_.expected_same_address.push_back(same);
  ++trace_.allocation_count;
  return "";
}

std::string_view LiveObjects::change_pool(std::uint32_t number, Pool from, Pool to) {
  if (number >= pools_.size() || pools_[number] != from) {
    return from == Pool::routed ? "expected a pool that allocations go to"
                                : "expected a pool that exists and that no allocations go to";
  }
  pools_[number] = to;
  return "";
}

std::string_view LiveObjects::begin_capture(const Operation& operation) {
  if (capturing_) return "expected the capture before to have ended";
  if (operation.event.id != graphs_.size()) return "expected graphs to be numbered 0, 1, 2, ... in order";
  if (operation.event.stream == 0) return "expected a capture on another stream than the default one";
  const auto& shared = operation.graph.shares_pool_of;
  if (shared && !is_ready(*shared)) return "expected shares_pool_of to name a graph that is captured and not deleted";
  capturing_ = operation.event.id;
  graphs_.push_back(Graph::capturing);
  trace_.graphs.push_back(operation.graph);
  return "";
}

std::string_view LiveObjects::end_capture(std::uint32_t number) {
  if (capturing_ != number) return "expected the graph that is being captured";
  capturing_.reset();
  graphs_[number] = Graph::ready;
  return "";
}

}  // namespace gpucheck::replay
