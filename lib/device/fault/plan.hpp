#pragma once

#include <cstdint>
#include <vector>

#include "device/status.hpp"

/// What shall go wrong on a device, and when. A plan is data: the decorator of
/// `fault_driver.hpp` carries it out over any device.
namespace gpucheck::fault {

/// Which calls a rule counts. Names are those of `device::Device`'s methods; where a
/// method is overloaded the object is named too.
enum class Operation {
  initialize,        ///< construction of the driver object
  allocate,          ///< device memory, plain
  free,
  allocate_async,
  allocate_pinned,
  memory_info,
  copy,
  fill,
  launch_kernel,
  record,
  wait,
  query_event,
  synchronize,       ///< of a stream, an event or the device
  host_callback,
  begin_capture,
  end_capture,
  node_count,
  instantiate,
  launch_graph,
  last_error,
  default_stream,
  error_text,
};

enum class Effect {
  fail,             ///< return `status` without doing the call
  drop,             ///< return success without doing the call
  report_success,   ///< do the call, return success whatever came back
  flip_bit,         ///< do the call, then flip one bit in the memory it wrote (copy, fill, launch_kernel: ordered
                    ///< after it on the same stream; allocate: in what the caller later fills is not covered)
  alias,            ///< allocate: return memory that an earlier allocation of at least that size still holds
  run_now,          ///< launch_kernel while capturing: run at once outside the capture as well as being recorded
  wrong_answer,     ///< node_count: one too many when 0, else 0; default_stream: a handle that is no stream;
                    ///< error_text: "unknown error"; memory_info: all memory free; query_event: success although not
                    ///< complete
  eager,            ///< initialize: count the devices at once instead of on first use
  hang,             ///< never return
  kill_process,     ///< the process dies by SIGKILL
  lose_device,      ///< this and every later call returns `status`
};

/// Applies `effect` to the calls of one operation from the `first`-th (1-based) on,
/// `times` of them; 0 times means all that follow.
struct Rule {
  Operation operation;
  Effect effect;
  std::uint64_t first = 1;
  std::uint64_t times = 1;
  device::Status status = device::Status::unknown;
};

struct Plan {
  std::vector<Rule> rules;
  [[nodiscard]] bool empty() const noexcept { return rules.empty(); }
};

}  // namespace gpucheck::fault
