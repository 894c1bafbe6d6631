#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

#include "runner/limits/environment_fault.hpp"
#include "runner/process/child_process.hpp"
#include "runner/worker/protocol.hpp"

namespace gpucheck::runner {

/// How a worker dealt with one request. Not judged yet.
struct RequestEnd {
  enum class Kind {
    replied,         ///< `reply` has the final reply
    died,            ///< the process ended first: `process`
    deadline,        ///< nothing in time; the process was killed
    closed_channel,  ///< the process closed the channel, and lived on
    broken_channel,  ///< the channel carried something else: `reason`
  };
  Kind kind = Kind::died;
  std::optional<Reply> reply;
  ProcessEnd process;
  std::string reason;
  std::optional<EnvironmentFault> environment;  ///< the limit that ended the process, where one did
  bool abandoned = false;                       ///< the process was killed, but did not go away
  harness::Observations observations;
  std::string output_tail;
  std::string error_tail;
  double elapsed_ms = 0;
  double extension_ms = 0;  ///< by which it took longer than its limit, as it had waited for a processor that long
};

/// One worker, seen from the supervisor: a process, a channel and at most one request
/// under way. Lives on the thread of its io_context, and longer than its callbacks run.
class WorkerProcess {
 public:
  static constexpr int max_extension = 20;

  /// Starts `program worker --descriptor N`. `on_gone` is called once, from the
  /// io_context, when the process has ended or was abandoned. @throws EnvironmentError.
  WorkerProcess(boost::asio::io_context& context, const std::string& program, std::function<void()> on_gone);
  /// Kills the process when it is still there.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// True when it can take a request.
  [[nodiscard]] bool idle() const noexcept;
  /// True when its process has ended or was abandoned.
  [[nodiscard]] bool gone() const noexcept;
  /// The id of its process; -1 when that is gone.
  [[nodiscard]] pid_t id() const noexcept;

  /// Sends a request; `done` is called once, from the io_context. A process that is not
  /// done within `limit` is killed with its whole group. Time in which it could have run
  /// and got no processor does not count, up to `max_extension` times the limit.
  /// @pre idle()
  void request(const Request& request, std::chrono::milliseconds limit, std::function<void(RequestEnd)> done);

  /// Asks the process to leave; kills it when it does not.
  void retire();
  /// Kills it. A request under way ends as `died`. What is not gone within `patience` is abandoned.
  void kill(std::chrono::milliseconds patience = time_to_die);

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace gpucheck::runner
