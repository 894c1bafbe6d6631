#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace gpucheck::runner {

/// What a call has said so far.
struct SeparateAnswer {
  std::string text;      ///< the last that it sent; empty: nothing yet
  std::string problem;   ///< what it threw, or how its process ended; empty where neither happened
  bool is_over = false;  ///< it has ended; else it may hang
};

/// Calls side by side, each in a copy of this process, so that one which hangs in a driver, or crashes there, costs
/// itself alone. The copies have none of the standard streams: one that cannot even be killed keeps no reader of this
/// process's output waiting. All that are still there at the end are killed, and not waited for. Used by one thread.
/// @pre no other thread runs, and nothing buffered is to be written twice.
class SeparateCalls {
 public:
  using Send = std::function<void(const std::string&)>;
  /// Sends what it knows, again whenever it knows more.
  using Work = std::function<void(const Send&)>;

  SeparateCalls() = default;
  ~SeparateCalls();
  SeparateCalls(const SeparateCalls&) = delete;
  SeparateCalls& operator=(const SeparateCalls&) = delete;

  /// Begins it. @return its number. @throws EnvironmentError when no process can be started.
  std::size_t begin(const Work& work);
  /// Until these are over, or the deadline. @return whether they are over.
  bool wait(const std::vector<std::size_t>& numbers, std::chrono::steady_clock::time_point deadline);
  [[nodiscard]] const SeparateAnswer& answer(std::size_t number) const;

 private:
  struct Call {
    pid_t process = -1;
    int descriptor = -1;
    std::string unread;  ///< the beginning of a message
    SeparateAnswer answer;
  };

  void read(Call& call);
  static void take_messages(Call& call);

  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace gpucheck::runner
