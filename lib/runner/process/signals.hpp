#pragma once

namespace gpucheck::runner {

/// While one lives, the signals that ask a process to end (SIGHUP, SIGINT, SIGQUIT,
/// SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ) lose no report, unless
/// the process was started with them ignored:
/// - outside a run they end the process as ever, but its temporary files go first;
/// - from the beginning of a run on, the first one is the order to end the run. What
///   comes within a second of another is a repetition of it: `timeout` signals a process
///   and then its group. A later one is answered on stderr with what is still to be
///   written; a SIGINT or SIGQUIT after that answer ends the process at once;
/// - a reader of the output that has gone does not end the run, nor is a file that may not grow (`ulimit -f`): the
/// write says
///   of it.
/// Signals that the parent had blocked are let through, and the ends of children that it
/// had ignored are heard.
///
/// Changes the whole process; made within the life of another, on the same thread, it
/// shares that one's state. The last one to go restores what was before.
class SignalGuard {
 public:
  /// @throws EnvironmentError when the system has no descriptor left.
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  /// From now on a signal is an order, which whoever waits for a file hears too (base/waiting_for_files.hpp). Does
  /// nothing where no guard lives.
  static void begin_run() noexcept;

  /// The signal that was the order; 0 while none has come.
  [[nodiscard]] int order() const noexcept;
  /// Can be read from when the order has come, and stays so. Not for reading from.
  [[nodiscard]] int descriptor() const noexcept;
};

}  // namespace gpucheck::runner
