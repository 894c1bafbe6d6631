#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/memory_observer.hpp"

namespace gpucheck::observe::detail {

/// One event as it is kept: what is the same for many events stands in its origin.
struct TraceRecord {
  std::uint64_t ticks;
  std::uintptr_t address;
  std::uint64_t size;
  runtime::CallContext context;
  std::uint32_t origin;
  runtime::MemoryAction action;
};

/// The last records, at most a limit of them. Memory is taken in pieces as the ring
/// fills; once it is full, nothing is allocated any more. Not thread-safe.
class TraceRing {
 public:
  explicit TraceRing(std::size_t limit) noexcept : limit_(limit) {}

  /// Overwrites the oldest record when full. Without memory to grow, the ring stays as
  /// large as it is.
  void push(const TraceRecord& record) noexcept {
    if (next_ == end_ && !advance()) return;
    *next_++ = record;
  }
  /// The oldest first.
  [[nodiscard]] std::vector<TraceRecord> records() const;
  [[nodiscard]] std::size_t size() const noexcept { return is_full_ ? limit_ : position(); }
  /// Keeps what is there, even if that is more than the limit: it is then the limit.
  void set_limit(std::size_t limit);
  void clear() noexcept;

 private:
  static constexpr std::size_t piece_records = 1024;

  /// Where the next record goes, counted from the start of the first piece.
  [[nodiscard]] std::size_t position() const noexcept;
  /// Moves `next_` to the next place to write; false when there is none.
  bool advance() noexcept;
  void enter_piece(std::size_t piece) noexcept;

  std::size_t limit_;
  bool is_full_ = false;  ///< has been written to its end once
  std::size_t piece_ = 0;
  TraceRecord* next_ = nullptr;
  TraceRecord* end_ = nullptr;
  std::vector<std::unique_ptr<TraceRecord[]>> pieces_;
};

}  // namespace gpucheck::observe::detail
