#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "replay/formats/snapshot/snapshot.hpp"

namespace gpucheck::replay {

inline constexpr PoolId default_pool{0, 0};

/// Which of a trace's pools a recorded pool stands for: numbers count from 0 in order of
/// use. A pool that was released, and is used again, gets another number.
class PoolNumbers {
 public:
  /// Nothing for the default pool.
  std::optional<std::uint32_t> number_of(PoolId pool);
  /// The number that the pool had, if it was used; the next use gets another one.
  std::optional<std::uint32_t> release(PoolId pool);
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

 private:
  std::map<PoolId, std::uint32_t> numbers_;
  std::uint32_t count_ = 0;
};

/// Which pool recorded allocations belong to. Releases of PyTorch whose events do not say
/// say it by the segments left at the end, as far as they are still there.
class RecordedPools {
 public:
  RecordedPools(const Snapshot& snapshot, std::size_t device);
  /// The pool of the event at `position`: what lay at its address earlier may have been another pool's.
  [[nodiscard]] PoolId of(std::size_t position) const;

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
    PoolId pool;
    std::size_t from = 0;  ///< the first event since the segment is there
  };
  /// An earlier segment that was released at those addresses is not this one.
  void note_releases();

  const std::vector<SnapshotEvent>& events_;
  std::vector<Range> private_ranges_;  ///< in address order; only where events do not say
};

/// Private pools that segments are released of, in a row of such events: a pool in use
/// releases none, so that its graphs, or the MemPool, have ended by then.
class ReleasedPools {
 public:
  void add(PoolId pool);
  /// What the row released; the next one begins.
  struct Row {
    bool has_default = false;
    std::set<PoolId> private_pools;
  };
  Row end();

 private:
  bool has_default_ = false;
  std::set<PoolId> private_;
};

}  // namespace gpucheck::replay
