#pragma once

#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace gpucheck::runner {

/// While it lives, the first SIGINT or SIGTERM is a call and not the end of the process,
/// unless the process was started with that signal ignored. Changes what signals do for
/// the whole process: one at a time.
class InterruptGuard {
 public:
  /// @param on_signal called once, from the io_context, with the signal's number. From
  /// then on signals do again what they did before, so that a second one ends the
  /// process whatever it is busy with.
  InterruptGuard(boost::asio::io_context& context, std::function<void(int)> on_signal);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Signals do what they did before the guard. Further calls do nothing.
  void release();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace gpucheck::runner
