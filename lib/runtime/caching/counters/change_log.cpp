#include "runtime/caching/counters/change_log.hpp"

#include <chrono>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace gpucheck::runtime::detail {
namespace {

#if defined(__x86_64__)
/// Whether the time stamp counter runs at one rate, and on all processors alike.
bool has_invariant_counter() noexcept {
  constexpr unsigned power_management = 0x80000007U;
  constexpr unsigned invariant = 1U << 8U;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(power_management, &a, &b, &c, &d) != 0 && (d & invariant) != 0;
}
const bool counter_is_invariant = has_invariant_counter();
#endif

/// A clock that all processors share. It is not read before what the thread has read so far: the
/// arena's lock for instance.
std::int64_t now() noexcept {
#if defined(__x86_64__)
  if (counter_is_invariant) [[likely]] {
    _mm_lfence();
    return static_cast<std::int64_t>(__rdtsc());
  }
#endif
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

}  // namespace

void ChangeLog::append(const Change& change, Counters& counters) noexcept {
  last_time_ = std::max(now(), last_time_ + 1);
  if (size_ % chunk_size == 0) chunks_[size_ / chunk_size].time = last_time_;
  Change& written = changes_[size_++];
  written = change;
  written.time = last_time_;
  --counters.room;
  if (size_ % chunk_size != 0) return;
  end_chunk(counters);
  if (size_ < capacity) begin_chunk(counters);
}

ScopeValues ChangeLog::highest() const noexcept {
  ScopeValues result = chunks_[0].begin;
  for (std::size_t chunk = 0; chunk < chunk_count(); ++chunk) raise(result, chunks_[chunk].highest);
  return result;
}

void ChangeLog::begin_chunk(Counters& counters) noexcept {
  counters.begin_highest();
  chunks_[size_ / chunk_size].begin = counters.highest();
}

}  // namespace gpucheck::runtime::detail
