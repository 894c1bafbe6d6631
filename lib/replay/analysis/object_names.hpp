#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "replay/formats/snapshot/snapshot.hpp"

namespace gpucheck::replay {

/// What people call the streams and pools of one device of a snapshot: by their ids, names and
/// owners where the file says them, else by what can be concluded from handles and numbers. Texts
/// are the file's own: to be made safe by whoever shows them.
class ObjectNames {
 public:
  /// The snapshot must outlive it.
  ObjectNames(const Snapshot& snapshot, std::size_t device);

  /// "35 (priority -1, stream 0)", or the handle: "0x55d0c8e0".
  [[nodiscard]] std::string stream(std::uint64_t handle) const;
  /// "default", "private (1, 0) of graphs 1, 2", "private (0, 3), released".
  [[nodiscard]] std::string pool(PoolId pool) const;
  /// What follows the name there: " of graphs 1, 2"; nothing for the default pool.
  [[nodiscard]] std::string users(PoolId pool) const;
  /// Null where the file does not say.
  [[nodiscard]] const SnapshotStream* find_stream(std::uint64_t handle) const;
  [[nodiscard]] const SnapshotPool* find_pool(PoolId pool) const;

 private:
  std::map<std::uint64_t, const SnapshotStream*> streams_;
  std::map<PoolId, const SnapshotPool*> pools_;
};

}  // namespace gpucheck::replay
