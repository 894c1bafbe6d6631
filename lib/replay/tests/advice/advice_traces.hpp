#pragma once

#include <algorithm>
#include <cstdint>

#include "base/text/units.hpp"
#include "replay/formats/trace/trace.hpp"

namespace gpucheck::replay {

/// A trace, call by call.
class TraceMaker {
 public:
  std::uint32_t allocate(std::uint64_t bytes, std::uint16_t stream = 0) {
    trace_.events.push_back({bytes, trace_.allocation_count, stream, Action::allocate, false});
    trace_.stream_count = std::max<std::uint32_t>(trace_.stream_count, stream + 1U);
    return trace_.allocation_count++;
  }
  void free(std::uint32_t id) { trace_.events.push_back({0, id, 0, Action::free, false}); }
  /// While another stream uses it, until `end_of_uses` of the same number.
  void free_later(std::uint32_t id, std::uint16_t number) {
    trace_.events.push_back({0, id, number, Action::free_later, false});
  }
  void end_of_uses(std::uint16_t number) { trace_.events.push_back({0, 0, number, Action::end_of_uses, false}); }
  void try_allocate(std::uint64_t bytes) {
    trace_.events.push_back({bytes, trace_.allocation_count++, 0, Action::try_allocate, false});
  }
  [[nodiscard]] const Trace& trace() const noexcept { return trace_; }

 private:
  Trace trace_;
};

/// Two blocks of 60 MiB come and go; 30 MiB are kept of the place of one and 40 of the
/// other; then 50 MiB are asked for. 120 MiB are in use at once at most.
///
/// By default both segments of 60 MiB are cut: 30 and 20 MiB lie unused, neither segment can
/// be given back, and the 50 MiB need a third one: 170 MiB. In an expandable segment the
/// same 50 MiB are one range: 120 MiB suffice.
inline void add_fragmenting(TraceMaker& maker) {
  const std::uint32_t first = maker.allocate(60_MiB);
  const std::uint32_t second = maker.allocate(60_MiB);
  maker.free(first);
  maker.allocate(30_MiB);
  maker.free(second);
  maker.allocate(40_MiB);
  maker.allocate(50_MiB);
}

inline Trace fragmenting_trace() {
  TraceMaker maker;
  add_fragmenting(maker);
  return maker.trace();
}

}  // namespace gpucheck::replay
