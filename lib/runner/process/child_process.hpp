#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace gpucheck::runner {

/// What to start. The process gets /dev/null as stdin, pipes as stdout and stderr, and
/// no other descriptor of its parent but `inherited_descriptor`.
/// The kernel kills it when the thread that started it ends.
struct Command {
  std::string program;
  std::vector<std::string> arguments;  ///< without the program's name
  bool own_group = false;              ///< leads a process group of its own, killed as a whole
  int inherited_descriptor = -1;
  int inherited_as = -1;                      ///< the number that it has there; -1: the same
  std::string folder = {};                    ///< in which it is started; empty: this process's
  std::vector<std::string> environment = {};  ///< all of it, "NAME=value"; none: this process's
};

/// A process that was killed is gone by then, unless the kernel holds it (a driver call that does not return): then
/// nobody can end it.
inline constexpr std::chrono::milliseconds time_to_die{2000};

/// How a process ended; neither is known of one that was abandoned.
struct ProcessEnd {
  std::optional<int> exit_code;
  std::optional<int> signal;
};

/// What waitpid(2) says of a process that has ended.
ProcessEnd process_end(int wait_status);

/// A process under way. Its pipes are drained all the time and their tails kept, so that
/// it never blocks on writing. Belongs to the thread that runs the io_context.
class ChildProcess {
 public:
  /// @param on_end called once, from the io_context, when the process has ended and all
  /// it wrote is in the tails. What is left of its group is killed then. Never called
  /// after `abandon`.
  /// @throws EnvironmentError when the process cannot be started.
  ChildProcess(boost::asio::io_context& context, const Command& command, std::function<void(const ProcessEnd&)> on_end);
  /// Kills what still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] pid_t id() const noexcept;
  /// SIGKILL, to the whole group when it has its own.
  void kill() noexcept;
  /// Stops waiting for a process that does not die and closes its pipes.
  void abandon();
  /// Takes what is in the pipes at this moment, without waiting for more.
  void drain();
  [[nodiscard]] std::string take_output();
  [[nodiscard]] std::string take_error_output();

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace gpucheck::runner
