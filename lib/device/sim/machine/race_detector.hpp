#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "device/driver.hpp"
#include "device/sim/time/vector_clock.hpp"
#include "device/values/shared_bytes.hpp"

namespace gpucheck::sim {

/// What the detector remembers of an operation.
struct Actor {
  std::string_view name;        ///< static text: a kernel's name, "copy host_to_device", ...
  device::Stream stream;        ///< where it was enqueued
  std::uint64_t sequence = 0;   ///< position in the order of enqueueing: its identity
  std::uint64_t finish_ns = 0;  ///< virtual time at which its effects happen
  Stamp stamp;
  bool by_host = false;  ///< an access of the host's own, on no stream
};

/// Finds accesses to the same bytes, at least one of them a write, that nothing orders.
/// Operations are shown in the order of enqueueing, which extends happens-before; for
/// each byte the last writer and the readers since are kept: one entry per interval for
/// accesses without gaps, and one for each access with gaps, however many its runs are.
/// Not thread-safe.
class RaceDetector {
 public:
  /// `knows` is the clock of the operation: all that happens before it.
  void access(const Actor& actor, const VectorClock& knows, const device::MemoryAccess& access);
  /// The host changed memory while `actor` had not read it yet.
  void host_write(const Actor& actor, const void* address, std::uint64_t bytes);
  /// The bytes hold nothing any more: what happened to them cannot conflict with the future.
  void forget(const void* address, std::uint64_t bytes);
  /// All that `clock` knows is ordered before everything to come. Looks only where much is kept.
  void forget_known(const VectorClock& clock);
  /// Everything so far is ordered before everything to come.
  void forget_all() noexcept {
    cells_.clear();
    patterns_.clear();
  }

  /// Accesses with gaps that are kept at most. When there are more, the oldest are forgotten.
  static constexpr std::size_t most_patterns = 2048;
  /// So many parts of patterns are looked at for an access to find what nobody has written since:
  /// about 10 ms.
  static constexpr std::size_t most_parts = 100'000;

  [[nodiscard]] const std::vector<device::Race>& races() const noexcept { return races_; }

 private:
  struct Cell {
    std::uintptr_t end = 0;
    Actor writer;  // sequence 0: none
    std::vector<Actor> readers;
  };
  using Cells = std::map<std::uintptr_t, Cell>;

  /// An access with gaps, or what is left of it.
  struct Pattern {
    device::Stretch extent;
    device::MemoryAccess access;
    Actor actor;
  };

  Cells::iterator split(std::uintptr_t address);
  void read(const Actor& actor, const VectorClock& knows, std::uintptr_t begin, std::uintptr_t end);
  void write(const Actor& actor, const VectorClock& knows, std::uintptr_t begin, std::uintptr_t end);
  void check_cells(const Actor& actor, const VectorClock& knows, const device::MemoryAccess& access,
                   device::Stretch extent);
  void check_patterns(const Actor& actor, const VectorClock& knows, const device::MemoryAccess& access,
                      device::Stretch extent);
  void keep(const Actor& actor, const VectorClock& knows, const device::MemoryAccess& access, device::Stretch extent);
  void forget_patterns(device::Stretch stretch);
  [[nodiscard]] Cells::const_iterator first_cell(std::uintptr_t address) const;
  [[nodiscard]] bool is_overwritten(device::Stretch stretch, std::uint64_t since) const;
  [[nodiscard]] std::vector<device::Stretch> not_overwritten(device::Stretch stretch, std::uint64_t since);
  void dispute_shared(const Actor& other, const Actor& actor, const device::MemoryAccess& theirs,
                      const device::MemoryAccess& access);
  void dispute_cell(const Actor& other, std::uintptr_t begin, std::uintptr_t end);
  void dispute(const Actor& other, std::uintptr_t begin, std::uintptr_t end);
  void report_disputes(const Actor& actor);
  void report(const Actor& first, const Actor& second, std::uintptr_t begin, std::uintptr_t end);

  /// An operation that the access under examination is not ordered after, and the first
  /// stretch of bytes that they have in common.
  struct Dispute {
    Actor other;
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
  };

  Cells cells_;                    // disjoint, by first address
  std::vector<Pattern> patterns_;  // in the order of their operations
  std::size_t parts_left_ = 0;     // that may be looked at for the access under examination
  std::vector<Dispute> disputes_;
  std::vector<device::Race> races_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> reported_;
};

}  // namespace gpucheck::sim
