#pragma once

#include <atomic>

namespace gpucheck::runtime::detail {

/// Guards an arena, in one of two ways.
///
/// `lock` is for sections of a few nanoseconds in which nothing waits: one atomic exchange to
/// take it, a plain store to release it. Who finds it held spins, and yields.
/// `close` is for sections that may call the device or wait for long: who finds it closed sleeps
/// until `reopen`. Only one thread at a time closes arenas: see Exclusive.
class ArenaLock {
 public:
  void lock() noexcept {
    if (is_taken_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      wait_and_lock();
  }
  void unlock() noexcept { is_taken_.store(false, std::memory_order_release); }

  void close() noexcept {
    lock();
    is_closed_.store(closed, std::memory_order_relaxed);
  }
  void reopen() noexcept;

 private:
  static constexpr int open = 0;
  static constexpr int closed = 1;

  /// Not inline: a caller that does not wait need not save registers for it.
  void wait_and_lock() noexcept;

  std::atomic<bool> is_taken_ = false;  ///< held or closed
  std::atomic<int> is_closed_ = open;   ///< why it is taken; an int can be waited for without a detour
};

}  // namespace gpucheck::runtime::detail
