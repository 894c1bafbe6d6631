#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace gpucheck::report {

/// Columns of the terminal behind `stream`; `otherwise` when it is none.
std::size_t terminal_columns(std::FILE* stream, std::size_t otherwise);

/// What is under way, for the line that is redrawn at the bottom of a terminal.
class Progress {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Progress(Time start_time) : start_time_(start_time) {}

  void start(std::string name, std::size_t total, Time now);
  void finish(const std::string& name, std::size_t finished, std::size_t total);
  /// "[3/12]  4.2 s  2 running: alloc.fuzz, graph.capture_simple", at most `width`
  /// columns.
  [[nodiscard]] std::string text(std::size_t width, Time now) const;
  /// The same for a log, with how long each case has been running: "still running after
  /// 1 min 30 s, 3 of 12 finished: alloc.fuzz (1 min 15 s), graph.capture_simple (2.1 s)".
  [[nodiscard]] std::string heartbeat(Time now) const;

 private:
  struct Running {
    std::string name;
    Time since;
  };
  std::vector<Running> running_;
  std::size_t finished_ = 0;
  std::size_t total_ = 0;
  Time start_time_;
};

}  // namespace gpucheck::report
