#include "runtime/caching/arena/arena_lock.hpp"

#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpucheck::runtime::detail {
namespace {

constexpr int spins_before_yield = 64;

void pause_or_yield(int spins) noexcept {
  if (spins > spins_before_yield) return std::this_thread::yield();
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

/// Tries again and again rather than looks first: a thread that allocates leaves its arena open for
/// a few nanoseconds at a time, which are over once they have been seen.
void ArenaLock::wait_and_lock() noexcept {
  int spins = 0;
  do {
    if (is_closed_.load(std::memory_order_relaxed) == closed) {
      is_closed_.wait(closed, std::memory_order_relaxed);
    } else {
      pause_or_yield(++spins);
    }
  } while (is_taken_.exchange(true, std::memory_order_acquire));
}

/// Who sleeps is woken last, to find it open. The store is sequentially consistent: the waiters
/// are looked for only after it can be seen, or one that is about to sleep would not be woken.
void ArenaLock::reopen() noexcept {
  unlock();
  is_closed_.store(open);
  is_closed_.notify_all();
}

}  // namespace gpucheck::runtime::detail
