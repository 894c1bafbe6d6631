#include "observe/history/trace_ring.hpp"

#include <algorithm>
#include <new>

namespace gpucheck::observe::detail {

std::size_t TraceRing::position() const noexcept {
  if (pieces_.empty()) return 0;
  return piece_ * piece_slots + static_cast<std::size_t>(next_ - pieces_[piece_].get());
}

void TraceRing::enter_piece(std::size_t piece) noexcept {
  piece_ = piece;
  next_ = pieces_[piece].get();
  end_ = next_ + std::min(piece_slots, limit_ - piece * piece_slots);
}

bool TraceRing::advance() noexcept {
  const std::size_t written = position();
  if (written < limit_ && written == pieces_.size() * piece_slots) {
    try {
      pieces_.push_back(std::make_unique_for_overwrite<Slot[]>(std::min(piece_slots, limit_ - written)));
    } catch (const std::bad_alloc&) {
      if (written == 0) return false;
      limit_ = written;
    }
  }
  if (written == limit_) is_full_ = true;
  enter_piece(written == limit_ ? 0 : written / piece_slots);
  return true;
}

void TraceRing::put_in_next_piece(Slot slot) noexcept {
  if (advance()) *next_++ = slot;
}

const TraceRing::Slot& TraceRing::slot(std::size_t place) const noexcept {
  const std::size_t at = is_full_ ? (position() + place) % limit_ : place;
  return pieces_[at / piece_slots][at % piece_slots];
}

std::size_t TraceRing::size() const noexcept {
  const std::size_t slots = used_slots();
  std::size_t events = slots;
  for (std::size_t i = 0; i < slots && events < limit_; ++i) events += slot(i).is_completed() ? 1U : 0U;
  return events;
}

/// As many slots as the limit may be more events than that: the oldest ones are left out.
std::vector<TraceRecord> TraceRing::records() const {
  std::vector<TraceRecord> result;
  const std::size_t slots = used_slots();
  result.reserve(2 * slots);
  for (std::size_t i = 0; i < slots; ++i) {
    result.push_back(slot(i).record());
    if (!slot(i).is_completed()) continue;
    result.push_back(result.back());
    result.back().action = runtime::MemoryAction::free_completed;
  }
  if (result.size() > limit_) result.erase(result.begin(), result.end() - static_cast<std::ptrdiff_t>(limit_));
  return result;
}

void TraceRing::set_limit(std::size_t limit) {
  const std::vector<TraceRecord> kept = records();
  clear();
  limit_ = std::max(limit, kept.size());
  for (const TraceRecord& record : kept) push(record);
}

void TraceRing::clear() noexcept {
  pieces_.clear();
  is_full_ = false;
  piece_ = 0;
  next_ = end_ = nullptr;
}

}  // namespace gpucheck::observe::detail
