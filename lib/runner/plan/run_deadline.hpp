#pragma once

#include <chrono>

namespace gpucheck::runner {

/// The time limit of a whole run. Its last part is kept for the end: workers are killed, and reports written.
class RunDeadline {
 public:
  using Clock = std::chrono::steady_clock;

  RunDeadline(Clock::time_point start, std::chrono::milliseconds limit) : start_(start), limit_(limit) {}

  [[nodiscard]] std::chrono::milliseconds limit() const noexcept { return limit_; }
  /// Until when cases may run: what still does is killed then.
  [[nodiscard]] Clock::time_point end_of_cases() const noexcept { return start_ + limit_ - reserve(); }
  /// How long a killed worker may take to be gone.
  [[nodiscard]] std::chrono::milliseconds time_to_die() const noexcept { return reserve() / 2; }
  /// How long the devices may take to say what they are: some time is left for what needs none.
  [[nodiscard]] std::chrono::milliseconds time_to_identify() const noexcept { return (limit_ - reserve()) * 2 / 3; }
  [[nodiscard]] Clock::time_point end() const noexcept { return start_ + limit_; }

 private:
  /// A sixth, but no more than ever needed.
  [[nodiscard]] std::chrono::milliseconds reserve() const noexcept {
    constexpr std::chrono::milliseconds most{3000};
    return limit_ / 6 < most ? limit_ / 6 : most;
  }

  Clock::time_point start_;
  std::chrono::milliseconds limit_;
};

/// Ends this process when the deadline is there, whatever it is doing: a driver, a file system or a reader of its
/// output may hold it. Runs on a thread of its own, to the end of the process. Temporary files go first, as far as that
/// takes no time. @throws EnvironmentError when the thread cannot be started.
void end_process_at(const RunDeadline& deadline);

/// The exit code that the process is ended with then: that nothing could be judged, or what was said here last. Any
/// thread may say it.
void set_last_exit_code(int exit_code) noexcept;

}  // namespace gpucheck::runner
