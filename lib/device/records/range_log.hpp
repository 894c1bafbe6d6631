#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace gpucheck::device {

/// One thing that a tool hears of what a process names for it.
struct RangeEvent {
  enum class Kind { mark, push, pop, start, end };
  Kind kind = Kind::mark;
  std::string name = {};    ///< of a mark, and of what begins
  std::uint64_t range = 0;  ///< which one starts or ends; 0 of the others
  bool operator==(const RangeEvent&) const = default;
};

/// Keeps what is heard while somebody listens. Thread-safe.
class RangeLog {
 public:
  void keep(RangeEvent event);
  /// What is heard while `action` runs. One at a time.
  [[nodiscard]] std::vector<RangeEvent> during(const std::function<void()>& action);

 private:
  std::mutex mutex_;
  bool listening_ = false;
  std::vector<RangeEvent> heard_;
};

}  // namespace gpucheck::device
