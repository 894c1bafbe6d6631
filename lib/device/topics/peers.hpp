#pragma once

#include "device/values/status.hpp"

namespace gpucheck::device {

/// Other devices' memory.
class Peers {
 public:
  [[nodiscard]] virtual Result<bool> can_access_peer(int peer_ordinal) = 0;
  virtual Status enable_peer_access(int peer_ordinal) = 0;

 protected:
  ~Peers() = default;
};

}  // namespace gpucheck::device

/// The operations of `Peers`: see `operations.hpp`.
#define GPUCHECK_PEERS_OPERATIONS(OPERATION, ALSO)                                                      \
  OPERATION(can_access_peer, device::Result<bool>, can_access_peer, (int peer_ordinal), (peer_ordinal)) \
  OPERATION(enable_peer_access, device::Status, enable_peer_access, (int peer_ordinal), (peer_ordinal))
