#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace gpucheck::runner {

/// Cases side by side on one device, where nobody says how many.
int default_jobs(bool on_cuda);

/// What one case takes of its devices while it runs.
struct Load {
  bool exclusive = false;   ///< nothing else may run on its devices meanwhile
  bool host_link = false;   ///< nothing else that has this may run meanwhile, on whatever device
  double memory_share = 0;  ///< of each device's memory, 0..1
  std::vector<int> devices = {0};
};

/// Decides which case starts next. On a device those that run side by side come together, in
/// the plan's order, and so do those that need it to themselves, so that the others are held
/// up once and not once each. The first, third and so on begin with the former, the others with
/// the latter: cases side by side need contexts, which a node makes one at a time, and while
/// some devices wait for theirs, others can be measured. What needs several devices to itself
/// comes last. What waits for one device holds up no other: of what can start now, that on the
/// devices with the least to do does. Data only: starts nothing.
class Schedule {
 public:
  /// Share of a device's memory that cases side by side may claim together; the rest is
  /// for the contexts of the workers.
  static constexpr double memory_limit = 0.9;
  static constexpr int no_limit = std::numeric_limits<int>::max();

  /// @param jobs side by side on one device.
  /// @param jobs_in_all side by side on all of them.
  Schedule(std::vector<Load> loads, int jobs, int jobs_in_all = no_limit);

  /// The case to start now, which is under way from then on; nothing when all slots are
  /// taken or what waits must wait longer. Something always fits when nothing runs.
  std::optional<std::size_t> next();
  void finished(std::size_t index);
  /// What is still to be started, which will not be.
  std::vector<std::size_t> drop_waiting() { return std::exchange(waiting_, {}); }
  /// `index` has finished and is to run once more, before what has not run at all.
  void again(std::size_t index);
  /// The same of one that has finished before.
  void repeat(std::size_t index);

  [[nodiscard]] std::size_t running() const noexcept { return running_; }
  /// Still to be started, in the order they would be.
  [[nodiscard]] const std::vector<std::size_t>& waiting() const noexcept { return waiting_; }
  /// True when something still to be started needs the device.
  [[nodiscard]] bool is_wanted(int device) const;

 private:
  struct Device {
    std::size_t running = 0;
    bool exclusive_running = false;
    double memory_used = 0;
  };

  [[nodiscard]] const Device& at(int device) const { return devices_.at(static_cast<std::size_t>(device)); }
  [[nodiscard]] Device& at(int device) { return devices_.at(static_cast<std::size_t>(device)); }
  [[nodiscard]] bool fits(const Load& load) const;
  /// Those of a lower one are started before those of a higher one.
  [[nodiscard]] static int turn(const Load& load);
  /// Cases under way on the busiest of its devices.
  [[nodiscard]] std::size_t busyness(const Load& load) const;

  std::vector<Load> loads_;
  std::vector<std::size_t> waiting_;
  std::vector<Device> devices_;
  std::size_t jobs_;
  std::size_t jobs_in_all_;
  std::size_t running_ = 0;
  bool host_link_taken_ = false;
};

}  // namespace gpucheck::runner
