#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/caching/counters/counters.hpp"

namespace gpucheck::runtime::detail {

/// One allocation or free, or the begin or the end of one that is pending.
struct Change {
  PoolKind kind;
  BlockChange blocks;
  std::int8_t split_blocks;
  std::int64_t bytes;  ///< of what moves of `blocks`
  std::int64_t requested;
  std::int64_t split_bytes;
  std::int64_t time = 0;  ///< of a clock that all processors share

  void add_to(ScopeValues& values) const noexcept {
    const CounterValues by{blocks.allocated, blocks.allocated != 0 ? bytes : 0, requested, split_blocks, split_bytes,
                           blocks.active,    blocks.active != 0 ? bytes : 0};
    for (std::size_t counter = 0; counter < counter_count; ++counter) {
      values[Counters::index(kind)][counter] += by[counter];
      values[all_scope][counter] += by[counter];
    }
  }
};

/// What the counters of one arena did, change by change, while other arenas' counters moved as well.
/// Written under the arena's lock, so that of two changes that are ordered, in whatever arenas, the
/// first has the earlier time. The times of one log are all different.
///
/// The changes are in chunks, whose highest values make it possible to pass over most of them.
class ChangeLog {
 public:
  static constexpr std::size_t capacity = 4096;
  static constexpr std::size_t chunk_size = 16;

  struct Chunk {
    std::int64_t time;    ///< of its first change
    ScopeValues begin;    ///< before that
    ScopeValues highest;  ///< while it lasted, its begin included
  };

  void begin(Counters& counters) noexcept {
    size_ = 0;
    last_time_ = 0;
    begin_chunk(counters);
  }
  /// The counters have moved.
  void append(const Change& change, Counters& counters) noexcept;
  /// To be called before it is read.
  void end(const Counters& counters) noexcept {
    if (size_ % chunk_size != 0) end_chunk(counters);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const Change& operator[](std::size_t index) const noexcept { return changes_[index]; }
  [[nodiscard]] std::size_t chunk_count() const noexcept { return (size_ + chunk_size - 1) / chunk_size; }
  /// The first one has a begin even if it has no changes.
  [[nodiscard]] const Chunk& chunk(std::size_t index) const noexcept { return chunks_[index]; }
  [[nodiscard]] ScopeValues highest() const noexcept;

 private:
  void begin_chunk(Counters& counters) noexcept;
  void end_chunk(const Counters& counters) noexcept { chunks_[(size_ - 1) / chunk_size].highest = counters.highest(); }

  std::size_t size_;
  std::int64_t last_time_;
  std::array<Change, capacity> changes_;
  std::array<Chunk, capacity / chunk_size> chunks_;
};

}  // namespace gpucheck::runtime::detail
