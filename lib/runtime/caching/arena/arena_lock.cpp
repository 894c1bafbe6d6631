#include "runtime/caching/detail/spin_lock.hpp"

#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpucheck::runtime::detail {

void SpinLock::wait_and_lock() noexcept {
  constexpr int spins_before_yield = 64;
  int spins = 0;
  do {
    while (taken_.load(std::memory_order_relaxed)) {
      if (++spins > spins_before_yield) {
        std::this_thread::yield();
      } else {
#if defined(__x86_64__)
        _mm_pause();
#endif
      }
    }
  } while (taken_.exchange(true, std::memory_order_acquire));
}

}  // namespace gpucheck::runtime::detail
