#pragma once

#include <memory>

#include "harness/rendezvous/rendezvous.hpp"

namespace gpucheck::harness {

/// Asks a `RendezvousServer`. Connects when first used, and keeps trying until the server is there.
std::unique_ptr<Rendezvous> make_socket_rendezvous(RendezvousAddress address);

}  // namespace gpucheck::harness
