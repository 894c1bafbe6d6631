#include "observe/detail/trace_ring.hpp"

#include <algorithm>
#include <new>

namespace gpucheck::observe::detail {

std::size_t TraceRing::position() const noexcept {
  if (pieces_.empty()) return 0;
  return piece_ * piece_records + static_cast<std::size_t>(next_ - pieces_[piece_].get());
}

void TraceRing::enter_piece(std::size_t piece) noexcept {
  piece_ = piece;
  next_ = pieces_[piece].get();
  end_ = next_ + std::min(piece_records, limit_ - piece * piece_records);
}

bool TraceRing::advance() noexcept {
  const std::size_t written = position();
  if (written < limit_ && written == pieces_.size() * piece_records) {
    try {
      pieces_.push_back(std::make_unique_for_overwrite<TraceRecord[]>(std::min(piece_records, limit_ - written)));
    } catch (const std::bad_alloc&) {
      if (written == 0) return false;
      limit_ = written;
    }
  }
  if (written == limit_) is_full_ = true;
  enter_piece(written == limit_ ? 0 : written / piece_records);
  return true;
}

std::vector<TraceRecord> TraceRing::records() const {
  std::vector<TraceRecord> result;
  const std::size_t count = size();
  const std::size_t oldest = is_full_ ? position() % limit_ : 0;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (oldest + i) % limit_;
    result.push_back(pieces_[at / piece_records][at % piece_records]);
  }
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
