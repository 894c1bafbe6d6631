#pragma once

#include <string>

#include "telemetry/machine/stand_in.hpp"

/// What the tests of health.network_* share.
namespace gpucheck::cases::test_of_network {

inline const std::string adapters = "/sys/class/infiniband/";

inline std::string port_of(const std::string& adapter) { return adapters + adapter + "/ports/1/"; }

/// The machine whose recording is built in: two InfiniBand adapters of one kind, mlx5_0 and mlx5_1, and mlx5_2 on
/// Ethernet as eth2.
inline telemetry::Machine recorded() { return telemetry::healthy_machine(); }

inline void set(telemetry::NetworkFiles& network, const std::string& path, const std::string& text) {
  network.files[path] = {text, ""};
}

}  // namespace gpucheck::cases::test_of_network
