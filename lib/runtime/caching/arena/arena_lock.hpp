#pragma once

#include <atomic>

namespace gpucheck::runtime::detail {

/// A lock for sections of a few nanoseconds that are rarely contended: one atomic
/// exchange to take it, a plain store to give it back. Yields when it has to wait long.
class SpinLock {
 public:
  void lock() noexcept {
    if (taken_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      wait_and_lock();
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  /// Not inline: a caller that does not wait need not save registers for it.
  void wait_and_lock() noexcept;

  std::atomic<bool> taken_ = false;
};

}  // namespace gpucheck::runtime::detail
