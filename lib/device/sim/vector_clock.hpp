#pragma once

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

}  // namespace gpucheck::sim
