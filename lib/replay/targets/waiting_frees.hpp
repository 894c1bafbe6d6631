#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace gpucheck::replay {

/// When frees end that wait for other streams. How far these have got when a program frees differs from run to run.
/// 0: when they did in the recording. Any other number: a course of its own, in which each free ends at random at once,
/// as recorded, or as late as when none waited any more in the recording, as after a synchronization.
using Pace = std::uint32_t;

/// The frees of a trace that wait for other streams, and when they end at some pace. By the numbers that a trace's
/// `free_later` and `end_of_uses` have.
class WaitingFrees {
 public:
  explicit WaitingFrees(Pace pace) : pace_(pace) {}

  enum class End : std::uint8_t { at_once, as_recorded, late };
  /// A free of that number begins to wait in the recording. When it ends.
  End begin(std::uint16_t number);
  /// It has ended in the recording. The numbers that end now: none where that one does not wait.
  [[nodiscard]] const std::vector<std::uint16_t>& end(std::uint16_t number);

 private:
  [[nodiscard]] End choose();

  Pace pace_;
  std::uint64_t begun_ = 0;
  std::uint64_t waiting_ = 0;             ///< in the recording
  std::vector<std::optional<End>> ends_;  ///< by number; none where none waits
  std::vector<std::uint16_t> late_;       ///< that ended in the recording
  std::vector<std::uint16_t> ended_;      ///< what `end` returns
};

}  // namespace gpucheck::replay
