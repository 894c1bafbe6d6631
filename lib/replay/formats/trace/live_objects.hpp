#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/formats/trace/trace.hpp"

namespace gpucheck::replay {

/// One operation as it stands in a file.
struct Operation {
  Event event;
  std::uint32_t same_address_as = Trace::no_expectation;
  TracePool pool;
  TraceGraph graph;
  std::string settings;
};

/// Adds operations to a trace, and follows which of its allocations, pools and graphs
/// exist. Numbers count from 0 in order, which keeps the tables as small as the file,
/// whatever the numbers in it. The trace must outlive it.
class LiveObjects {
 public:
  explicit LiveObjects(Trace& trace) : trace_(trace) {}

  /// What makes no sense about the operation; empty when it was added.
  [[nodiscard]] std::string_view add(Operation operation);
  [[nodiscard]] bool is_capturing() const noexcept { return capturing_.has_value(); }

 private:
  enum class Pool : std::uint8_t { idle, routed, deleted };
  enum class Graph : std::uint8_t { capturing, ready, deleted };

  [[nodiscard]] std::string_view check(Operation& operation);
  [[nodiscard]] std::string_view allocate(const Operation& operation);
  [[nodiscard]] std::string_view change_pool(std::uint32_t number, Pool from, Pool to);
  [[nodiscard]] std::string_view begin_capture(const Operation& operation);
  [[nodiscard]] std::string_view end_capture(std::uint32_t number);
  [[nodiscard]] bool is_ready(std::uint32_t number) const {
    return number < graphs_.size() && graphs_[number] == Graph::ready;
  }

  Trace& trace_;
  std::vector<bool> live_;  ///< allocations
  std::vector<Pool> pools_;
  std::vector<Graph> graphs_;
  std::optional<std::uint32_t> capturing_;
};

}  // namespace gpucheck::replay
