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
    if (!try_enter(held)) [[unlikely]]
      wait_and_enter(held);
  }
  void unlock() noexcept { state_.store(open, std::memory_order_release); }

  void close() noexcept {
    if (!try_enter(closed)) wait_and_enter(closed);
  }
  void reopen() noexcept;

 private:
  static constexpr int open = 0;
  static constexpr int held = 1;
  static constexpr int closed = 2;

  bool try_enter(int state) noexcept {
    int expected = open;
    return state_.compare_exchange_strong(expected, state, std::memory_order_acquire, std::memory_order_relaxed);
  }
  /// Not inline: a caller that does not wait need not save registers for it.
  void wait_and_enter(int state) noexcept;

  std::atomic<int> state_ = open;
};

}  // namespace gpucheck::runtime::detail
