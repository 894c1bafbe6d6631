#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace gpucheck::runner {

/// What one case takes of the machine while it runs.
struct Load {
  bool exclusive = false;   ///< nothing else may run meanwhile
  double memory_share = 0;  ///< of the device's memory, 0..1
};

/// Decides which case starts next. Those that run side by side come first, in the plan's
/// order; those that need the device to themselves follow, in the plan's order, so that
/// the others are held up once and not once each. Data only: starts nothing.
class Schedule {
 public:
  /// Share of the device's memory that cases side by side may claim together; the rest
  /// is for the contexts of the workers.
  static constexpr double memory_limit = 0.9;

  Schedule(std::vector<Load> loads, int jobs);

  /// The case to start now, which is under way from then on; nothing when all slots are
  /// taken or what waits must wait longer. Something always fits when nothing runs.
  std::optional<std::size_t> next();
  void finished(std::size_t index);
  /// `index` has finished and is to run once more, before what has not run at all.
  void again(std::size_t index);

  [[nodiscard]] std::size_t running() const noexcept { return running_; }
  /// Still to be started, in the order they would be.
  [[nodiscard]] const std::vector<std::size_t>& waiting() const noexcept { return waiting_; }

 private:
  [[nodiscard]] bool fits(const Load& load) const noexcept;

  std::vector<Load> loads_;
  std::vector<std::size_t> waiting_;
  std::size_t jobs_;
  std::size_t running_ = 0;
  bool exclusive_running_ = false;
  double memory_used_ = 0;
};

}  // namespace gpucheck::runner
