#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/allocator/memory_recorder.hpp"

namespace gpucheck::observe::detail {

/// One event: what is the same for many of them stands in its origin.
struct TraceRecord {
  std::uint64_t ticks;
  std::uintptr_t address;
  std::uint64_t size;
  runtime::CallerNumber context;
  std::uint32_t origin;  ///< below `max_origins`
  runtime::MemoryAction action;
};
inline constexpr std::uint32_t max_origins = 1U << 27U;

/// The last events, at most a limit of them. Memory is taken in pieces as the ring
/// fills; once it is full, nothing is allocated any more. Not thread-safe.
class TraceRing {
 public:
  explicit TraceRing(std::size_t limit) noexcept : limit_(limit) {}

  /// Overwrites the oldest event when full. Without memory to grow, the ring stays as
  /// large as it is.
  void push(const TraceRecord& record) noexcept { put(packed(record, false)); }
  /// A free_requested, and the same as free_completed: both lie in one slot.
  void push_free(const TraceRecord& requested) noexcept { put(packed(requested, true)); }
  /// The oldest first.
  [[nodiscard]] std::vector<TraceRecord> records() const;
  [[nodiscard]] std::size_t size() const noexcept;
  /// Keeps what is there, even if that is more than the limit: it is then the limit.
  void set_limit(std::size_t limit);
  void clear() noexcept;

 private:
  /// A record in half a cache line.
  struct Slot {
    std::uint64_t ticks;
    std::uintptr_t address;
    std::uint64_t size;
    runtime::CallerNumber context;
    std::uint32_t kind;  ///< origin, whether free_completed is meant too, action

    static constexpr unsigned action_bits = 4;
    static constexpr std::uint32_t completed_bit = 1U << action_bits;
    static constexpr unsigned origin_shift = action_bits + 1;

    [[nodiscard]] bool is_completed() const noexcept { return (kind & completed_bit) != 0; }
    [[nodiscard]] TraceRecord record() const noexcept {
      return {ticks,
              address,
              size,
              context,
              kind >> origin_shift,
              static_cast<runtime::MemoryAction>(kind & (completed_bit - 1))};
    }
  };
  static constexpr std::size_t piece_slots = 1024;

  static Slot packed(const TraceRecord& record, bool is_completed) noexcept {
    const std::uint32_t kind = record.origin << Slot::origin_shift | (is_completed ? Slot::completed_bit : 0U) |
                               static_cast<std::uint32_t>(record.action);
    return {record.ticks, record.address, record.size, record.context, kind};
  }
  void put(const Slot& slot) noexcept {
    if (next_ == end_) [[unlikely]]
      return put_in_next_piece(slot);
    *next_++ = slot;
  }
  /// By value: the caller keeps it in registers.
  void put_in_next_piece(Slot slot) noexcept;
  [[nodiscard]] std::size_t used_slots() const noexcept { return is_full_ ? limit_ : position(); }
  /// Counted from the oldest.
  [[nodiscard]] const Slot& slot(std::size_t place) const noexcept;
  /// Where the next slot is, counted from the start of the first piece.
  [[nodiscard]] std::size_t position() const noexcept;
  /// Moves `next_` to the next place to write; false when there is none.
  bool advance() noexcept;
  void enter_piece(std::size_t piece) noexcept;

  std::size_t limit_;
  bool is_full_ = false;  ///< has been written to its end once
  std::size_t piece_ = 0;
  Slot* next_ = nullptr;
  Slot* end_ = nullptr;
  std::vector<std::unique_ptr<Slot[]>> pieces_;
};

}  // namespace gpucheck::observe::detail
