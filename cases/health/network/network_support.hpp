#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cases/shared/health_support.hpp"
#include "telemetry/network/adapters.hpp"
#include "telemetry/network/port_counters.hpp"

/// What the cases about InfiniBand and RoCE ports share.
namespace gpucheck::cases::in_health {

inline constexpr std::string_view network_documentation =
    "the Linux kernel's Documentation/ABI/stable/sysfs-class-infiniband";

/// "adapters": which of the machine's adapters are looked at.
[[nodiscard]] harness::Parameter adapters_parameter();
/// "window_ms", and how long it is: a second, or a moment where a recording stands in, in which nothing moves by
/// itself.
[[nodiscard]] harness::Parameter network_window_parameter();
[[nodiscard]] std::chrono::milliseconds network_window(harness::Context& context);

/// What sysfs shows; where NVIDIA's driver does not work, or hangs, without its help: neither is needed for a network.
/// @throws harness::Skip where it is not known, EnvironmentError where it could not be read.
[[nodiscard]] telemetry::NetworkFiles network_of(harness::Context& context);

/// The adapters that the parameter names, and that this machine has to itself: no virtual function beside its physical
/// one. @throws EnvironmentError for a pattern that names none while there are some.
[[nodiscard]] std::vector<telemetry::NetworkAdapter> looked_at(const harness::Context& context,
                                                               const telemetry::NetworkFiles& network);

/// The ports of InfiniBand and Ethernet links.
[[nodiscard]] std::vector<const telemetry::NetworkPort*> ports_of(
    const std::vector<telemetry::NetworkAdapter>& adapters);

/// What is wrong with the adapters' files; that a port's rate is not known only where the port is active.
[[nodiscard]] std::vector<std::string> unreadable(const std::vector<telemetry::NetworkAdapter>& adapters);

/// @throws harness::Skip where there is no port and nothing is wrong.
void require_ports(const std::vector<telemetry::NetworkAdapter>& adapters);

/// A look at the ports before a window, and one after it.
struct NetworkWindow {
  std::vector<telemetry::NetworkAdapter> before;
  std::vector<telemetry::NetworkAdapter> after;
  telemetry::NetworkFiles files;        ///< of the second look
  std::vector<std::string> unreadable;  ///< of both looks, and ports that are gone
};
/// @throws as `network_of`, `looked_at` and `require_ports` do.
[[nodiscard]] NetworkWindow watch_ports(harness::Context& context);

/// By how much a counter of a port grew.
struct Growth {
  std::string port;
  const telemetry::PortCounter* counter = nullptr;
  std::uint64_t was = 0;
  std::uint64_t is = 0;

  /// At least so much. After it was set back, what it has counted since.
  [[nodiscard]] std::uint64_t amount() const noexcept { return is >= was ? is - was : is; }
  /// Why it may be more; empty where it is not.
  [[nodiscard]] std::string doubt() const;
};
/// The growth of each counter that could be read in both looks.
/// @param unreadable gets the problems of the others.
[[nodiscard]] std::vector<Growth> growth_of(const NetworkWindow& window, std::vector<std::string>& unreadable);

}  // namespace gpucheck::cases::in_health
