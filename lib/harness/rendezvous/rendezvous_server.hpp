#pragma once

#include <chrono>
#include <memory>

#include "harness/rendezvous/rendezvous.hpp"

namespace gpucheck::harness {

/// Keeps the texts that the processes of a job leave each other, for as long as it lives. Serves from a thread of its
/// own; answers whoever says the address's job.
class RendezvousServer {
 public:
  /// Listens on every network of this machine at the address's port.
  /// @param linger how long the end waits for those who are still connected: they may yet ask for what was left last
  /// @throws EnvironmentError where the port is taken, with what to do.
  RendezvousServer(const RendezvousAddress& address, std::chrono::milliseconds linger);
  RendezvousServer(const RendezvousServer&) = delete;
  RendezvousServer& operator=(const RendezvousServer&) = delete;
  ~RendezvousServer();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace gpucheck::harness
