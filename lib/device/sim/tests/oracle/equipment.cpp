#include "device/sim/tests/oracle/equipment.hpp"

#include <fmt/format.h>

namespace gpucheck::sim::oracle {
namespace {

/// Kernels that do nothing and differ in their names, by which the detector's reports tell
/// operations apart: one for each step of a program, then those of graphs.
constexpr std::size_t kernels_of_steps = 20;
constexpr std::size_t kernels_of_graphs = 20;

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kernels_of_steps + kernels_of_graphs; ++i) names.push_back(fmt::format("kernel {}", i));
  return names;
}

const Profile& small() {
  static const Profile profile = sim::profile("small");
  return profile;
}

}  // namespace

const device::Kernel& kernel(std::size_t number) {
  static const std::vector<std::string> names = kernel_names();
  static const std::vector<device::Kernel> kernels = [] {
    std::vector<device::Kernel> made;
    for (const std::string& name : names) {
      made.push_back(
          {.name = name,
           .run_on_host = [](const void*, std::size_t, const device::BlockShape&, device::FailedAssertion&) {}});
    }
    return made;
  }();
  return kernels.at(number);
}

Equipment::Equipment(const Program& program_to_run)
    : program(program_to_run),
      driver(make_driver({.profile = small(), .seed = program.seed, .device_count = program.device_count})) {
  for (int i = 0; i < program.device_count; ++i) devices_.push_back(driver->open(i).value());
  make_streams();
  for (const int ordinal : program.events) events.push_back(make_event(ordinal));
  for (const Buffer& buffer : program.buffers) places.push_back(make_place(buffer));
  for (const auto& plans : program.graphs) graphs.push_back(capture_both(plans));
}

void Equipment::make_streams() {
  for (int i = 0; i < program.device_count; ++i) {
    trace.streams.push_back({{StreamPlan::Kind::default_stream, i}, device::legacy_default_stream});
  }
  for (const StreamPlan& plan : program.streams) streams.push_back(make_stream(plan));
}

std::size_t Equipment::make_stream(const StreamPlan& plan) {
  if (plan.kind == StreamPlan::Kind::default_stream) return static_cast<std::size_t>(plan.device);
  const auto kind =
      plan.kind == StreamPlan::Kind::blocking ? device::StreamKind::blocking : device::StreamKind::non_blocking;
  trace.streams.push_back({plan, device(plan.device).create_stream(kind, 0).value()});
  return trace.streams.size() - 1;
}

Equipment::Event Equipment::make_event(int ordinal) {
  return {device(ordinal).create_event(device::EventKind::timing).value(), ++events_made_};
}

Equipment::Place Equipment::make_place(const Buffer& buffer) {
  if (buffer.kind == Buffer::Kind::pool) return {};
  device::Device& owner = device(buffer.device);
  return known(buffer.kind == Buffer::Kind::device ? owner.allocate(buffer_bytes).value()
                                                   : owner.allocate_pinned(buffer_bytes).value());
}

Equipment::Place Equipment::known(void* address) {
  trace.memories.push_back(reinterpret_cast<std::uintptr_t>(address));
  return {static_cast<std::byte*>(address), trace.memories.size() - 1};
}

Equipment::Graph Equipment::capture_both(const std::array<GraphPlan, 2>& plans) {
  Graph graph;
  for (std::size_t i = 0; i < plans.size(); ++i) graph.captured[i] = capture(plans[i], i, graph.nodes[i]);
  graph.executable = device(0).instantiate(graph.captured[0]).value();
  return graph;
}

device::Graph Equipment::capture(const GraphPlan& plan, std::size_t variant, std::vector<Launch::Node>& nodes) {
  device::Device& on = device(0);
  const std::array branches{on.create_stream(device::StreamKind::non_blocking, 0).value(),
                            on.create_stream(device::StreamKind::non_blocking, 0).value()};
  const auto order = [&](std::size_t earlier, std::size_t later) {
    const device::Event done = on.create_event(device::EventKind::no_timing).value();
    device::check(on.record(done, branches[earlier]), "record");
    device::check(on.wait(branches[later], done), "wait");
  };
  device::check(on.begin_capture(branches[0], device::CaptureMode::relaxed), "begin_capture");
  order(0, 1);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].waits) {
      nodes.push_back({"", plan[i]});
      order(1 - plan[i].branch, plan[i].branch);
    } else {
      const std::size_t number = kernels_of_steps + variant * kernels_of_graphs / 2 + i;
      GraphStep step = plan[i];
      step.touches = traced(plan[i].touches);
      nodes.push_back({std::string(kernel(number).name), std::move(step)});
      device::check(launch_kernel(on, number, plan[i].touches, branches[plan[i].branch]), "launch");
    }
  }
  order(1, 0);
  return on.end_capture(branches[0]).value();
}

std::vector<Touch> Equipment::traced(std::vector<Touch> touches) const {
  for (Touch& touch : touches) touch.buffer = places[touch.buffer].memory;
  return touches;
}

device::Status Equipment::launch_kernel(device::Device& on, std::size_t number, const std::vector<Touch>& touches,
                                        device::Stream stream) const {
  std::vector<device::MemoryAccess> accesses;
  for (const Touch& touch : touches) {
    accesses.push_back({at(touch), touch.end - touch.begin, touch.mode, 1, touch.repetitions});
  }
  static const std::byte nothing{};
  return on.launch({.kernel = &kernel(number), .functor = &nothing, .count = 1, .accesses = accesses}, stream);
}

}  // namespace gpucheck::sim::oracle
