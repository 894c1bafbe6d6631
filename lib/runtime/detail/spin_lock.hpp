#pragma once

#include <atomic>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpucheck::runtime::detail {

/// A lock for sections of a few nanoseconds that are rarely contended: one atomic
/// exchange to take it, a plain store to give it back. Yields when it has to wait long.
class SpinLock {
 public:
  void lock() noexcept {
    for (int spins = 0; taken_.exchange(true, std::memory_order_acquire); ++spins) wait(spins);
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  void wait(int spins) const noexcept {
    constexpr int spins_before_yield = 64;
    while (taken_.load(std::memory_order_relaxed)) {
      if (++spins > spins_before_yield) {
        std::this_thread::yield();
      } else {
#if defined(__x86_64__)
        _mm_pause();
#endif
      }
    }
  }

  std::atomic<bool> taken_ = false;
};

}  // namespace gpucheck::runtime::detail
