#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gpucheck::sim {

/// Something that does one thing after another: a stream, or one branch of a graph.
using Component = std::uint32_t;

/// The `epoch`-th step of a component; epochs start at 1.
struct Stamp {
  Component component = 0;
  std::uint64_t epoch = 0;
};

/// How far each component is known to have come (Mattern 1989). Sparse: a component
/// that is not listed is known up to epoch 0.
class VectorClock {
 public:
  /// Afterwards this clock knows everything `other` knows.
  void join(const VectorClock& other);
  /// Raises one component; never lowers it.
  void advance(Stamp stamp);
  /// True when the step is known, that is, ordered before whatever holds this clock.
  [[nodiscard]] bool covers(Stamp stamp) const noexcept;
  void clear() noexcept { entries_.clear(); }

 private:
  std::vector<Stamp> entries_;  // ascending by component
};

/// A point in the order of operations: when all that precedes it is complete, and what
/// that is.
struct Point {
  std::uint64_t ready_ns = 0;
  VectorClock clock{};

  void join(std::uint64_t other_ready_ns, const VectorClock& other_clock) {
    ready_ns = std::max(ready_ns, other_ready_ns);
    clock.join(other_clock);
  }
};

}  // namespace gpucheck::sim
