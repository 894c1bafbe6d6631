#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "device/sim/sim_driver.hpp"
#include "device/sim/tests/oracle/program.hpp"
#include "device/sim/tests/oracle/trace.hpp"

namespace gpucheck::sim::oracle {

/// Names of kernels that do nothing, by which the detector's reports tell operations apart:
/// one for each step of a program, then those of graphs.
const device::Kernel& kernel(std::size_t number);

/// What a program works with on the simulated device: streams, events, memory and graphs, made
/// before its first step and some of them anew between its steps.
class Equipment {
 public:
  explicit Equipment(const Program& program);

  struct Event {
    device::Event handle;
    std::size_t number = 0;  ///< of this one: another one in its place has another
    bool recorded = false;
  };
  /// Where a buffer is; null while it is not there.
  struct Place {
    std::byte* address = nullptr;
    std::size_t memory = 0;  ///< in the trace
  };
  struct Graph {
    std::array<device::Graph, 2> captured;
    device::GraphExec executable;
    std::size_t current = 0;  ///< which of the two the executable is
    std::array<std::vector<Launch::Node>, 2> nodes;
  };

  device::Device& device(int ordinal) { return *devices_[static_cast<std::size_t>(ordinal)]; }
  std::size_t make_stream(const StreamPlan& plan);
  Event make_event(int ordinal);
  Place make_place(const Buffer& buffer);
  Place known(void* address);

  /// With the buffers as the trace numbers them.
  [[nodiscard]] std::vector<Touch> traced(std::vector<Touch> touches) const;
  [[nodiscard]] std::byte* at(const Touch& touch) const { return places[touch.buffer].address + touch.begin; }
  device::Status launch_kernel(device::Device& on, std::size_t number, const std::vector<Touch>& touches,
                               device::Stream stream) const;

  const Program& program;
  std::unique_ptr<Driver> driver;
  Trace trace;
  std::vector<std::size_t> streams;  ///< in the trace, by their place in the program
  std::vector<Event> events;
  std::vector<Place> places;
  std::vector<Graph> graphs;

 private:
  void make_streams();
  Graph capture_both(const std::array<GraphPlan, 2>& plans);
  device::Graph capture(const GraphPlan& plan, std::size_t variant, std::vector<Launch::Node>& nodes);

  std::vector<std::unique_ptr<device::Device>> devices_;
  std::size_t events_made_ = 0;
};

}  // namespace gpucheck::sim::oracle
