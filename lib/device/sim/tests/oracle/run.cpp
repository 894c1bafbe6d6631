#include "device/sim/tests/oracle/run.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <set>

#include "device/sim/sim_driver.hpp"

namespace gpucheck::sim::oracle {
namespace {

using device::AccessMode;
using device::CopyKind;
using device::Status;
using Kind = Step::Kind;

/// Kernels that do nothing and differ in their names, by which the detector's reports tell
/// operations apart: one for each step of a program, then those of graphs.
constexpr std::size_t kernels_of_steps = 20;
constexpr std::size_t kernels_of_graphs = 20;

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kernels_of_steps + kernels_of_graphs; ++i) names.push_back(fmt::format("kernel {}", i));
  return names;
}

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

/// A sticky error: the program ends.
struct Stopped {
  bool unclear = false;  ///< the operation may or may not have been begun
};

class Runner {
 public:
  explicit Runner(const Program& program)
      : program_(program),
        driver_(make_driver({.profile = small(), .seed = program.seed, .device_count = program.device_count})) {
    for (int i = 0; i < program.device_count; ++i) devices_.push_back(driver_->open(i).value());
    make_streams();
    for (const int ordinal : program.events) events_.push_back(make_event(ordinal));
    for (const Buffer& buffer : program.buffers) places_.push_back(make_place(buffer));
    for (const auto& plans : program.graphs) graphs_.push_back(capture_both(plans));
  }

  std::optional<Run> run() {
    try {
      for (step_ = 0; step_ < program_.steps.size(); ++step_) make(program_.steps[step_]);
    } catch (const Stopped& stopped) {
      if (stopped.unclear) return std::nullopt;
    } catch (const device::DeviceError& error) {  // something could not be made anew
      if (!device::is_sticky(error.status())) throw;
    }
    return Run{std::move(trace_), reported()};
  }

 private:
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

  static const Profile& small() {
    static const Profile profile = sim::profile("small");
    return profile;
  }

  device::Device& device(int ordinal) { return *devices_[static_cast<std::size_t>(ordinal)]; }

  // Setting up.

  void make_streams() {
    for (int i = 0; i < program_.device_count; ++i) {
      trace_.streams.push_back({{StreamPlan::Kind::default_stream, i}, device::legacy_default_stream});
    }
    for (const StreamPlan& plan : program_.streams) streams_.push_back(make_stream(plan));
  }
  std::size_t make_stream(const StreamPlan& plan) {
    if (plan.kind == StreamPlan::Kind::default_stream) return static_cast<std::size_t>(plan.device);
    const auto kind =
        plan.kind == StreamPlan::Kind::blocking ? device::StreamKind::blocking : device::StreamKind::non_blocking;
    trace_.streams.push_back({plan, device(plan.device).create_stream(kind, 0).value()});
    return trace_.streams.size() - 1;
  }
  Event make_event(int ordinal) {
    return {device(ordinal).create_event(device::EventKind::timing).value(), ++events_made_};
  }
  Place make_place(const Buffer& buffer) {
    if (buffer.kind == Buffer::Kind::pool) return {};
    device::Device& owner = device(buffer.device);
    return known(buffer.kind == Buffer::Kind::device ? owner.allocate(buffer_bytes).value()
                                                     : owner.allocate_pinned(buffer_bytes).value());
  }
  Place known(void* address) {
    trace_.memories.push_back(reinterpret_cast<std::uintptr_t>(address));
    return {static_cast<std::byte*>(address), trace_.memories.size() - 1};
  }

  Graph capture_both(const std::array<GraphPlan, 2>& plans) {
    Graph graph;
    for (std::size_t i = 0; i < plans.size(); ++i) graph.captured[i] = capture(plans[i], i, graph.nodes[i]);
    graph.executable = device(0).instantiate(graph.captured[0]).value();
    return graph;
  }

  device::Graph capture(const GraphPlan& plan, std::size_t variant, std::vector<Launch::Node>& nodes) {
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

  // Steps.

  /// True when the call did what it is there for. @throws Stopped, Error.
  bool done(Status status) {
    if (status == Status::success) return true;
    if (device::is_sticky(status)) throw Stopped{};
    if (status == Status::not_ready) return false;
    throw Error(fmt::format("step {}: {}", step_, device::status_name(status)));
  }

  std::vector<Touch> traced(std::vector<Touch> touches) const {
    for (Touch& touch : touches) touch.buffer = places_[touch.buffer].memory;
    return touches;
  }
  [[nodiscard]] std::byte* at(const Touch& touch) const { return places_[touch.buffer].address + touch.begin; }
  [[nodiscard]] bool all_there(const std::vector<Touch>& touches) const {
    return std::all_of(touches.begin(), touches.end(),
                       [this](const Touch& touch) { return places_[touch.buffer].address != nullptr; });
  }
  [[nodiscard]] Buffer::Kind kind_of(const Touch& touch) const { return program_.buffers[touch.buffer].kind; }

  Status launch_kernel(device::Device& on, std::size_t number, const std::vector<Touch>& touches,
                       device::Stream stream) const {
    std::vector<device::MemoryAccess> accesses;
    for (const Touch& touch : touches) accesses.push_back({at(touch), touch.end - touch.begin, touch.mode});
    static const std::byte nothing{};
    return on.launch({.kernel = &kernel(number), .functor = &nothing, .count = 1, .accesses = accesses}, stream);
  }

  void make(const Step& step) {
    const bool allocates = step.kind == Kind::allocate;
    if (!allocates && !all_there(step.touches)) return;
    const std::size_t number = streams_[step.stream];
    const Target target{device(trace_.streams[number].plan.device), trace_.streams[number].handle, number};
    switch (step.kind) {
      case Kind::kernel:
        if (done(launch_kernel(target.device, step_, step.touches, target.stream))) {
          add_work(target, std::string(kernel(step_).name), step.touches);
        }
        return;
      case Kind::fill:
        return fill(target, step.touches[0]);
      case Kind::copy:
        return copy(target, step.touches[0], step.touches[1]);
      case Kind::copy_to_pageable:
        return copy_to_pageable(target, step.touches[0]);
      case Kind::copy_from_pageable:
        return copy_from_pageable(target, step.touches[0]);
      case Kind::host_callback:
        if (done(target.device.host_callback(
                target.stream, [](void*) {}, nullptr))) {
          add_work(target, "host_callback", {});
        }
        return;
      case Kind::allocate:
        return allocate(target, step.touches[0].buffer);
      case Kind::free_async:
        return free_async(target, step.touches[0].buffer);
      case Kind::free_now:
        return free_now(step.touches[0].buffer);
      case Kind::replace:
        return replace(step.touches[0].buffer);
      case Kind::host_access:
        return host_access(step.touches[0]);
      case Kind::pass_time:
        return driver_->advance(20'000);
      case Kind::replace_stream:
        if (done(target.device.destroy_stream(target.stream))) {
          streams_[step.stream] = make_stream(trace_.streams[number].plan);
        }
        return;
      case Kind::launch_graph:
      case Kind::update_graph:
        return make_with_graph(step, target);
      default:
        return make_with_event(step, target);
    }
  }

  /// Where a step goes to.
  struct Target {
    device::Device& device;
    device::Stream stream;
    std::size_t number = 0;  ///< in the trace
  };

  void add_work(const Target& target, std::string name, const std::vector<Touch>& touches, bool host_waits = false) {
    trace_.calls.push_back(Work{target.number, std::move(name), traced(touches), host_waits});
  }

  static Touch as(AccessMode mode, Touch touch) {
    touch.mode = mode;
    return touch;
  }

  void fill(const Target& target, const Touch& touch) {
    const std::size_t bytes = touch.end - touch.begin;
    if (bytes == 0 || !done(target.device.fill(at(touch), 1, bytes, target.stream))) return;
    add_work(target, "fill", {as(AccessMode::write, touch)});
  }

  void copy(const Target& target, Touch from, Touch to) {
    const std::size_t bytes = std::min(from.end - from.begin, to.end - to.begin);
    if (bytes == 0) return;
    from.end = from.begin + bytes;
    to.end = to.begin + bytes;
    const bool from_host = kind_of(from) == Buffer::Kind::page_locked;
    const bool to_host = kind_of(to) == Buffer::Kind::page_locked;
    constexpr std::array kinds{CopyKind::device_to_device, CopyKind::device_to_host, CopyKind::host_to_device,
                               CopyKind::host_to_host};
    constexpr std::array names{"copy device_to_device", "copy device_to_host", "copy host_to_device",
                               "copy host_to_host"};
    const std::size_t which = (from_host ? 2U : 0U) + (to_host ? 1U : 0U);
    const bool host_waits = from_host && to_host;
    if (!done_waiting(host_waits, target.device.copy(at(to), at(from), bytes, kinds[which], target.stream))) return;
    add_work(target, names[which], {as(AccessMode::read, from), as(AccessMode::write, to)}, host_waits);
  }

  bool done_waiting(bool host_waits, Status status) {
    if (host_waits && device::is_sticky(status)) throw Stopped{.unclear = true};
    return done(status);
  }

  void copy_to_pageable(const Target& target, const Touch& touch) {
    const std::size_t bytes = touch.end - touch.begin;
    if (bytes == 0) return;
    std::array<std::byte, buffer_bytes> landing{};
    const bool to_host = kind_of(touch) == Buffer::Kind::page_locked;
    const CopyKind kind = to_host ? CopyKind::host_to_host : CopyKind::device_to_host;
    if (!done_waiting(true, target.device.copy(landing.data(), at(touch), bytes, kind, target.stream))) return;
    add_work(target, to_host ? "copy host_to_host" : "copy device_to_host", {as(AccessMode::read, touch)}, true);
  }

  /// Small enough to be read before the call returns: the host waits for nothing, but where
  /// host memory is written.
  void copy_from_pageable(const Target& target, const Touch& touch) {
    const std::size_t bytes = touch.end - touch.begin;
    if (bytes == 0) return;
    const std::array<std::byte, buffer_bytes> source{};
    const bool to_host = kind_of(touch) == Buffer::Kind::page_locked;
    const CopyKind kind = to_host ? CopyKind::host_to_host : CopyKind::host_to_device;
    if (!done_waiting(to_host, target.device.copy(at(touch), source.data(), bytes, kind, target.stream))) return;
    add_work(target, to_host ? "copy host_to_host" : "copy host_to_device", {as(AccessMode::write, touch)}, to_host);
  }

  static Touch whole(std::size_t buffer) { return {buffer, 0, buffer_bytes, AccessMode::write}; }
  [[nodiscard]] bool is_pool_of(std::size_t buffer, const Target& target) const {
    const Buffer& plan = program_.buffers[buffer];
    return plan.kind == Buffer::Kind::pool && plan.device == trace_.streams[target.number].plan.device;
  }

  void allocate(const Target& target, std::size_t buffer) {
    if (!is_pool_of(buffer, target) || places_[buffer].address != nullptr) return;
    const auto pointer = target.device.allocate_async(buffer_bytes, target.stream);
    if (!done(pointer ? Status::success : pointer.error())) return;
    places_[buffer] = known(*pointer);
    add_work(target, "allocate_async", {whole(buffer)});
  }

  void free_async(const Target& target, std::size_t buffer) {
    if (!is_pool_of(buffer, target)) return;
    if (!done(target.device.free_async(places_[buffer].address, target.stream))) return;
    add_work(target, "free_async", {whole(buffer)});
    places_[buffer] = {};
  }

  void free_now(std::size_t buffer) {
    const Buffer& plan = program_.buffers[buffer];
    if (plan.kind != Buffer::Kind::pool || !done(device(plan.device).free(places_[buffer].address))) return;
    trace_.calls.push_back(HostAccess{"free", traced({whole(buffer)})});
    places_[buffer] = {};
  }

  void host_access(const Touch& touch) {
    if (kind_of(touch) != Buffer::Kind::page_locked) return;
    const bool reads = touch.mode == AccessMode::read;
    if (!done(device(0).host_access({at(touch), touch.end - touch.begin, touch.mode}))) return;
    trace_.calls.push_back(HostAccess{reads ? "host read" : "host write", traced({touch})});
  }

  /// A graph keeps the address.
  void replace(std::size_t buffer) {
    const Buffer& plan = program_.buffers[buffer];
    if (plan.kind == Buffer::Kind::pool || !program_.graphs.empty()) return;
    device::Device& owner = device(plan.device);
    if (plan.kind == Buffer::Kind::device) {
      if (!done(owner.free(places_[buffer].address))) return;
      // It waits for its own device: work of others may still use the memory.
      trace_.calls.push_back(KnowsDevice{plan.device});
      trace_.calls.push_back(HostAccess{"free", traced({whole(buffer)})});
    } else {
      if (!done(owner.free_pinned(places_[buffer].address))) return;
      for (int ordinal = 0; ordinal < program_.device_count; ++ordinal) trace_.calls.push_back(KnowsDevice{ordinal});
    }
    places_[buffer] = make_place(plan);
  }

  void make_with_event(const Step& step, const Target& target) {
    Event& event = events_[step.event];
    device::Device& of_event = device(program_.events[step.event]);
    switch (step.kind) {
      case Kind::record:
        if (!done(target.device.record(event.handle, target.stream))) return;
        event.recorded = true;
        trace_.calls.push_back(Record{target.number, event.number});
        return;
      case Kind::wait:
        if (!done(target.device.wait(target.stream, event.handle)) || !event.recorded) return;
        trace_.calls.push_back(Wait{target.number, event.number});
        return;
      case Kind::synchronize_event:
      case Kind::query_event: {
        const bool waits = step.kind == Kind::synchronize_event;
        const bool complete = done(waits ? of_event.synchronize(event.handle) : of_event.query(event.handle));
        if (complete && event.recorded) trace_.calls.push_back(KnowsEvent{event.number});
        return;
      }
      case Kind::elapsed:
        // Says how long something took, and is no promise about who may touch what.
        static_cast<void>(of_event.elapsed_ms(event.handle, event.handle));
        return;
      case Kind::replace_event:
        if (done(of_event.destroy_event(event.handle))) event = make_event(program_.events[step.event]);
        return;
      case Kind::synchronize_stream:
      case Kind::query_stream: {
        const bool waits = step.kind == Kind::synchronize_stream;
        if (done(waits ? target.device.synchronize(target.stream) : target.device.query(target.stream))) {
          trace_.calls.push_back(KnowsStream{target.number});
        }
        return;
      }
      default:
        if (done(target.device.synchronize())) {
          trace_.calls.push_back(KnowsDevice{trace_.streams[target.number].plan.device});
        }
    }
  }

  void make_with_graph(const Step& step, const Target& target) {
    Graph& graph = graphs_[step.graph];
    if (step.kind == Kind::update_graph) {
      graph.current = 1 - graph.current;
      static_cast<void>(done(device(0).update(graph.executable, graph.captured[graph.current])));
    } else if (done(target.device.launch(graph.executable, target.stream))) {
      trace_.calls.push_back(Launch{target.number, step.graph, graph.nodes[graph.current]});
    }
  }

  [[nodiscard]] std::vector<Conflict> reported() const {
    std::vector<Conflict> conflicts;
    for (const Race& race : driver_->races()) {
      conflicts.push_back(make_conflict({race.earlier, race.earlier_stream.value},
                                        {race.later, race.later_stream.value},
                                        reinterpret_cast<std::uintptr_t>(race.address), race.bytes));
    }
    std::sort(conflicts.begin(), conflicts.end());
    return conflicts;
  }

  const Program& program_;
  std::unique_ptr<Driver> driver_;
  std::vector<std::unique_ptr<device::Device>> devices_;
  Trace trace_;
  std::vector<std::size_t> streams_;  ///< in the trace, by their place in the program
  std::vector<Event> events_;
  std::size_t events_made_ = 0;
  std::vector<Place> places_;
  std::vector<Graph> graphs_;
  std::size_t step_ = 0;
};

}  // namespace

std::optional<Run> run(const Program& program) { return Runner(program).run(); }

}  // namespace gpucheck::sim::oracle
