#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/caching/arena/arena.hpp"
#include "runtime/caching/tables/arena_lookup.hpp"

namespace gpucheck::runtime::detail {

/// All arenas: one for each pool and stream that memory was asked for. Changed only with all
/// arenas closed; `of_stream` and `at_address` need no lock.
class ArenaTable {
 public:
  /// The default pool's arena of a stream; null for a stream without one.
  [[nodiscard]] Arena* of_stream(device::Stream stream) const noexcept { return by_stream_.find(stream); }
  /// An arena that may have the block at `address`: see AddressMap.
  [[nodiscard]] Arena* at_address(std::uintptr_t address) const noexcept { return by_address_.find(address); }

  /// The pool's arena for a stream. A new one is closed, as all others are.
  [[nodiscard]] Arena& get_or_make(Pool& pool, device::Stream stream);
  /// The arenas of a pool that is gone, without segments, are for others to use.
  void retire(const Pool& pool) { idle_.insert(idle_.end(), pool.arenas.begin(), pool.arenas.end()); }
  /// The block in use that starts at `pointer`, in whichever arena it is.
  [[nodiscard]] BlockRef find_in_use(const void* pointer) const;

  /// An arena has got, or lost, memory at these addresses.
  void add_memory(std::uintptr_t address, std::uint64_t size, Arena& arena) {
    by_address_.insert(address, size, arena);
  }
  void remove_memory(std::uintptr_t address, std::uint64_t size, const Arena& arena) noexcept {
    by_address_.erase(address, size, arena);
  }

  /// One thread at a time calls from now on: nothing is closed or held any more, and all arenas count in the same
  /// counters, so that neither a peak nor a report takes time with the number of arenas. To be called before any arena
  /// is made.
  void confine_to_one_thread();
  [[nodiscard]] bool is_confined() const noexcept { return shared_counters_ != nullptr; }
  void close_all() noexcept {
    if (is_confined()) return;
    for (const auto& arena : arenas_) arena->lock.close();
  }
  void reopen_all() noexcept {
    if (is_confined()) return;
    for (const auto& arena : arenas_) arena->lock.reopen();
  }
  [[nodiscard]] const std::vector<std::unique_ptr<Arena>>& all() const noexcept { return arenas_; }
  /// The counters of all arenas, by their numbers; where they are shared, just these.
  [[nodiscard]] std::span<Counters* const> counters() const noexcept { return counters_; }
  /// Host memory, the arenas' own included.
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  [[nodiscard]] Arena& idle_or_new();

  std::unique_ptr<Counters> shared_counters_;  ///< of all arenas; null where each has its own
  std::vector<std::unique_ptr<Arena>> arenas_;
  std::vector<Counters*> counters_;
  std::vector<Arena*> idle_;
  StreamMap by_stream_;
  AddressMap by_address_;
};

}  // namespace gpucheck::runtime::detail
