#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "harness/values/value.hpp"

namespace gpucheck::site {

/// Reads what a program observes: lines with a JSON object each, of which every member is an observation.
class ObservationLines {
 public:
  static constexpr std::size_t longest_line = std::size_t{64} << 10;
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;

  using Observe = std::function<void(const std::string& key, harness::Value value)>;

  explicit ObservationLines(Observe observe) : observe_(std::move(observe)) {}

  /// Takes the next bytes, which may end anywhere. @throws Error that names the line, for one that is none, is longer
  /// than `longest_line`, or comes after `most_bytes`; what `observe` throws, with the line before it.
  void take(std::string_view bytes);
  /// There are no more: what came last needs no newline. @throws as `take`.
  void finish();

 private:
  void read_line(std::string_view line);
  [[noreturn]] void fail(std::string_view what) const;

  Observe observe_;
  std::string unread_;  ///< the beginning of a line
  std::size_t bytes_ = 0;
  std::size_t line_ = 0;  ///< that is read, from 1
};

}  // namespace gpucheck::site
