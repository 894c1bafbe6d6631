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
  void start(std::string name, std::size_t total);
  void finish(const std::string& name, std::size_t finished, std::size_t total);
  /// "[3/12]  4.2 s  2 running: alloc.fuzz, graph.capture_simple", at most `width`
  /// columns.
  [[nodiscard]] std::string text(std::size_t width) const;

 private:
  std::vector<std::string> running_;
  std::size_t finished_ = 0;
  std::size_t total_ = 0;
  std::chrono::steady_clock::time_point start_time_ = std::chrono::steady_clock::now();
};

}  // namespace gpucheck::report
