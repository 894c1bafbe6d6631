#include "device/sim/tests/oracle/program.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

#include "base/splitmix.hpp"

namespace gpucheck::sim::oracle {
namespace {

using device::AccessMode;
using Kind = Step::Kind;

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(splitmix(seed)) {}
  /// From 0 to `limit` - 1.
  std::size_t below(std::size_t limit) { return splitmix(seed_ + ++count_) % limit; }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

struct Likely {
  Kind kind;
  std::size_t weight;
};

constexpr std::array likely{
    Likely{Kind::kernel, 60},
    Likely{Kind::fill, 8},
    Likely{Kind::copy, 14},
    Likely{Kind::copy_to_pageable, 4},
    Likely{Kind::copy_from_pageable, 4},
    Likely{Kind::host_callback, 1},
    Likely{Kind::allocate, 8},
    Likely{Kind::free_async, 5},
    Likely{Kind::free_now, 2},
    Likely{Kind::replace, 2},
    Likely{Kind::record, 22},
    Likely{Kind::wait, 26},
    Likely{Kind::synchronize_event, 5},
    Likely{Kind::query_event, 4},
    Likely{Kind::elapsed, 2},
    Likely{Kind::synchronize_stream, 5},
    Likely{Kind::query_stream, 4},
    Likely{Kind::synchronize_device, 2},
    Likely{Kind::host_access, 6},
    Likely{Kind::replace_stream, 4},
    Likely{Kind::replace_event, 2},
    Likely{Kind::launch_graph, 14},
    Likely{Kind::update_graph, 3},
    Likely{Kind::pass_time, 5},
};
static_assert(likely.size() == Step::kind_count);

constexpr std::size_t weight_of_all() {
  std::size_t sum = 0;
  for (const Likely& entry : likely) sum += entry.weight;
  return sum;
}

Kind draw_kind(Draws& draws) {
  std::size_t at = draws.below(weight_of_all());
  const auto* entry = likely.begin();
  while (at >= entry->weight) at -= (entry++)->weight;
  return entry->kind;
}

class Generator {
 public:
  Generator(std::uint64_t seed, Touches kind) : draws_(seed), kind_(kind) { program_.seed = seed; }

  Program draw() {
    program_.device_count = draws_.one_in(5) ? 2 : 1;
    draw_objects();
    const std::size_t steps = 3 + draws_.below(12);
    while (program_.steps.size() < steps) add_step();
    return std::move(program_);
  }

 private:
  int draw_device() { return static_cast<int>(draws_.below(static_cast<std::size_t>(program_.device_count))); }

  void draw_objects() {
    for (std::size_t left = 1 + draws_.below(3); left > 0; --left) {
      constexpr std::array kinds{Buffer::Kind::device, Buffer::Kind::device, Buffer::Kind::page_locked,
                                 Buffer::Kind::pool};
      program_.buffers.push_back({kinds[draws_.below(kinds.size())], draw_device()});
    }
    for (std::size_t left = 2 + draws_.below(3); left > 0; --left) {
      constexpr std::array kinds{StreamPlan::Kind::non_blocking, StreamPlan::Kind::non_blocking,
                                 StreamPlan::Kind::blocking, StreamPlan::Kind::default_stream};
      program_.streams.push_back({kinds[draws_.below(kinds.size())], draw_device()});
    }
    for (std::size_t left = 1 + draws_.below(3); left > 0; --left) program_.events.push_back(draw_device());
    if (draws_.one_in(3)) program_.graphs.push_back(draw_graph());
  }

  /// On a buffer that a kernel of the device may touch, which is there from the start if
  /// the touch is a graph's.
  std::vector<Touch> draw_touches(int device, bool of_graph) {
    std::vector<Touch> touches;
    for (std::size_t left = 1 + draws_.below(4) / 2; left > 0; --left) {
      const Touch touch = kind_ == Touches::patterns && draws_.one_in(2) ? draw_pattern() : draw_touch();
      const Buffer& buffer = program_.buffers[touch.buffer];
      const bool within_reach = buffer.kind == Buffer::Kind::page_locked || buffer.device == device;
      if (within_reach && !(of_graph && buffer.kind == Buffer::Kind::pool)) touches.push_back(touch);
    }
    return touches;
  }

  Touch draw_touch() {
    constexpr std::array modes{AccessMode::read, AccessMode::read, AccessMode::write, AccessMode::read_write};
    const std::size_t buffer = draws_.below(program_.buffers.size());
    const AccessMode mode = modes[draws_.below(modes.size())];
    if (draws_.one_in(3)) return {buffer, 0, buffer_bytes, mode};
    const std::size_t begin = draws_.below(buffer_bytes);
    return {buffer, begin, begin + draws_.below(buffer_bytes - begin + 1), mode};
  }

  /// A run of a byte or two, repeated up to where the buffer ends.
  Touch draw_pattern() {
    Touch touch = draw_touch();
    touch.begin = draws_.below(buffer_bytes / 2);
    touch.end = touch.begin + 1 + draws_.below(2);
    std::size_t end = touch.end;
    for (std::size_t left = 1 + draws_.below(3); left > 0; --left) {
      const std::size_t stride = draws_.below(5);
      const std::size_t most = stride == 0 ? 3 : (buffer_bytes - end) / stride + 1;
      const std::size_t count = 1 + draws_.below(most);
      end += (count - 1) * stride;
      touch.repetitions.all[touch.repetitions.used++] = {count, stride};
    }
    return touch;
  }

  std::array<GraphPlan, 2> draw_graph() {
    GraphPlan plan;
    for (std::size_t left = 1 + draws_.below(5); left > 0; --left) {
      const bool waits = draws_.one_in(3);
      const std::size_t branch = draws_.below(2);
      plan.push_back({waits, branch, waits ? std::vector<Touch>{} : draw_touches(0, true)});
    }
    GraphPlan updated = plan;
    for (GraphStep& step : updated) {
      if (!step.waits) step.touches = draw_touches(0, true);
    }
    return {std::move(plan), std::move(updated)};
  }

  void add_step() {
    Step step{.kind = draw_kind(draws_),
              .stream = draws_.below(program_.streams.size()),
              .event = draws_.below(program_.events.size()),
              .graph = 0,
              .touches = {}};
    const int device = program_.streams[step.stream].device;
    switch (step.kind) {
      case Kind::kernel:
        step.touches = draw_touches(device, false);
        break;
      case Kind::copy:
        step.touches = {draw_touch(), draw_touch()};
        break;
      case Kind::launch_graph:
      case Kind::update_graph:
        if (program_.graphs.empty() || device != 0) return;
        break;
      case Kind::record:
        if (program_.events[step.event] != device) return;
        step.touches = {};
        break;
      case Kind::replace_stream:
        if (program_.streams[step.stream].kind == StreamPlan::Kind::default_stream) return;
        break;
      default:
        step.touches = {draw_touch()};
        break;
    }
    program_.steps.push_back(std::move(step));
  }

  Draws draws_;
  Touches kind_;
  Program program_;
};

constexpr std::array<std::string_view, Step::kind_count> kind_names{"kernel",
                                                                    "fill",
                                                                    "copy",
                                                                    "copy_to_pageable",
                                                                    "copy_from_pageable",
                                                                    "host_callback",
                                                                    "allocate",
                                                                    "free_async",
                                                                    "free_now",
                                                                    "replace",
                                                                    "record",
                                                                    "wait",
                                                                    "synchronize",
                                                                    "query",
                                                                    "elapsed",
                                                                    "synchronize",
                                                                    "query",
                                                                    "synchronize_device",
                                                                    "host_access",
                                                                    "replace_stream",
                                                                    "replace_event",
                                                                    "launch_graph",
                                                                    "update_graph",
                                                                    "pass_time"};

std::string touches_text(const std::vector<Touch>& touches) {
  std::string text;
  for (const Touch& touch : touches) {
    constexpr std::array<std::string_view, 3> modes{"reads", "writes", "updates"};
    text += fmt::format(" {} buffer {}[{}, {})", modes[static_cast<std::size_t>(touch.mode)], touch.buffer, touch.begin,
                        touch.end);
    for (const auto& [count, stride] : touch.repetitions) text += fmt::format(" {} times each {}", count, stride);
  }
  return text;
}

std::string step_text(const Step& step) {
  const std::string_view name = kind_names[static_cast<std::size_t>(step.kind)];
  switch (step.kind) {
    case Kind::record:
    case Kind::wait:
      return fmt::format("{} stream {} event {}", name, step.stream, step.event);
    case Kind::synchronize_event:
    case Kind::query_event:
    case Kind::elapsed:
    case Kind::replace_event:
      return fmt::format("{} event {}", name, step.event);
    case Kind::launch_graph:
    case Kind::update_graph:
      return fmt::format("{} graph {} stream {}", name, step.graph, step.stream);
    default:
      return fmt::format("{} stream {}{}", name, step.stream, touches_text(step.touches));
  }
}

std::string graph_text(const GraphPlan& plan) {
  std::string text;
  for (const GraphStep& step : plan) {
    text += step.waits ? fmt::format("; branch {} waits for the other", step.branch)
                       : fmt::format("; branch {}{}", step.branch, touches_text(step.touches));
  }
  return text;
}

}  // namespace

Program draw_program(std::uint64_t seed, Touches touches) { return Generator(seed, touches).draw(); }

std::string to_text(const Program& program) {
  std::string text = fmt::format("seed {}, {} devices\n", program.seed, program.device_count);
  for (std::size_t i = 0; i < program.streams.size(); ++i) {
    constexpr std::array<std::string_view, 3> kinds{"default", "blocking", "non-blocking"};
    const StreamPlan& stream = program.streams[i];
    text += fmt::format("  stream {}: {}, device {}\n", i, kinds[static_cast<std::size_t>(stream.kind)], stream.device);
  }
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    constexpr std::array<std::string_view, 3> kinds{"device", "page-locked", "pool"};
    const Buffer& buffer = program.buffers[i];
    text += fmt::format("  buffer {}: {}, device {}\n", i, kinds[static_cast<std::size_t>(buffer.kind)], buffer.device);
  }
  for (std::size_t i = 0; i < program.graphs.size(); ++i) {
    text += fmt::format("  graph {}{}\n  updated{}\n", i, graph_text(program.graphs[i][0]),
                        graph_text(program.graphs[i][1]));
  }
  for (const Step& step : program.steps) text += fmt::format("  {}\n", step_text(step));
  return text;
}

}  // namespace gpucheck::sim::oracle
