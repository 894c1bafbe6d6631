#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/device.hpp"

/// Small programs for a simulated machine, as data: drawn from a seed, printed, and cut
/// down by leaving steps out.
namespace gpucheck::sim::oracle {

/// Bytes of each buffer: few, so that what operations touch meets in every way.
inline constexpr std::size_t buffer_bytes = 8;

/// Bytes [begin, end) of a buffer, and what the repetitions make of them.
struct Touch {
  std::size_t buffer = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  device::AccessMode mode = device::AccessMode::read;
  device::Repetitions repetitions{};
};

struct Buffer {
  enum class Kind {
    device,
    page_locked,
    pool,  ///< not there until a step allocates it in stream order
  };
  Kind kind = Kind::device;
  int device = 0;
};

/// A stream as each program has it from its start. The default stream exists once for a
/// device.
struct StreamPlan {
  enum class Kind { default_stream, blocking, non_blocking };
  Kind kind = Kind::non_blocking;
  int device = 0;
};

/// What is captured, by two streams that begin together and are joined at the end: a
/// kernel of one of them, or one that waits for the other.
struct GraphStep {
  bool waits = false;
  std::size_t branch = 0;
  std::vector<Touch> touches;
};
using GraphPlan = std::vector<GraphStep>;

/// One call, or a few that belong together. Which members count depends on the kind.
struct Step {
  enum class Kind {
    kernel,
    fill,              ///< the first touch is written
    copy,              ///< from the first touch to as many bytes of the second
    copy_to_pageable,  ///< the host waits for it
    copy_from_pageable,
    host_callback,
    allocate,    ///< in stream order
    free_async,  ///< in stream order
    free_now,    ///< of memory that was allocated in stream order, by the host
    replace,     ///< frees a buffer, which waits for the device, and allocates it anew
    record,
    wait,
    synchronize_event,
    query_event,
    elapsed,
    synchronize_stream,
    query_stream,
    synchronize_device,
    host_access,     ///< of page-locked memory, announced
    replace_stream,  ///< destroys it and makes another one in its place
    replace_event,
    launch_graph,
    update_graph,  ///< to its other touches, or back
    pass_time,
  };
  static constexpr std::size_t kind_count = static_cast<std::size_t>(Kind::pass_time) + 1;

  Kind kind = Kind::kernel;
  std::size_t stream = 0;
  std::size_t event = 0;
  std::size_t graph = 0;
  std::vector<Touch> touches;
};

struct Program {
  std::uint64_t seed = 0;  ///< also the simulator's
  int device_count = 1;
  std::vector<Buffer> buffers;
  std::vector<StreamPlan> streams;
  std::vector<int> events;  ///< the device of each
  /// Of each graph the touches that it begins with, and those of its update.
  std::vector<std::array<GraphPlan, 2>> graphs;
  std::vector<Step> steps;
};

/// What kernels touch: stretches of bytes, or also patterns with gaps, overlaps and repetitions
/// of all sorts.
enum class Touches { stretches, patterns };

Program draw_program(std::uint64_t seed, Touches touches);
/// One line for each stream, buffer, graph and step.
std::string to_text(const Program& program);

}  // namespace gpucheck::sim::oracle
