#pragma once

#include <mutex>

#include "runtime/caching/shared/recording.hpp"
#include "runtime/caching/tables/arena_table.hpp"

namespace gpucheck::runtime::detail {

/// What a call locks beyond an arena. The order: the mutex, `settling`, then arenas.
struct Locks {
  alignas(64) std::mutex mutex;  ///< apart from what every call reads
  std::mutex settling;           ///< guards which arenas may count, and their sums and peaks
  ArenaTable& arenas;
  Recording& recording;
};

/// The mutex held. Others go on as long as one arena's lock is all that they need.
class Serial {
 public:
  /// `context`: of the call that needs it, for the recorder.
  Serial(Locks& locks, CallContext context) : lock_(locks.mutex) { locks.recording.set_context(context); }

 private:
  std::unique_lock<std::mutex> lock_;
};

/// Both mutexes held and all arenas closed: nothing else goes on, and whoever waits sleeps. The
/// device may be called.
class Exclusive {
 public:
  explicit Exclusive(Locks& locks, CallContext context = no_call_context) : locks_(locks), context_(context) { lock(); }
  ~Exclusive() {
    if (is_locked_) unlock();
  }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;

  void lock() {
    locks_.mutex.lock();
    locks_.settling.lock();
    locks_.arenas.close_all();
    locks_.recording.set_context(context_);
    is_locked_ = true;
  }
  void unlock() {
    is_locked_ = false;
    locks_.arenas.reopen_all();
    locks_.settling.unlock();
    locks_.mutex.unlock();
  }

 private:
  Locks& locks_;
  CallContext context_;
  bool is_locked_ = false;
};

/// Gives the locks back for a scope. Afterwards nothing is as it was: arenas, pools and
/// settings may have come, gone and changed.
class Released {
 public:
  explicit Released(Exclusive& lock) : lock_(lock) { lock_.unlock(); }
  ~Released() { lock_.lock(); }
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  Exclusive& lock_;
};

}  // namespace gpucheck::runtime::detail
