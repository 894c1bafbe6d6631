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

void ArenaLock::wait_and_enter(int state) noexcept {
  int spins = 0;
  do {
    for (int now = state_.load(std::memory_order_relaxed); now != open; now = state_.load(std::memory_order_relaxed)) {
      if (now == closed) {
        state_.wait(closed, std::memory_order_relaxed);
      } else {
        pause_or_yield(++spins);
      }
    }
  } while (!try_enter(state));
}

/// Sequentially consistent, unlike `unlock`: the waiters are looked for only after the store
/// can be seen, or one that is about to sleep would not be woken.
void ArenaLock::reopen() noexcept {
  state_.store(open);
  state_.notify_all();
}

}  // namespace gpucheck::runtime::detail
