#pragma once

#include <span>
#include <sys/types.h>
#include <vector>

namespace gpucheck::runner {

/// Ends what workers leave behind. While one lives, a process below this one that loses
/// its parent becomes a child of this one, whatever group or session it has made for
/// itself; so that a case, or an allocator library, cannot leave a process on the device.
/// Used by one thread at a time.
class AdoptedProcesses {
 public:
  AdoptedProcesses();
  /// Nothing is adopted any more, unless it was before.
  ~AdoptedProcesses();
  AdoptedProcesses(const AdoptedProcesses&) = delete;
  AdoptedProcesses& operator=(const AdoptedProcesses&) = delete;

  /// Kills every child but `own` and those that were there before this object, then what
  /// falls to this process by that, until there is none. Reads /proc: some 10 us for each
  /// process of the machine. What the kernel holds is left alone after 50 ms.
  void kill_all_but(std::span<const pid_t> own);

 private:
  int was_adopting_ = 0;
  std::vector<pid_t> not_ours_;  ///< those that were there before, or could not be killed; sorted
};

}  // namespace gpucheck::runner
