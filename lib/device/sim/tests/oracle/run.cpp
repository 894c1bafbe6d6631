#include "device/sim/tests/oracle/run.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "device/sim/sim_driver.hpp"
#include "device/sim/tests/oracle/equipment.hpp"

namespace gpucheck::sim::oracle {
namespace {

using device::AccessMode;
using device::CopyKind;
using device::Status;
using Kind = Step::Kind;

/// A sticky error: the program ends.
struct Stopped {
  bool unclear = false;  ///< the operation may or may not have been begun
};

class Runner {
 public:
  explicit Runner(const Program& program) : program_(program), equipment_(program) {}

  std::optional<Run> run() {
    try {
      for (step_ = 0; step_ < program_.steps.size(); ++step_) make(program_.steps[step_]);
    } catch (const Stopped& stopped) {
      if (stopped.unclear) return std::nullopt;
    } catch (const device::DeviceError& error) {  // something could not be made anew
      if (!device::is_sticky(error.status())) throw;
    }
    return Run{std::move(equipment_.trace), reported()};
  }

 private:
  /// True when the call did what it is there for. @throws Stopped, Error.
  bool done(Status status) {
    if (status == Status::success) return true;
    if (device::is_sticky(status)) throw Stopped{};
    if (status == Status::not_ready) return false;
    throw Error(fmt::format("step {}: {}", step_, device::status_name(status)));
  }

  [[nodiscard]] bool all_there(const std::vector<Touch>& touches) const {
    return std::all_of(touches.begin(), touches.end(),
                       [this](const Touch& touch) { return equipment_.places[touch.buffer].address != nullptr; });
  }
  [[nodiscard]] Buffer::Kind kind_of(const Touch& touch) const { return program_.buffers[touch.buffer].kind; }

  void make(const Step& step) {
    const bool allocates = step.kind == Kind::allocate;
    if (!allocates && !all_there(step.touches)) return;
    const std::size_t number = equipment_.streams[step.stream];
    const Target target{equipment_.device(equipment_.trace.streams[number].plan.device),
                        equipment_.trace.streams[number].handle, number};
    switch (step.kind) {
      case Kind::kernel:
        if (done(equipment_.launch_kernel(target.device, step_, step.touches, target.stream))) {
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
        return equipment_.driver->advance(20'000);
      case Kind::replace_stream:
        if (done(target.device.destroy_stream(target.stream))) {
          equipment_.streams[step.stream] = equipment_.make_stream(equipment_.trace.streams[number].plan);
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
    equipment_.trace.calls.push_back(Work{target.number, std::move(name), equipment_.traced(touches), host_waits});
  }

  static Touch as(AccessMode mode, Touch touch) {
    touch.mode = mode;
    return touch;
  }

  void fill(const Target& target, const Touch& touch) {
    const std::size_t bytes = touch.end - touch.begin;
    if (bytes == 0 || !done(target.device.fill(equipment_.at(touch), 1, bytes, target.stream))) return;
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
    if (!done_waiting(host_waits,
                      target.device.copy(equipment_.at(to), equipment_.at(from), bytes, kinds[which], target.stream)))
      return;
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
    if (!done_waiting(true, target.device.copy(landing.data(), equipment_.at(touch), bytes, kind, target.stream)))
      return;
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
    if (!done_waiting(to_host, target.device.copy(equipment_.at(touch), source.data(), bytes, kind, target.stream)))
      return;
    add_work(target, to_host ? "copy host_to_host" : "copy host_to_device", {as(AccessMode::write, touch)}, to_host);
  }

  static Touch whole(std::size_t buffer) { return {buffer, 0, buffer_bytes, AccessMode::write}; }
  [[nodiscard]] bool is_pool_of(std::size_t buffer, const Target& target) const {
    const Buffer& plan = program_.buffers[buffer];
    return plan.kind == Buffer::Kind::pool && plan.device == equipment_.trace.streams[target.number].plan.device;
  }

  void allocate(const Target& target, std::size_t buffer) {
    if (!is_pool_of(buffer, target) || equipment_.places[buffer].address != nullptr) return;
    const auto pointer = target.device.allocate_async(buffer_bytes, target.stream);
    if (!done(pointer ? Status::success : pointer.error())) return;
    equipment_.places[buffer] = equipment_.known(*pointer);
    add_work(target, "allocate_async", {whole(buffer)});
  }

  void free_async(const Target& target, std::size_t buffer) {
    if (!is_pool_of(buffer, target)) return;
    if (!done(target.device.free_async(equipment_.places[buffer].address, target.stream))) return;
    add_work(target, "free_async", {whole(buffer)});
    equipment_.places[buffer] = {};
  }

  void free_now(std::size_t buffer) {
    const Buffer& plan = program_.buffers[buffer];
    if (plan.kind != Buffer::Kind::pool ||
        !done(equipment_.device(plan.device).free(equipment_.places[buffer].address)))
      return;
    equipment_.trace.calls.push_back(HostAccess{"free", equipment_.traced({whole(buffer)})});
    equipment_.places[buffer] = {};
  }

  void host_access(const Touch& touch) {
    if (kind_of(touch) != Buffer::Kind::page_locked) return;
    const bool reads = touch.mode == AccessMode::read;
    if (!done(equipment_.device(0).host_access({equipment_.at(touch), touch.end - touch.begin, touch.mode}))) return;
    equipment_.trace.calls.push_back(HostAccess{reads ? "host read" : "host write", equipment_.traced({touch})});
  }

  /// A graph keeps the address.
  void replace(std::size_t buffer) {
    const Buffer& plan = program_.buffers[buffer];
    if (plan.kind == Buffer::Kind::pool || !program_.graphs.empty()) return;
    device::Device& owner = equipment_.device(plan.device);
    if (plan.kind == Buffer::Kind::device) {
      if (!done(owner.free(equipment_.places[buffer].address))) return;
      // It waits for its own device: work of others may still use the memory.
      equipment_.trace.calls.push_back(KnowsDevice{plan.device});
      equipment_.trace.calls.push_back(HostAccess{"free", equipment_.traced({whole(buffer)})});
    } else {
      if (!done(owner.free_pinned(equipment_.places[buffer].address))) return;
      for (int ordinal = 0; ordinal < program_.device_count; ++ordinal)
        equipment_.trace.calls.push_back(KnowsDevice{ordinal});
    }
    equipment_.places[buffer] = equipment_.make_place(plan);
  }

  void make_with_event(const Step& step, const Target& target) {
    Equipment::Event& event = equipment_.events[step.event];
    device::Device& of_event = equipment_.device(program_.events[step.event]);
    switch (step.kind) {
      case Kind::record:
        if (!done(target.device.record(event.handle, target.stream))) return;
        event.recorded = true;
        equipment_.trace.calls.push_back(Record{target.number, event.number});
        return;
      case Kind::wait:
        if (!done(target.device.wait(target.stream, event.handle)) || !event.recorded) return;
        equipment_.trace.calls.push_back(Wait{target.number, event.number});
        return;
      case Kind::synchronize_event:
      case Kind::query_event: {
        const bool waits = step.kind == Kind::synchronize_event;
        const bool complete = done(waits ? of_event.synchronize(event.handle) : of_event.query(event.handle));
        if (complete && event.recorded) equipment_.trace.calls.push_back(KnowsEvent{event.number});
        return;
      }
      case Kind::elapsed:
        // Says how long something took, and is no promise about who may touch what.
        static_cast<void>(of_event.elapsed_ms(event.handle, event.handle));
        return;
      case Kind::replace_event:
        if (done(of_event.destroy_event(event.handle))) event = equipment_.make_event(program_.events[step.event]);
        return;
      case Kind::synchronize_stream:
      case Kind::query_stream: {
        const bool waits = step.kind == Kind::synchronize_stream;
        if (done(waits ? target.device.synchronize(target.stream) : target.device.query(target.stream))) {
          equipment_.trace.calls.push_back(KnowsStream{target.number});
        }
        return;
      }
      default:
        if (done(target.device.synchronize())) {
          equipment_.trace.calls.push_back(KnowsDevice{equipment_.trace.streams[target.number].plan.device});
        }
    }
  }

  void make_with_graph(const Step& step, const Target& target) {
    Equipment::Graph& graph = equipment_.graphs[step.graph];
    if (step.kind == Kind::update_graph) {
      graph.current = 1 - graph.current;
      static_cast<void>(done(equipment_.device(0).update(graph.executable, graph.captured[graph.current])));
    } else if (done(target.device.launch(graph.executable, target.stream))) {
      equipment_.trace.calls.push_back(Launch{target.number, step.graph, graph.nodes[graph.current]});
    }
  }

  [[nodiscard]] std::vector<Conflict> reported() const {
    std::vector<Conflict> conflicts;
    for (const Race& race : equipment_.driver->races()) {
      conflicts.push_back(make_conflict({race.earlier, race.earlier_stream.value},
                                        {race.later, race.later_stream.value},
                                        reinterpret_cast<std::uintptr_t>(race.address), race.bytes));
    }
    std::sort(conflicts.begin(), conflicts.end());
    return conflicts;
  }

  const Program& program_;
  Equipment equipment_;
  std::size_t step_ = 0;
};

}  // namespace

std::optional<Run> run(const Program& program) { return Runner(program).run(); }

}  // namespace gpucheck::sim::oracle
